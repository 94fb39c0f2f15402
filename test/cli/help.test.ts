import { describe, expect, test } from 'bun:test'
import { parseCommand } from '../../src/cli/cli.ts'
import { COMMANDS, COMMAND_GROUPS } from '../../src/cli/commands.ts'
import { helpText } from '../../src/cli/help.ts'
import { describeSettings } from '../../src/settings/settings-text.ts'

const WIDE = 1000

describe('help', () => {
  test('names every command with its summary', () => {
    const lines = helpText('', WIDE).split('\n')
    for (const { name, words, summary } of COMMANDS) {
      expect(lines.some((line) => line.startsWith(`  ${[name, ...words].join(' ')} `) && line.endsWith(summary))).toBe(
        true,
      )
    }
  })

  test('has a heading for each group of commands, and all descriptions in one column', () => {
    const lines = helpText('', WIDE).split('\n')
    for (const { heading, commands } of COMMAND_GROUPS) {
      const [first] = commands
      if (first === undefined) continue
      expect(lines[lines.indexOf(`${heading}:`) + 1]).toStartWith(`  ${[first.name, ...first.words].join(' ')} `)
    }
    const columns = COMMANDS.map(({ summary }) =>
      lines.find((line) => line.endsWith(`  ${summary}`))?.lastIndexOf(summary),
    )
    expect(new Set(columns).size).toBe(1)
  })

  test('of a command names the commands below it too', () => {
    for (const { name, words } of COMMANDS.filter((command) => command.name.includes(' '))) {
      const [first = ''] = name.split(' ')
      expect(helpText(first, WIDE)).toContain(`\n  ${[name, ...words].join(' ')}`)
    }
  })

  test('of config names every setting, as that of serve does, and its own flag', () => {
    const text = helpText('config', WIDE)
    for (const { flag, placeholder } of describeSettings()) expect(text).toContain(`  ${flag} ${placeholder} `)
    expect(text).toContain('  --json ')
  })

  test('of app names the commands of that group only', () => {
    const text = helpText('app', WIDE)
    expect(text).toStartWith('Usage: bellhop app COMMAND\n')
    expect(text).toContain('  app limits APP ')
    expect(text).not.toContain('  serve ')
  })

  test('of serve names every setting with its default', () => {
    const text = helpText('serve', WIDE)
    expect(text).toStartWith('Usage: bellhop serve [FLAGS]\n\nRun the service.\n')
    for (const { flag, placeholder } of describeSettings()) expect(text).toContain(`  ${flag} ${placeholder} `)
    expect(text).toContain('Port 0 picks a free one. (127.0.0.1:8790)\n')
    expect(text).toContain(' BELLHOP_KEY_FILE may name a file that contains it.\n')
  })

  for (const { name, words, flags, examples, load } of COMMANDS) {
    test(`of ${name} shows its usage, its flags and its example`, () => {
      const text = helpText(name, WIDE)
      expect(text).toStartWith(`Usage: bellhop ${[name, ...words].join(' ')}`)
      for (const flag of flags) expect(text).toContain(`  --${flag.name}`)
      expect(text).toEndWith(`:\n${examples.map((line) => `  ${line}\n`).join('')}`)
    })

    test(`of ${name} fits into its terminal, with every word whole`, () => {
      const words = helpText(name, WIDE).split(/\s+/)
      for (const columns of [40, 80, 132]) {
        const text = helpText(name, columns)
        for (const line of text.split('\n')) {
          // A word, a flag with its placeholder, or what a shell reads as a word.
          const isOne = /^ *(--\S+ )?(\S+|"[^"]*"|'[^']*')( \\)?$/.test(line)
          expect(isOne || line.length <= columns ? '' : line).toBe('')
        }
        expect(text.split(/\s+/).filter((word) => word !== '\\')).toEqual(words)
      }
    })

    test(`the examples of ${name} are command lines that are understood`, () => {
      for (const line of examples) {
        const argv = (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
        expect(argv[0]).toBe('bellhop')
        expect(parseCommand(argv.slice(1))).toMatchObject({ kind: 'run', name, given: { problems: [] } })
      }
    })

    test(`something runs ${name}`, async () => {
      expect((await load()).run).toBeFunction()
    })
  }
})
