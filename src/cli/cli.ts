import { readFlags } from '../settings/flags.ts'
import type { FlagNames } from '../settings/flags.ts'
import { SETTING_FLAGS, settingProblem } from '../settings/parse.ts'
import type { Problems } from '../settings/parse.ts'
import { suggestion } from '../text/nearest.ts'
import { problems } from './command.ts'
import type { CommandSpec, ParsedArguments } from './command.ts'
import { COMMANDS } from './commands.ts'
import { usageOf } from './help.ts'

export type Command =
  | { readonly kind: 'run'; readonly name: string; readonly given: ParsedArguments }
  | { readonly kind: 'none' }
  | Problems

/** `argv`: without the program. */
export function parseCommand(argv: readonly string[]): Command {
  const end = argv.indexOf('--')
  const flags = end === -1 ? argv : argv.slice(0, end)
  if (flags.includes('--help') || flags.includes('-h')) return helpOn(topicOf(flags))
  if (flags.includes('--version') || /^-[vV]$/.test(argv[0] ?? '')) {
    return runOf('version', [], new Map(flags.includes('--json') ? [['json', '']] : []))
  }

  const [first, second] = argv
  if (first === undefined) return { kind: 'none' }
  if (first === 'help') return helpOn(argv.slice(1).join(' '))
  if (first.startsWith('-')) return problems(`${first} comes before a command: expected ${firstWords().join(', ')}.`)
  const two = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  const spec = two ?? COMMANDS.find(({ name }) => name === first)
  if (spec === undefined && !isGroup(first)) return unknown(first)
  if (spec === undefined) {
    if (second !== undefined && !second.startsWith('-')) return unknown(`${first} ${second}`)
    return problems(
      `${first} needs a command: ${inGroup(first)
        .map((name) => name.slice(first.length + 1))
        .join(', ')}.`,
    )
  }
  return readArguments(spec, argv.slice(spec === two ? 2 : 1))
}

function readArguments(spec: CommandSpec, argv: readonly string[]): Command {
  const { values, words, problems: unknown } = readFlags(argv, flagNamesOf(spec))
  // Words after an unknown flag may be its value.
  const wrong = unknown.length > 0 ? unknown : wrongWords(spec, words)
  const all = [...wrong, ...wrongValues(spec, values), ...notTogether(spec, values)]
  return wrong.length > 0 && !spec.settings ? problems(...all) : runOf(spec.name, words, values, all)
}

function flagNamesOf({ flags, settings, elsewhere }: CommandSpec): FlagNames {
  const more = settings ? SETTING_FLAGS : null
  const names = (wanted: (flag: CommandSpec['flags'][number]) => boolean) =>
    flags.filter(wanted).map(({ name }) => name)
  return {
    valued: [...(more?.valued ?? []), ...names(({ placeholder, list }) => placeholder !== null && list === undefined)],
    lists: [...(more?.lists ?? []), ...names(({ list }) => list === true)],
    switches: [...(more?.switches ?? []), ...names(({ placeholder }) => placeholder === null)],
    elsewhere: elsewhere ?? more?.elsewhere,
  }
}

function wrongWords(spec: CommandSpec, words: readonly string[]): readonly string[] {
  const surplus = words[spec.words.length]
  if (surplus !== undefined) {
    const takes =
      spec.words.length === 0 ? 'only flags' : `one ${spec.words.join(' and one ')}, quoted if it has spaces`
    // `backup verfy FILE` was read as `backup` with two words.
    const near = suggestion(`${spec.name} ${words[0]}`, inGroup(spec.name))
    return [`"${surplus}" is too much: ${spec.name} takes ${takes}.${near}`]
  }
  const missing = spec.words[words.length]
  return missing === undefined || missing.startsWith('[')
    ? []
    : [`${spec.name} needs ${missing}. Usage: ${usageOf(spec)}`]
}

function wrongValues({ flags }: CommandSpec, values: ParsedArguments['flags']): readonly string[] {
  return flags.flatMap(({ name, type, setting }) => {
    const text = values.get(name)
    if (text === undefined) return []
    if (setting !== undefined) return settingProblem(setting, text) ?? []
    return type === undefined || type.read(text) !== undefined ? [] : `--${name}: "${text}" is not ${type.expected}`
  })
}

function notTogether({ exclusive = [] }: CommandSpec, values: ParsedArguments['flags']): readonly string[] {
  return exclusive
    .map((names) => names.filter((name) => values.has(name)).map((name) => `--${name}`))
    .filter((given) => given.length > 1)
    .map((given) => `${given.join(' and ')} can't be combined: choose one.`)
}

function runOf(
  name: string,
  words: ParsedArguments['words'],
  flags: ParsedArguments['flags'],
  wrong: readonly string[] = [],
): Command {
  return { kind: 'run', name, given: { words, flags, problems: wrong } }
}

function helpOn(topic: string): Command {
  return topic === '' || isTopic(topic) ? runOf('help', [topic], new Map()) : unknown(topic)
}

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
  const without = near === '' ? names.filter((each) => each.endsWith(` ${name}`)) : []
  const meant = without.length === 0 ? near : ` Did you mean ${without.join(' or ')}?`
  return problems(`"${name}" is not a command.${meant}`)
}

function inGroup(group: string): readonly string[] {
  return COMMANDS.map((command) => command.name).filter((name) => name.startsWith(`${group} `))
}
