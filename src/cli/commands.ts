import { ALERT_COMMANDS } from './alert/alert-commands.ts'
import { ADMIN_COMMANDS } from './admin/admin-commands.ts'
import { APP_COMMANDS } from './app/app-commands.ts'
import { BACKUP_COMMANDS } from './backup/backup-commands.ts'
import { dataFlag, dataFlags } from './command.ts'
import type { CommandSpec, FlagSpec } from './command.ts'
import { DEVICE_COMMANDS } from './devices/devices-commands.ts'
import { HOOK_COMMANDS } from './hook/hook-commands.ts'
import { PUSH_COMMANDS } from './push/push-commands.ts'
import { AGENT_COMMANDS } from './mcp/agent-commands.ts'
import { isRemote } from './remote/command-purposes.ts'
import { DOCTOR_COMMANDS, READING_COMMANDS, SERVICE_COMMANDS } from './service/service-commands.ts'
import { TRANSFER_COMMANDS } from './transfer/transfer-commands.ts'
import { UPGRADE_COMMANDS } from './upgrade/upgrade-commands.ts'

interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandSpec[]
}

const GROUPS: readonly CommandGroup[] = [
  { heading: 'The service', commands: SERVICE_COMMANDS },
  { heading: 'Applications', commands: APP_COMMANDS },
  { heading: 'Pushes and devices', commands: [...PUSH_COMMANDS, ...DEVICE_COMMANDS] },
  { heading: 'Events of other services', commands: HOOK_COMMANDS },
  { heading: 'Administrators', commands: ADMIN_COMMANDS },
  {
    heading: 'Keeping it well',
    commands: [...DOCTOR_COMMANDS, ...ALERT_COMMANDS, ...UPGRADE_COMMANDS, ...BACKUP_COMMANDS],
  },
  { heading: 'Moving in and out', commands: TRANSFER_COMMANDS },
  { heading: 'Coding agents', commands: AGENT_COMMANDS },
  { heading: 'Settings and help', commands: READING_COMMANDS },
]

/** In help's order. */
export const COMMAND_GROUPS: readonly CommandGroup[] = GROUPS.map(({ heading, commands }) => ({
  heading,
  commands: commands.map((spec) => ({ ...spec, flags: [...spec.flags, ...placeFlags(spec)] })),
}))

function placeFlags(spec: CommandSpec): readonly FlagSpec[] {
  if (isRemote(spec)) return dataFlags
  return spec.on === undefined ? [] : [dataFlag]
}

export const COMMANDS: readonly CommandSpec[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
