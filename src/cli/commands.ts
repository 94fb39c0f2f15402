import { APP_COMMANDS } from './app/app-commands.ts'
import { BACKUP_COMMANDS } from './backup/backup-commands.ts'
import { KEY_COMMANDS } from './backup/key-commands.ts'
import { jsonFlag } from './command.ts'
import type { CommandSpec } from './command.ts'
import { EVERYDAY_COMMANDS } from './push/push-commands.ts'
import { CONFIG_COMMANDS } from './service/config-commands.ts'
import { DOCTOR_COMMANDS } from './service/doctor-commands.ts'
import { HOST_COMMANDS } from './service/host-commands.ts'
import { TRANSFER_COMMANDS } from './transfer/transfer-commands.ts'

interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandSpec[]
}

/** In the order in which help shows them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    heading: 'The service',
    commands: [
      {
        name: 'serve',
        words: [],
        summary: 'run the service',
        settings: true,
        flags: [],
        example: 'bellhop serve --listen 127.0.0.1:8790 --data ./bellhop-data',
        exitCodes: 'The exit code is 3 where a stop could not write down what was sent, which is then sent again.',
      },
      ...HOST_COMMANDS,
    ],
  },
  { heading: 'Applications', commands: APP_COMMANDS },
  { heading: 'Pushes and devices', commands: EVERYDAY_COMMANDS },
  { heading: 'Keeping it well', commands: [...DOCTOR_COMMANDS, ...BACKUP_COMMANDS, ...KEY_COMMANDS] },
  { heading: 'Moving in and out', commands: TRANSFER_COMMANDS },
  {
    heading: 'Settings and help',
    commands: [
      ...CONFIG_COMMANDS,
      {
        name: 'help',
        words: [],
        summary: 'show this, or the help of a command',
        flags: [],
        example: 'bellhop help app create',
      },
      {
        name: 'version',
        words: [],
        summary: 'show the version, and what it is built with',
        flags: [jsonFlag],
        example: 'bellhop version',
      },
    ],
  },
]

export const COMMANDS: readonly CommandSpec[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
