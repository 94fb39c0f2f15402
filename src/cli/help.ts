import { describeSettings } from '../config.ts'
import { COMMANDS } from './commands.ts'
import type { CommandSpec } from './command.ts'

/** `topic`: a command; `app`: that group; `''`: everything. */
export function helpText(topic: string): string {
  const command = COMMANDS.find((each) => each.name === topic)
  return command === undefined ? overview(topic) : commandHelp(command)
}

function overview(group: string): string {
  const commands = COMMANDS.filter((command) => group === '' || command.name.startsWith(`${group} `))
  return [
    ...(group === '' ? ['Bellhop: self-hosted push notifications.', ''] : []),
    `Usage: bellhop ${group === '' ? 'COMMAND' : `${group} COMMAND`}`,
    '',
    ...table(commands.map((command) => [[command.name, ...command.words].join(' '), command.summary])),
    '',
    'APP is the id or the name of an application.',
    'bellhop help COMMAND shows the flags of a command and an example; bellhop --version, the version.',
    '',
  ].join('\n')
}

function commandHelp(command: CommandSpec): string {
  const flags = command.name === 'serve' ? settings() : ownFlags(command)
  const flagged = flags.length > 0 ? ['[FLAGS]'] : []
  return [
    `Usage: ${['bellhop', command.name, ...command.words, ...flagged].join(' ')}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    ...table(flags),
    ...(flags.length > 0 ? [''] : []),
    ...(command.name === 'serve' ? ['Each flag --some-name is also a variable BELLHOP_SOME_NAME.', ''] : []),
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n')
}

function ownFlags(command: CommandSpec): readonly Row[] {
  return command.flags.map(({ name, placeholder, doc }) => [
    placeholder === null ? `--${name}` : `--${name} ${placeholder}`,
    doc,
  ])
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

type Row = readonly [left: string, right: string]

/** Columns of the terminal in which the left side still shares a line with the right one. */
const LEFT_WIDTH = 34

function table(rows: readonly Row[]): readonly string[] {
  const width = Math.min(LEFT_WIDTH, Math.max(0, ...rows.map(([left]) => left.length)))
  return rows.flatMap(([left, right]) =>
    left.length > width ? [`  ${left}`, `  ${' '.repeat(width)}  ${right}`] : [`  ${left.padEnd(width)}  ${right}`],
  )
}
