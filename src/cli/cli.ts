import { readFlags } from '../settings/flags.ts'
import type { Problems } from '../settings/parse.ts'
import { suggestion } from '../text/nearest.ts'
import { readAppCommand } from './app/app-arguments.ts'
import type { AppCommand } from './app/app-arguments.ts'
import type { CommandSpec, ParsedArguments } from './command.ts'
import { COMMANDS } from './commands.ts'
import { usageOf } from './help.ts'

export type Command =
  | { readonly kind: 'app'; readonly command: AppCommand }
  /** A command of `runners.ts`. */
  | { readonly kind: 'run'; readonly name: string; readonly given: ParsedArguments }
  /** The settings are still to be read. */
  | { readonly kind: 'serve' | 'config'; readonly argv: readonly string[] }
  /** `''`: of all commands; `app`, `backup`: of that group. */
  | { readonly kind: 'help'; readonly topic: string }
  | { readonly kind: 'version'; readonly json: boolean }
  /** Nothing was asked for. */
  | { readonly kind: 'none' }
  /** One sentence each. */
  | Problems

/** What a command line asks for; `argv` is without the program. */
export function parseCommand(argv: readonly string[]): Command {
  const end = argv.indexOf('--')
  const flags = end === -1 ? argv : argv.slice(0, end)
  if (flags.includes('--help') || flags.includes('-h')) return { kind: 'help', topic: topicOf(flags) }
  if (flags.includes('--version') || /^-[vV]$/.test(argv[0] ?? ''))
    return { kind: 'version', json: flags.includes('--json') }

  const [first, second] = argv
  if (first === undefined) return { kind: 'none' }
  if (first === 'help') return helpOn(argv.slice(1).join(' '))
  if (first.startsWith('-')) return problem(`${first} stands before a command: expected ${firstWords().join(', ')}.`)
  // `backup` is a command, and `backup verify` another one.
  const two = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  const spec = two ?? COMMANDS.find(({ name }) => name === first)
  if (spec === undefined && !isGroup(first)) return unknown(first)
  if (spec === undefined) {
    if (second !== undefined && !second.startsWith('-')) return unknown(`${first} ${second}`)
    return problem(
      `${first} needs a command: ${inGroup(first)
        .map((name) => name.slice(first.length + 1))
        .join(', ')}.`,
    )
  }
  if (spec.name === 'serve' || spec.name === 'config') return { kind: spec.name, argv: argv.slice(1) }
  return readArguments(spec, argv.slice(spec === two ? 2 : 1))
}

function readArguments(spec: CommandSpec, argv: readonly string[]): Command {
  const { values, words, problems } = readFlags(argv, {
    valued: spec.flags.filter((flag) => flag.placeholder !== null && flag.list === undefined).map((flag) => flag.name),
    lists: spec.flags.filter((flag) => flag.list).map((flag) => flag.name),
    switches: spec.flags.filter((flag) => flag.placeholder === null).map((flag) => flag.name),
    elsewhere: spec.elsewhere,
  })
  if (problems.length > 0) return { kind: 'problems', problems }
  const surplus = words[spec.words.length]
  if (surplus !== undefined) {
    const takes =
      spec.words.length === 0 ? 'only flags' : `one ${spec.words.join(' and one ')}, quoted if it has spaces`
    // `backup verfy FILE` has been read as `backup` with two words.
    const near = suggestion(`${spec.name} ${words[0]}`, inGroup(spec.name))
    return problem(`"${surplus}" is too much: ${spec.name} takes ${takes}.${near}`)
  }
  const missing = spec.words[words.length]
  if (missing !== undefined && !missing.startsWith('['))
    return problem(`${spec.name} needs ${missing}. Usage: ${usageOf(spec)}`)
  if (spec.name === 'version') return { kind: 'version', json: values.has('json') }
  if (!spec.name.startsWith('app ')) return { kind: 'run', name: spec.name, given: { words, flags: values } }
  const command = readAppCommand(spec.name, words[0] ?? '', values)
  if (command === null) return unknown(spec.name)
  return command.kind === 'problems' ? command : { kind: 'app', command }
}

function helpOn(topic: string): Command {
  return topic === '' || isTopic(topic) ? { kind: 'help', topic } : unknown(topic)
}

/** The command that stands at the front of a line with --help somewhere in it. */
function topicOf(argv: readonly string[]): string {
  const words = argv.filter((argument) => !argument.startsWith('-')).filter((word, at) => at > 0 || word !== 'help')
  return [words.slice(0, 2).join(' '), words[0] ?? ''].find(isTopic) ?? ''
}

function isTopic(name: string): boolean {
  return isGroup(name) || COMMANDS.some((command) => command.name === name)
}

function isGroup(name: string): boolean {
  return COMMANDS.some((command) => command.name.startsWith(`${name} `))
}

function firstWords(): readonly string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))]
}

function unknown(name: string): Problems {
  const names = COMMANDS.map((command) => command.name)
  const near = suggestion(name, [...names, ...firstWords()])
  // `bellhop create` is meant for `app create`.
  const without = near === '' ? names.filter((each) => each.endsWith(` ${name}`)) : []
  const meant = without.length === 0 ? near : ` Did you mean ${without.join(' or ')}?`
  return problem(`"${name}" is not a command.${meant}`)
}

function inGroup(group: string): readonly string[] {
  return COMMANDS.map((command) => command.name).filter((name) => name.startsWith(`${group} `))
}

function problem(sentence: string): Problems {
  return { kind: 'problems', problems: [sentence] }
}
