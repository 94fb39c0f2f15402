import { PAGES } from '../../manual/pages.ts'
import { jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

/** What is there to read: the manual, the settings, and the command line itself. */
export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'manual',
    words: ['[TOPIC]'],
    choices: PAGES.map(({ topic }) => topic),
    summary: 'show a page of the manual, or which there are',
    flags: [{ name: 'search', placeholder: 'WORD', doc: 'list the parts that speak of it' }],
    example: 'bellhop manual server',
    examples: ['bellhop manual', 'bellhop manual --search alias'],
  },
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
