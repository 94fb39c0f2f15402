import { describeSettings } from '../settings/settings-text.ts'
import type { CommandSpec } from './command.ts'
import { COMMANDS, COMMAND_GROUPS } from './commands.ts'
import { joined, wrapped } from './terminal/table-text.ts'

/** `topic`: a command, the common first word of several, or `''` for all. Words longer than `columns` stay whole. */
export function helpText(topic: string, columns: number): string {
  if (topic === '') return overview(columns)
  const command = COMMANDS.find((each) => each.name === topic)
  return command === undefined ? groupHelp(topic, columns) : commandHelp(command, columns)
}

export function usageOf({ name, words, flags, settings }: CommandSpec): string {
  return ['bellhop', name, ...words, ...(flags.length > 0 || settings ? ['[FLAGS]'] : [])].join(' ')
}

const MORE = [
  'APP is the ID or name of an application.',
  'bellhop help COMMAND shows the flags of a command and an example; bellhop version, the version.',
  'Exit codes: 0 success, 1 failure, 2 usage error.',
]

function more(columns: number): readonly string[] {
  return [...MORE.flatMap((sentence) => wrapped(sentence, columns)), '']
}

function overview(columns: number): string {
  const groups = COMMAND_GROUPS.filter(({ commands }) => commands.length > 0)
  const left = leftWidth(groups.flatMap(({ commands }) => commands.map(usageRow)))
  return [
    'Bellhop: self-hosted push notifications.',
    '',
    'Usage: bellhop COMMAND',
    '',
    ...groups.flatMap(({ heading, commands }) => headed(heading, table(commands.map(usageRow), columns, left))),
    ...more(columns),
  ].join('\n')
}

function headed(heading: string, lines: readonly string[]): readonly string[] {
  return [`${heading}:`, ...lines, '']
}

function groupHelp(group: string, columns: number): string {
  const rows = commandsOf(group).map(usageRow)
  return [`Usage: bellhop ${group} COMMAND`, '', ...table(rows, columns), '', ...more(columns)].join('\n')
}

function commandHelp(command: CommandSpec, columns: number): string {
  const flags = [...(command.settings ? settings() : []), ...command.flags.map(flagRow)]
  const below = commandsOf(command.name)
  const paragraph = (text: string) => [...wrapped(text, columns), '']
  return [
    ...paragraph(`Usage: ${usageOf(command)}`),
    ...paragraph(`${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`),
    ...table(flags, columns),
    ...(flags.length > 0 ? [''] : []),
    ...(command.settings ? paragraph('Each flag --some-name is also a variable BELLHOP_SOME_NAME.') : []),
    ...(command.exitCodes === undefined ? [] : paragraph(command.exitCodes)),
    ...(below.length > 0 ? headed('There are also', table(below.map(usageRow), columns)) : []),
    command.examples.length > 1 ? 'Examples:' : 'Example:',
    ...command.examples.flatMap((line) => commandLines(line, columns)),
    '',
  ].join('\n')
}

function commandLines(line: string, columns: number): readonly string[] {
  // A flag stays with its value.
  const words = line.match(/(?:--\S+ (?!--))?(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  // Indent, and continuation mark.
  return joined(words, columns - 6).map((part, at, parts) => {
    const end = at === parts.length - 1 ? '' : ' \\'
    return `${at === 0 ? '  ' : '    '}${part}${end}`
  })
}

function commandsOf(group: string): readonly CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `))
}

type Row = readonly [left: string, right: string]

function usageRow({ name, words, summary }: CommandSpec): Row {
  return [[name, ...words].join(' '), summary]
}

function flagRow({ name, placeholder, doc }: CommandSpec['flags'][number]): Row {
  return [placeholder === null ? `--${name}` : `--${name} ${placeholder}`, doc]
}

function settings(): readonly Row[] {
  return describeSettings().map(({ flag, envFile, placeholder, default: standard, doc }) => {
    const file = envFile === null ? '' : ` ${envFile} may name a file that contains it.`
    return [
      `${flag} ${placeholder}`.trimEnd(),
      `${doc.replaceAll('`', '')}${file}${standard === null ? '' : ` (${standard})`}`,
    ]
  })
}

const LEFT_WIDTH = 34

/** With fewer columns, the description goes below. */
const MIN_RIGHT = 24

function leftWidth(rows: readonly Row[]): number {
  return Math.min(LEFT_WIDTH, Math.max(0, ...rows.map(([left]) => left.length)))
}

function table(rows: readonly Row[], columns: number, width = leftWidth(rows)): readonly string[] {
  const beside = columns - width - 4 >= MIN_RIGHT
  const indent = beside ? width + 4 : 6
  return rows.flatMap(([left, right]) => {
    const lines = wrapped(right, columns - indent).map((line) => `${' '.repeat(indent)}${line}`)
    if (!beside || left.length > width) return [`  ${left}`, ...lines]
    return [`  ${left.padEnd(width)}  ${lines[0]?.trimStart() ?? ''}`, ...lines.slice(1)]
  })
}
