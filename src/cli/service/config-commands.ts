import { jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

/** The settings, and the command line itself. */
export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'config',
    words: [],
    summary: 'show every setting with its value and where that came from, and check a command line of serve',
    settings: true,
    flags: [jsonFlag],
    example: 'bellhop config --listen 127.0.0.1:8790',
  },
  {
    name: 'completions',
    words: ['bash|zsh|fish'],
    summary: 'print the script that completes commands and flags in a shell',
    flags: [],
    example: 'bellhop completions bash',
  },
]
