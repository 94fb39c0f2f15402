import { APP_COMMANDS } from './app-commands.ts'
import { BACKUP_COMMANDS } from './backup-commands.ts'
import type { CommandSpec } from './command.ts'
import { CONFIG_COMMANDS } from './config-commands.ts'
import { DOCTOR_COMMANDS } from './doctor-commands.ts'
import { EVERYDAY_COMMANDS } from './everyday-commands.ts'
import { HOST_COMMANDS } from './host-commands.ts'
import { KEY_COMMANDS } from './key-commands.ts'
import { TRANSFER_COMMANDS } from './transfer-commands.ts'

/** In the order in which help shows them. The settings of `serve` are in `config.ts`. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'serve',
    words: [],
    summary: 'run the service',
    flags: [],
    example: 'bellhop serve --listen 127.0.0.1:8790 --data ./bellhop-data',
  },
  ...APP_COMMANDS,
  ...EVERYDAY_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...BACKUP_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...KEY_COMMANDS,
  ...HOST_COMMANDS,
  ...CONFIG_COMMANDS,
  {
    name: 'help',
    words: [],
    summary: 'show this, or the help of a command',
    flags: [],
    example: 'bellhop help app create',
  },
]
