import type { RunCommand } from './command.ts'

/** What runs each command of `commands.ts` but `serve`, `help` and those of `app`; loaded when it is called for. */
export const RUNNERS: Readonly<Record<string, () => Promise<RunCommand>>> = {
  health: async () => (await import('./health-command.ts')).runHealth,
  systemd: async () => (await import('./systemd-command.ts')).runSystemd,
  push: async () => (await import('./push-command.ts')).runPush,
  pushes: async () => (await import('./pushes-command.ts')).runPushes,
  cancel: async () => (await import('./cancel-command.ts')).runCancel,
  explain: async () => (await import('./explain-command.ts')).runExplain,
  tail: async () => (await import('./tail-command.ts')).runTail,
  devices: async () => (await import('./devices-command.ts')).runDevices,
  'devices restore': async () => (await import('./devices-restore-command.ts')).runDevicesRestore,
  stats: async () => (await import('./stats-command.ts')).runStats,
  doctor: async () => (await import('./doctor-command.ts')).runDoctor,
  completions: async () => (await import('./completions-command.ts')).runCompletions,
  backup: async () => (await import('./backup-command.ts')).runBackup,
  'backup list': async () => (await import('./backup-list-command.ts')).runBackupList,
  'backup verify': async () => (await import('./backup-verify-command.ts')).runBackupVerify,
  restore: async () => (await import('./restore-command.ts')).runRestore,
  compact: async () => (await import('./compact-command.ts')).runCompact,
  export: async () => (await import('./export-command.ts')).runExport,
  import: async () => (await import('./import-command.ts')).runImport,
  'key rotate': async () => (await import('./key-rotate-command.ts')).runKeyRotate,
}
