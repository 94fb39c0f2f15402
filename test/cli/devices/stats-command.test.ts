import { describe, expect, test } from 'bun:test'
import { filterOf } from '../../../src/audience/filter-schema.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { commandLine, openShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'
import { storeDevices } from '../../support/stored-devices.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const UTF8 = { LANG: 'en_US.UTF-8' }

/** `[t, s, o]` of each day before today. */
async function seed(
  cli: CommandLine,
  name: string,
  days: readonly (readonly [number, number, number])[],
): Promise<void> {
  await cli.run(['app', 'create', name])
  using shop = openShop(cli, name)
  const { database } = shop
  const { number } = shop.application
  const today = Math.floor(cli.clock.now() / DAY_MS)
  const insert = database.statement<never, number[]>(
    'INSERT INTO tally (application, day, platform, t, s, o) VALUES (?, ?, ?, ?, ?, ?)',
  )
  days.forEach(([t, s, o], ago) => insert.run(number, today - ago, ago % 2, t, s, o))
  storeDevices(database, 4, (n) => ({
    application: number,
    platform: n < 2 ? 0 : 1,
    token: `token ${n}`,
    state: n < 3 ? 0 : 1,
  }))
  database
    .statement<never, [number, number]>(`INSERT INTO feedback VALUES (?, 1, 'd', 'UNREGISTERED', ?)`)
    .run(number, cli.clock.now() - DAY_MS)
}

/** Sent so many days ago; by language, `[accepted, received, opened]`. */
function sendInLanguages(
  cli: CommandLine,
  name: string,
  daysAgo: number,
  counts: Readonly<Record<string, readonly [number, number, number]>>,
): void {
  using shop = openShop(cli, name)
  const { database } = shop
  const push = createPushStore(shop).accept(shop.application.number, {
    id: Bun.randomUUIDv7(),
    notification: { msg: 'Hello', sound: null, badge: null, payload: null },
    audience: { filter: filterOf({ platform: [0, 1] }) },
    createdAt: cli.clock.now() - daysAgo * DAY_MS,
    timeToLiveMs: DAY_MS,
    sendAt: null,
    waves: [],
  })
  const accepted = database.statement<never, [number, number, string, number]>(
    'INSERT INTO delivery_language (push, platform, language, accepted) VALUES (?, ?, ?, ?)',
  )
  const report = database.statement<never, [number, number, string, number]>(
    'INSERT INTO push_receipt (push, event, language, count) VALUES (?, ?, ?, ?)',
  )
  for (const [language, [s, received, opened]] of Object.entries(counts)) {
    accepted.run(push, 0, language, s - 1)
    accepted.run(push, 1, language, 1)
    report.run(push, 0, language, opened)
    report.run(push, 1, language, received)
  }
}

