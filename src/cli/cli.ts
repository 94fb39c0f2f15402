import type { Problems } from '../config.ts'
import { readFlags } from '../flags.ts'
import { suggestion } from '../nearest.ts'
import { readAppCommand } from './app-arguments.ts'
import type { AppCommand } from './app-arguments.ts'
import { COMMANDS } from './commands.ts'
import type { CommandSpec } from './commands.ts'

export type Command =
  | { readonly kind: 'app'; readonly command: AppCommand }
  /** The settings are still to be read. */
  | { readonly kind: 'serve'; readonly argv: readonly string[] }
  /** `''`: of all commands; `app`: of that group. */
  | { readonly kind: 'help'; readonly topic: string }
  | { readonly kind: 'version' }
  /** Nothing was asked for. */
  | { readonly kind: 'none' }
  /** One sentence each. */
  | Problems

/** What a command line asks for; `argv` is without the program. */
export function parseCommand(argv: readonly string[]): Command {
  const end = argv.indexOf('--')
  const flags = end === -1 ? argv : argv.slice(0, end)
  if (flags.includes('--help') || flags.includes('-h')) return { kind: 'help', topic: topicOf(flags) }
  if (flags.includes('--version')) return { kind: 'version' }

  const [first, second] = argv
  if (first === undefined) return { kind: 'none' }
  if (first === 'help') return helpOn(argv.slice(1).join(' '))
  if (first.startsWith('-')) return problem(`${first} stands before a command: expected ${GROUPS.join(', ')}.`)
  if (first === 'app' && (second === undefined || second.startsWith('-'))) {
    return problem(`app needs a command: ${inGroup('app').join(', ')}.`)
  }
  const name = first === 'app' ? `app ${second}` : first
  const spec = COMMANDS.find((command) => command.name === name)
  if (spec === undefined) return unknown(name)
  if (spec.name === 'serve') return { kind: 'serve', argv: argv.slice(1) }
  return readArguments(spec, argv.slice(2))
}

const GROUPS = ['serve', 'app', 'help']

function readArguments(spec: CommandSpec, argv: readonly string[]): Command {
  const { values, words, problems } = readFlags(argv, {
    valued: spec.flags.filter((flag) => flag.placeholder !== null).map((flag) => flag.name),
    switches: spec.flags.filter((flag) => flag.placeholder === null).map((flag) => flag.name),
  })
  if (problems.length > 0) return { kind: 'problems', problems }
  const surplus = words[spec.words.length]
  if (surplus !== undefined) {
    const takes = spec.words.length === 0 ? 'only flags' : `one ${spec.words.join(' ')}, quoted if it has spaces`
    return problem(`"${surplus}" is too much: ${spec.name} takes ${takes}.`)
  }
  const missing = spec.words[words.length]
  if (missing !== undefined) return problem(`${spec.name} needs ${missing}.`)
  const command = readAppCommand(spec.name, words[0] ?? '', values)
  if (command === null) return unknown(spec.name)
  return command.kind === 'problems' ? command : { kind: 'app', command }
}

function helpOn(topic: string): Command {
  if (topic === '' || topic === 'app' || COMMANDS.some((command) => command.name === topic)) {
    return { kind: 'help', topic }
  }
  return unknown(topic)
}

/** The command that stands at the front of a line with --help somewhere in it. */
function topicOf(argv: readonly string[]): string {
  const words = argv.filter((argument) => !argument.startsWith('-')).filter((word, at) => at > 0 || word !== 'help')
  const two = words.slice(0, 2).join(' ')
  const one = words[0] ?? ''
  return [two, one].find((name) => name === 'app' || COMMANDS.some((command) => command.name === name)) ?? ''
}

function unknown(name: string): Problems {
  const names = COMMANDS.map((command) => command.name)
  return problem(`"${name}" is not a command.${suggestion(name, names)}`)
}

function inGroup(group: string): readonly string[] {
  return COMMANDS.filter((command) => command.name.startsWith(`${group} `)).map((command) =>
    command.name.slice(group.length + 1),
  )
}

function problem(sentence: string): Problems {
  return { kind: 'problems', problems: [sentence] }
}
