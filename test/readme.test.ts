import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { parseCommand } from '../src/cli/cli.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { APNS_MAGIC_TOKENS } from '../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { FCM_MAGIC_TOKENS } from '../src/gateway/simulator/fcm/fcm-answer.ts'
import { llmsText } from '../src/manual/llms.ts'
import { PAGES } from '../src/manual/pages.ts'
import { readConfig } from '../src/settings/parse.ts'
import { describeSettings, settingsTable } from '../src/settings/settings-text.ts'
import { commandLine } from './cli/command-line.ts'
import { SCENARIOS } from './faults/scenarios/scenarios.ts'
import {
  MARKDOWN_FILES,
  anchorsOf,
  codeIn,
  commandsIn,
  commandsInSentences,
  linksIn,
  markdown,
} from './manual/markdown-files.ts'
import { startService } from './support/service.ts'

const root = join(import.meta.dir, '..')
const readme = markdown('README.md')

/** A Markdown table without the padding that the formatter adds. */
function bare(table: string): string {
  return table.trim().replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
}

/** The rows of all tables in a text, below their heads. */
function rowsOf(text: string): readonly string[] {
  const lines = text.split('\n').map(bare)
  return lines.filter(
    (line, at) => line.startsWith('|') && !/^\| -|^\| :?-/.test(lines[at + 1] ?? '') && !/^\| :?-/.test(line),
  )
}

/** What is wrong with a command line; nothing is read, and nothing run. */
async function problemsOf(argv: readonly string[]): Promise<readonly string[]> {
  const command = parseCommand(argv)
  if (command.kind === 'problems') return command.problems
  if (command.kind !== 'run') return []
  if (command.given.problems.length > 0) return command.given.problems
  // Where there is no database they come no further than to their flags.
  if (/^app (?!create)/.test(command.name)) {
    using cli = commandLine()
    const { exitCode, stderr } = await cli.run([...argv, '--data', join(cli.data, 'none')])
    return exitCode === 2 ? [stderr] : []
  }
  if (command.name !== 'serve' && command.name !== 'config') return []
  const noFile = () => {
    throw new Error('nothing is read')
  }
  const settings = readConfig(command.given.flags, {}, noFile, command.given.problems)
  return settings.kind === 'problems' ? settings.problems : []
}

async function allProblemsOf(lines: readonly (readonly string[])[]) {
  const found: [line: string, problem: string][] = []
  for (const argv of lines) for (const problem of await problemsOf(argv)) found.push([argv.join(' '), problem])
  return found
}

describe('README and the manual say what is so', () => {
  test('the settings are those of the program', () => {
    const [table = ''] = /^\|.*?(?=\n\n)/ms.exec(markdown('src/manual/settings.md')) ?? []
    expect(bare(table)).toBe(bare(settingsTable()))
  })

  test('the table of what a token orders of the simulator has all of it, once', () => {
    const cells = rowsOf(markdown('src/manual/simulator.md')).flatMap(
      (line) => line.match(/`(?:bad\d{4}|[a-z]+:)`/g) ?? [],
    )
    const known = [
      ...APNS_MAGIC_TOKENS.map((code) => `\`bad${code}\``),
      ...FCM_MAGIC_TOKENS.map((word) => `\`${word}:\``),
    ]
    expect(cells.toSorted()).toEqual(known.toSorted())
  })

  test('the preview is what a service answers', async () => {
    await using service = await startService()
    await service.put('/deviceToken', { token: '3f'.repeat(32), platform: '0' })
    await service.put('/deviceToken', { token: 'registration-id', platform: '1' })
    const [, printed = ''] = /```json\n(.*?)```/s.exec(markdown('src/manual/preview.md')) ?? []
    const { apns, fcm } = JSON.parse(printed)
    const asked = { platform: ['0', '1'], msg: 'Hello', sound: 'default', badge: '+1' }
    const { body } = await service.post('/push/preview', asked)
    expect({ apns: [body.apns.body, body.apns.bytes], fcm: body.fcm }).toEqual({ apns: [apns.body, apns.bytes], fcm })
  })

  test('the API table is that of the running service', async () => {
    await using service = await startService()
    const { paths } = (await service.get('/openapi.json')).body
    const described = Object.entries<Record<string, any>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, security }]) => {
        const secret = 'secret' in security[0] ? 'yes' : ''
        return bare(`| ${method.toUpperCase()} | \`${path}\` | ${secret} | ${summary} |`)
      }),
    )
    const listed = rowsOf(markdown('src/manual/api.md')).filter((line) => /^\| (GET|PUT|POST|DELETE) /.test(line))
    expect(listed.toSorted()).toEqual(described.toSorted())
    expect(readme).toContain(`has its ${described.length}\nendpoints.`)
  })

  test('the figures of README are among those of the manual', () => {
    const known = rowsOf(markdown('src/manual/figures.md'))
    const told = rowsOf(readme.split('\n## Figures\n')[1] ?? '')
    expect(told.length).toBeGreaterThan(5)
    expect(told.filter((row) => !known.includes(row))).toEqual([])
  })

  test.each(MARKDOWN_FILES.map(({ path, text }) => [path, text]))(
    '%s has no command that is refused',
    async (_, text) => {
      const wrong = await allProblemsOf(commandsIn(text))
      expect(wrong).toEqual([])
      // In a sentence it may stand without what it needs, and with a stand-in for a number.
      const named = commandsInSentences(text).map((argv) => argv.map((word) => (word === 'N' ? '1' : word)))
      const misnamed = await allProblemsOf(named.filter((argv) => !argv.includes('COMMAND') && !argv.includes('…')))
      expect(misnamed.filter(([, problem]) => !/ needs [A-Z]+\. Usage: /.test(problem))).toEqual([])
    },
  )

  test('every command is in the manual', () => {
    const pages = PAGES.map(({ text }) => text).join('\n')
    const missing = COMMANDS.filter(({ name }) => !pages.includes(`bellhop ${name}`)).map(({ name }) => name)
    // What they do stands in help alone.
    expect(missing).toEqual(['manual', 'version'])
  })

  test('the alert rules and the faults are as many as it says', async () => {
    const alerts = await Bun.file(join(root, 'scripts/monitoring/alerts.yaml')).text()
    const rules = alerts.match(/^ *- alert: /gm) ?? []
    expect(markdown('src/manual/monitoring.md')).toContain(` ${rules.length} alert rules `)
    expect(markdown('test/proofs.md')).toContain(` names the ${SCENARIOS.length} faults,`)
  })

  test('there are commands to look at', () => {
    expect(MARKDOWN_FILES.flatMap(({ text }) => commandsIn(text)).length).toBeGreaterThan(50)
    expect(MARKDOWN_FILES.flatMap(({ text }) => commandsInSentences(text)).length).toBeGreaterThan(20)
  })

  test.each(MARKDOWN_FILES.map(({ path, text }) => [path, text]))('%s has no flag that nobody takes', (_, text) => {
    const known = new Set([
      ...describeSettings().map(({ flag }) => flag),
      ...COMMANDS.flatMap(({ flags }) => flags.map(({ name }) => `--${name}`)),
      ...['release.ts', 'install.sh'].flatMap((name) => flagsOfScript(name)),
    ])
    const flags = codeIn(text).flatMap((code) => /^--[a-z-]+(?=$|[ =])/.exec(code) ?? [])
    expect(flags.filter((flag) => !known.has(flag) && !OF_OTHERS.has(flag))).toEqual([])
  })
})

