import { describe, expect, test } from 'bun:test'
import { PAGES } from '../../../src/manual/pages.ts'
import { commandLine, refused } from '../command-line.ts'

const TERMINAL = { terminal: { columns: 90 } }

describe('bellhop manual', () => {
  test('lists every page with its sentence', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['manual'], {}, { terminal: { columns: 200 } })
    expect([exitCode, stderr]).toEqual([0, ''])
    const lines = Bun.stripANSI(stdout).split('\n')
    const told = lines.map((line) => /^ {2}([a-z-]+) +(.*)$/.exec(line)?.slice(1)).filter((row) => row !== undefined)
    expect(told.map(([topic]) => topic)).toEqual(PAGES.map(({ topic }) => topic))
    expect(told).toContainEqual(['tls', 'Serve HTTPS with your own certificate.'])
  })

  test('shows a page, without a database and without marks of Markdown', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['manual', 'server'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toStartWith('On a server with systemd\n\n  Run Bellhop as a confined')
    expect(stdout).toContain('\n    bellhop health --ready\n')
    expect(stdout).toContain('(bellhop manual sealing-key)')
    expect(stdout).not.toMatch(/^#|```|\]\(|\*\*/m)
    expect(stdout).toBe(Bun.stripANSI(stdout))
  })

  test('uses colours on a terminal, unless NO_COLOR is set', async () => {
    using cli = commandLine()
    const coloured = await cli.run(['manual', 'tls'], { TERM: 'xterm' }, TERMINAL)
    expect(coloured.stdout).toStartWith('\u001B[1mTLS without a proxy\u001B[0m\n')
    const plain = await cli.run(['manual', 'tls'], { TERM: 'xterm', NO_COLOR: '1' }, TERMINAL)
    expect(plain.stdout).toStartWith('TLS without a proxy\n')
    expect(plain.stdout).not.toContain('\u001B')
  })

  test.each([
    ['sevrer', 'Did you mean server?'],
    ['litestream', 'Found in backup, beyond, changelog.'],
    ['zeppelin', 'bellhop manual lists all pages.'],
  ])('%s is no page, and %s', async (topic, hint) => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['manual', topic])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toStartWith(`bellhop: "${topic}" is not a page in the manual. ${hint}`)
  })

  test('finds a word in pages and headings', async () => {
    using cli = commandLine()
    const { exitCode, stdout } = await cli.run(['manual', '--search', 'Litestream'], {}, TERMINAL)
    expect(exitCode).toBe(0)
    const lines = Bun.stripANSI(stdout).trimEnd().split('\n')
    expect(lines[0]).toMatch(/^backup +Every second: Litestream: /)
    expect(lines.map((line) => line.split(' ')[0])).toContain('beyond')
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(90)
  })

  test('says when no page has the word', async () => {
    using cli = commandLine()
    expect(await cli.run(['manual', '--search', 'zeppelin'])).toEqual(
      refused(1, 'No page of the manual has "zeppelin".'),
    )
  })

  test('takes a topic or a word', async () => {
    using cli = commandLine()
    const { exitCode, stderr } = await cli.run(['manual', 'server', '--search', 'unit'])
    expect([exitCode, stderr]).toEqual([2, 'bellhop: manual takes a TOPIC or --search WORD, not both.\n'])
  })
})
