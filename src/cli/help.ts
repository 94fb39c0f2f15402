import { describeSettings } from '../settings-text.ts'
import { COMMANDS, COMMAND_GROUPS } from './commands.ts'
import type { CommandSpec } from './command.ts'

/** `topic`: a command, with those whose names begin with it; `app`: that group; `''`: everything. */
export function helpText(topic: string): string {
  if (topic === '') return overview()
  const command = COMMANDS.find((each) => each.name === topic)
  return command === undefined ? groupHelp(topic) : commandHelp(command)
}

const MORE = [
  'APP is the id or the name of an application.',
  'bellhop help COMMAND shows the flags of a command and an example; bellhop --version, the version.',
  '',
]

function overview(): string {
  const groups = COMMAND_GROUPS.filter(({ commands }) => commands.length > 0)
  const width = leftWidth(groups.flatMap(({ commands }) => commands.map(usageRow)))
  return [
    'Bellhop: self-hosted push notifications.',
    '',
    'Usage: bellhop COMMAND',
    '',
    ...groups.flatMap(({ heading, commands }) => headed(heading, table(commands.map(usageRow), width))),
    ...MORE,
  ].join('\n')
}

function headed(heading: string, lines: readonly string[]): readonly string[] {
  return [`${heading}:`, ...lines, '']
}

function groupHelp(group: string): string {
  return [`Usage: bellhop ${group} COMMAND`, '', ...table(commandsOf(group).map(usageRow)), '', ...MORE].join('\n')
}

function commandHelp(command: CommandSpec): string {
  const flags = [...(command.settings ? settings() : []), ...command.flags.map(flagRow)]
  const flagged = flags.length > 0 ? ['[FLAGS]'] : []
  const more = commandsOf(command.name)
  return [
    `Usage: ${['bellhop', command.name, ...command.words, ...flagged].join(' ')}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    ...table(flags),
    ...(flags.length > 0 ? [''] : []),
    ...(command.settings ? ['Each flag --some-name is also a variable BELLHOP_SOME_NAME.', ''] : []),
    ...(more.length > 0 ? headed('There are also', table(more.map(usageRow))) : []),
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n')
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
    const file = envFile === null ? '' : ` ${envFile} may name a file that holds it.`
    return [
      `${flag} ${placeholder}`.trimEnd(),
      `${doc.replaceAll('`', '')}${file}${standard === null ? '' : ` (${standard})`}`,
    ]
  })
}

/** Columns of the terminal in which the left side still shares a line with the right one. */
const LEFT_WIDTH = 34

function leftWidth(rows: readonly Row[]): number {
  return Math.min(LEFT_WIDTH, Math.max(0, ...rows.map(([left]) => left.length)))
}

function table(rows: readonly Row[], width = leftWidth(rows)): readonly string[] {
  return rows.flatMap(([left, right]) =>
    left.length > width ? [`  ${left}`, `  ${' '.repeat(width)}  ${right}`] : [`  ${left.padEnd(width)}  ${right}`],
  )
}