/** Those in its help. */
function flagsOfScript(name: string): readonly string[] {
  const text = readFileSync(join(root, 'scripts', name), 'utf8')
  return Array.from(text.matchAll(/^ {2}(--[a-z-]+) /gm), ([, flag = '']) => flag)
}

/** Flags of other programs: systemd-analyze, scripts/bench, docker, scripts/proof, bun run faults. */
const OF_OTHERS = new Set(['--offline', '--quick', '--build-arg', '--list', '--markdown', '--results'])

describe('README', () => {
  test('is read in ten minutes', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  })

  test('has pictures that are there, and small', () => {
    const pictures = Array.from(readme.matchAll(/ (?:src|srcset)="([^"]+)"/g), ([, path = '']) => join(root, path))
    expect(pictures).toHaveLength(2)
    for (const path of pictures) {
      const { size } = Bun.file(path)
      expect({ path, isSmall: size > 1000 && size < 120_000 }).toEqual({ path, isSmall: true })
    }
  })

  test('leads to every page of the manual, in the sections and the order of /llms.txt', () => {
    const sectionsOf = (text: string, section: RegExp) =>
      Array.from(text.matchAll(section), ([, name = '', links = '']) => [
        name,
        Array.from(links.matchAll(/manual\/([a-z-]+)\.md\)/g), ([, topic]) => topic),
      ])
    const listed = sectionsOf(llmsText(), /^## (\w+)\n\n(.*?)\n(?=\n|$)/gms)
    expect(sectionsOf(readme, /^- (\w+): (\[.*?)(?=\n- |\n\n)/gms)).toEqual(listed)
    expect(listed.flat(2)).toHaveLength(PAGES.length + listed.length)
  })
})

describe('every link leads somewhere', () => {
  test.each(MARKDOWN_FILES.map(({ path, text }) => [path, text]))('in %s', (path, text) => {
    const dead = linksIn(text).filter((link) => {
      if (/^https?:/.test(link)) return false
      const [, file = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? []
      const target = file === '' ? path : normalize(join(path, '..', file))
      if (!existsSync(join(root, target))) return true
      return anchor !== '' && !anchorsOf(markdown(target)).includes(anchor)
    })
    expect(dead).toEqual([])
  })

  test('there are links to look at', () => {
    expect(MARKDOWN_FILES.flatMap(({ text }) => linksIn(text)).length).toBeGreaterThan(60)
  })

  test('and those of a page to pages or to the internet, since a binary has no other files', () => {
    const strays = PAGES.flatMap(({ topic, text }) =>
      linksIn(text)
        .filter((link) => !/^(https:\/\/|[a-z-]+\.md(#|$)|#)/.test(link))
        .map((link) => `${topic}: ${link}`),
    )
    expect(strays).toEqual([])
  })
})