describe('stats', () => {
  test('draws a bar for each day, accepted full and the rest shaded', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [
      [1250, 1234, 310],
      [0, 0, 0],
      [2000, 1000, 1],
      [1, 1, 0],
    ])
    const argv = ['stats', 'Shop', '--days', '4']
    const { exitCode, stdout } = await cli.run(argv, { ...UTF8, NO_COLOR: '1' }, { terminal: { columns: 80 } })
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        'Shop',
        '',
        'Day (UTC)   Addressed  Accepted  Opened',
        '2026-11-17          1         1       0   0.0 %  ▏',
        '2026-11-18      2,000     1,000       1   0.1 %  ███████████████░░░░░░░░░░░░░░░',
        '2026-11-19          0         0       0',
        '2026-11-20      1,250     1,234     310  25.1 %  ██████████████████▌',
        '',
        'In 4 days: 3,251 addressed · 2,235 accepted · 311 opened (13.9 %)',
        'Devices: 2 iOS · 1 Android · 1 gone in the last 30 days',
        '',
      ].join('\n'),
    })
  })

  test('draws with ASCII where the terminal has nothing else, and nothing into a pipe', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [
      [100, 50, 0],
      [10, 10, 5],
    ])
    const argv = ['stats', 'Shop', '--days', '2']
    const drawn = await cli.run(argv, { LANG: 'C', NO_COLOR: '1' }, { terminal: { columns: 70 } })
    expect(drawn.stdout.split('\n').slice(3, 5)).toEqual([
      '2026-11-19         10        10       5  50.0 %  ##',
      '2026-11-20        100        50       0   0.0 %  ##########..........',
    ])
    expect(drawn.stdout).toMatch(/^[\n -~]*$/)
    const piped = await cli.run(argv, UTF8)
    expect(piped.stdout).not.toMatch(/[█░#]|[^\P{Cc}\n]/u)
    const narrow = await cli.run(argv, { ...UTF8, NO_COLOR: '1' }, { terminal: { columns: 50 } })
    expect(narrow.stdout).toBe(piped.stdout)
  })

  test('without an application sums all, and has a line for each', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [[10, 8, 4]])
    await seed(cli, 'Bakery', [[1000, 1000, 250]])
    const { stdout } = await cli.run(['stats', '--days', '1'])
    expect(stdout).toBe(
      [
        'Day (UTC)   Addressed  Accepted  Opened',
        '2026-11-20      1,010     1,008     254  25.2 %',
        '',
        'Application  Addressed  Accepted  Opened          Devices  Gone in 30 days',
        'Shop                10         8       4  50.0 %        3                1',
        'Bakery           1,000     1,000     250  25.0 %        3                1',
        '',
      ].join('\n'),
    )
  })

  test('has what was received where an app reports it', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [
      [10, 8, 4],
      [0, 0, 0],
    ])
    using database = cli.database()
    database.statement<never, []>('UPDATE tally SET received = 6 WHERE s = 8').run()
    expect((await cli.run(['stats', '--days', '2'])).stdout).toBe(
      [
        'Shop',
        '',
        'Day (UTC)   Addressed  Accepted  Received          Opened',
        '2026-11-19          0         0         0               0',
        '2026-11-20         10         8         6  75.0 %       4  50.0 %',
        '',
        'In 2 days: 10 addressed · 8 accepted · 6 received (75.0 %) · 4 opened (50.0 %)',
        'Devices: 2 iOS · 1 Android · 1 gone in the last 30 days',
        '',
      ].join('\n'),
    )
    await seed(cli, 'Bakery', [[1000, 1000, 250]])
    expect((await cli.run(['stats', '--days', '1'])).stdout.split('\n').slice(3, 6)).toEqual([
      'Application  Addressed  Accepted  Received          Opened          Devices  Gone in 30 days',
      'Shop                10         8         6  75.0 %       4  50.0 %        3                1',
      'Bakery           1,000     1,000         0   0.0 %     250  25.0 %        3                1',
    ])
  })

  test('has the languages of pushes that went out in these days, with what was reported of them', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [[100, 90, 9]])
    await seed(cli, 'Bakery', [[1, 1, 0]])
    sendInLanguages(cli, 'Shop', 0, { de: [40, 30, 4], '*': [10, 5, 0] })
    sendInLanguages(cli, 'Shop', 1, { de: [20, 15, 2], 'pt-BR': [1200, 0, 3] })
    sendInLanguages(cli, 'Shop', 2, { fr: [7, 7, 7] })
    sendInLanguages(cli, 'Bakery', 0, { it: [8, 0, 0] })
    expect((await cli.run(['stats', 'Shop', '--days', '2'])).stdout.split('\n').slice(5)).toEqual([
      '',
      'Pushes sent in several languages in 2 days:',
      'Language  Accepted  Received          Opened',
      'pt-BR        1,200         0   0.0 %       3   0.3 %',
      'de              60        45  75.0 %       6  10.0 %',
      'own text        10         5  50.0 %       0   0.0 %',
      '',
      'In 2 days: 100 addressed · 90 accepted · 9 opened (10.0 %)',
      'Devices: 2 iOS · 1 Android · 1 gone in the last 30 days',
      '',
    ])
    const { stdout } = await cli.run(['stats', 'Shop', '--days', '2', '--json'])
    expect(JSON.parse(stdout).languages).toEqual([
      { date: '2026-11-19', language: 'pt-BR', s: 1200, o: 3, received: 0 },
      { date: '2026-11-19', language: 'de', s: 20, o: 2, received: 15 },
      { date: '2026-11-20', language: 'de', s: 40, o: 4, received: 30 },
      { date: '2026-11-20', language: null, s: 10, o: 0, received: 5 },
    ])
    expect(JSON.parse(stdout).language_unknown).toEqual([])
    // No column for events that no app reports.
    expect((await cli.run(['stats', 'Bakery', '--days', '1'])).stdout).toContain(
      '\nLanguage  Accepted  Opened\nit               8       0  0.0 %\n',
    )
  })

  test('adds reports up to those of these pushes, whatever language they count for', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [[40, 40, 6]])
    sendInLanguages(cli, 'Shop', 0, { de: [40, 0, 1] })
    using shop = openShop(cli, 'Shop')
    const report = shop.database.statement<never, [string, number]>(
      'INSERT INTO push_receipt (push, event, language, count) VALUES (1, 0, ?, ?)',
    )
    report.run('', 2)
    report.run('fr', 3)
    expect((await cli.run(['stats', 'Shop', '--days', '1'])).stdout.split('\n').slice(4, 10)).toEqual([
      '',
      'Pushes sent in several languages in 1 day:',
      'Language  Accepted  Opened',
      'de              40       1  2.5 %',
      'fr               0       3',
      'unknown          0       2',
    ])
    const { stdout } = await cli.run(['stats', 'Shop', '--days', '1', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      o: 6,
      languages: [
        { date: '2026-11-20', language: 'de', s: 40, o: 1 },
        { date: '2026-11-20', language: 'fr', s: 0, o: 3 },
      ],
      language_unknown: [{ date: '2026-11-20', s: 0, o: 2, received: 0 }],
    })
  })

  test('counts reports of a push by local time, which name the whole, beside what its waves sent', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [[40, 40, 1]])
    sendInLanguages(cli, 'Shop', 0, { de: [40, 0, 0] })
    using shop = openShop(cli, 'Shop')
    sendInLanguages(cli, 'Shop', 0, {})
    shop.database.statement<never, []>('UPDATE push SET parent = 2 WHERE number = 1').run()
    shop.database
      .statement<never, []>("INSERT INTO push_receipt (push, event, language, count) VALUES (2, 0, 'de', 7)")
      .run()
    const { stdout } = await cli.run(['stats', 'Shop', '--days', '1', '--json'])
    expect(JSON.parse(stdout).languages).toEqual([{ date: '2026-11-20', language: 'de', s: 40, o: 7, received: 0 }])
  })

  test('--json prints a line for each application, with plain numbers', async () => {
    using cli = commandLine()
    await seed(cli, 'Shop', [[1250, 1234, 310]])
    const { stdout } = await cli.run(['stats', '--days', '2', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      id: expect.stringMatching(/^app_/),
      name: 'Shop',
      t: 1250,
      s: 1234,
      o: 310,
      received: 0,
      days: [
        { date: '2026-11-19', t: 0, s: 0, o: 0, received: 0 },
        { date: '2026-11-20', t: 1250, s: 1234, o: 310, received: 0 },
      ],
      languages: [],
      language_unknown: [],
      devices: { 0: 2, 1: 1 },
      gone_30_days: 1,
    })
  })

  test('takes 1 to 366 days', async () => {
    using cli = commandLine()
    for (const days of ['0', '367', 'x', '-1']) {
      const { exitCode, stderr } = await cli.run(['stats', '--days', days])
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: `bellhop: --days: "${days}" is not a whole number from 1 to 366\n`,
      })
    }
  })
})
