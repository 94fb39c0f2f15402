import type { RunCommand } from './command.ts'

/** What runs each command of `commands.ts` but `serve`, `help` and those of `app`; loaded when it is called for. */
export const RUNNERS: Readonly<Record<string, () => Promise<RunCommand>>> = {
  health: async () => (await import('./service/health-command.ts')).runHealth,
  systemd: async () => (await import('./service/systemd-command.ts')).runSystemd,
  push: async () => (await import('./push/push-command.ts')).runPush,
  pushes: async () => (await import('./push/pushes-command.ts')).runPushes,
  cancel: async () => (await import('./push/cancel-command.ts')).runCancel,
  explain: async () => (await import('./push/explain-command.ts')).runExplain,
  tail: async () => (await import('./tail/tail-command.ts')).runTail,
  devices: async () => (await import('./devices/devices-command.ts')).runDevices,
  'devices restore': async () => (await import('./devices/devices-restore-command.ts')).runDevicesRestore,
  stats: async () => (await import('./devices/stats-command.ts')).runStats,
  doctor: async () => (await import('./service/doctor-command.ts')).runDoctor,
  manual: async () => (await import('./service/manual-command.ts')).runManual,
  completions: async () => (await import('./completion/completions-command.ts')).runCompletions,
  backup: async () => (await import('./backup/backup-command.ts')).runBackup,
  'backup list': async () => (await import('./backup/backup-list-command.ts')).runBackupList,
  'backup verify': async () => (await import('./backup/backup-verify-command.ts')).runBackupVerify,
  restore: async () => (await import('./backup/restore-command.ts')).runRestore,
  compact: async () => (await import('./backup/compact-command.ts')).runCompact,
  export: async () => (await import('./transfer/export-command.ts')).runExport,
  import: async () => (await import('./transfer/import-command.ts')).runImport,
  'key rotate': async () => (await import('./backup/key-rotate-command.ts')).runKeyRotate,
}
