import { describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { commandLine, jsonLines, openShop, printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const HOUR_MS = 60 * 60 * 1000

/** Control characters but line ends, and the change of direction. */
const HARMFUL = /[^\P{Cc}\n]|\u202E/u

interface Seed {
  readonly token: string
  readonly platform?: 0 | 1
  readonly alias?: string
  readonly user?: string
  readonly tags?: readonly string[]
  readonly left?: 'gone' | 'quarantined'
}

/** With devices that registered an hour after each other, the last one now. */
async function withDevices(...devices: readonly Seed[]): Promise<CommandLine> {
  const cli = await withShop()
  using shop = openShop(cli)
  const { clock } = cli
  const { number } = shop.application
  const store = createDeviceStore(shop)
  shop.database.transact(() => {
    for (const [at, { token, platform = 0, alias, user, tags, left }] of devices.entries()) {
      if (at > 0) clock.advance(HOUR_MS)
      store.register(number, {
        token,
        platform,
        ...(alias && { alias }),
        ...(user && { user }),
        ...(tags && { tag: tags }),
      })
      const device = store.idOf(number, platform, token) ?? 0
      const verdict = { now: clock.now(), reason: 'Unregistered', since: clock.now() }
      if (left === 'gone') store.markGone(device, verdict)
      if (left === 'quarantined') store.quarantine(device, verdict)
    }
  })
  return cli
}

const THREE: readonly Seed[] = [
  { token: 'c1'.repeat(32), alias: 'user-17', tags: ['beta', 'bread'] },
  { token: 'android:17', platform: 1, tags: ['bread'], user: 'ann' },
  { token: 'c3'.repeat(32), left: 'gone', user: 'ann' },
  { token: 'c4'.repeat(32), left: 'quarantined' },
  { token: 'c5'.repeat(32) },
]

describe('devices', () => {
  test('is a table of the registered ones, with what there is in all below', async () => {
    using cli = await withDevices(...THREE)
    const { exitCode, stdout } = await cli.run(['devices', 'Shop'])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        'TOKEN      PLATFORM  ALIAS    TAGS         BADGE  LAST SEEN    STATE',
        'c1c1c1c1…  iOS       user-17  beta, bread      0  4 hours ago  registered',
        'android:…  Android            bread            0  3 hours ago  registered',
        'c5c5c5c5…  iOS                                 0  just now     registered',
        '',
        '3 shown. Registered: 3 (2 iOS, 1 Android); unregistered or quarantined: 2.',
        '',
      ].join('\n'),
    })
  })

  test('an imported one that was not known to have been seen never was', async () => {
    using cli = await withShop()
    const row = JSON.stringify({ token: 'd1'.repeat(32), platform: 'ios' })
    await cli.run(['import', 'Shop', cli.file('devices.jsonl', `${row}\n`)])
    expect((await cli.run(['devices', 'Shop'])).stdout).toContain('  never      registered\n')
    expect(JSON.parse((await cli.run(['devices', 'Shop', '--json'])).stdout)).toMatchObject({ seen_at: null })
  })

  test('goes on behind a device, by what it says itself', async () => {
    using cli = await withDevices(...THREE)
    const first = await cli.run(['devices', 'Shop', '--limit', '2'])
    expect(first.stdout).toEndWith('Next page: --after android:17\n')
    const { stdout } = await cli.run(['devices', 'Shop', '--limit', '2', '--after', 'android:17'])
    expect(stdout.split('\n')[1]).toStartWith('c5c5c5c5…')
    expect(stdout).not.toContain('More of them')
  })

  test('finds by tag, alias, platform and state, and by the beginning of a token in whichever state', async () => {
    using cli = await withDevices(...THREE)
    const tokens = async (...argv: string[]) => {
      const { stdout } = await cli.run(['devices', 'Shop', '--json', ...argv])
      return jsonLines(stdout).map(({ token }) => token.slice(0, 4))
    }
    expect(await tokens('--tag', 'bread')).toEqual(['c1c1', 'andr'])
    expect(await tokens('--tag', 'beta', '--tag', 'nosuch')).toEqual(['c1c1'])
    expect(await tokens('--tag', 'bread', '--platform', 'Android')).toEqual(['andr'])
    expect(await tokens('--alias', 'user-17')).toEqual(['c1c1'])
    expect(await tokens('--user', 'ann')).toEqual(['andr', 'c3c3'])
    expect(await tokens('--user', 'ann', '--state', 'registered')).toEqual(['andr'])
    expect(await tokens('--state', 'gone')).toEqual(['c3c3'])
    expect(await tokens('--state', 'quarantined')).toEqual(['c4c4'])
    expect(await tokens('--token', 'c3c3c3c3')).toEqual(['c3c3'])
    expect(await tokens('--token', 'c3c3c3c3c…')).toEqual(['c3c3'])
    expect(await tokens('--token', 'android:...')).toEqual(['andr'])
    expect(await tokens('--token', 'c3c3c3c4')).toEqual([])
    for (const flag of ['--token', '--after']) {
      expect(await cli.run(['devices', 'Shop', flag, 'c3c3'])).toEqual(
        refused(2, `${flag}: no token is "c3c3", and a prefix needs at least 8 characters.`),
      )
    }
  })

  test('--json prints records as the API has them, and the state', async () => {
    using cli = await withDevices(...THREE)
    const { stdout } = await cli.run(['devices', 'Shop', '--alias', 'user-17', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      token: 'c1'.repeat(32),
      platform: '0',
      lat: null,
      lng: null,
      active: [],
      tag: ['beta', 'bread'],
      alias: 'user-17',
      badge: 0,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
      state: 'registered',
      seen_at: '2026-11-20T12:00:00.000Z',
    })
  })

  test('lets nothing of a device reach the terminal that could move it', async () => {
    using cli = await withDevices({ token: 'c1'.repeat(32), alias: 'x' })
    using database = cli.database()
    // The API would refuse it.
    const evil = 'a\u001B]0;owned\u0007\u009B2J\u202Eb\r\nc'
    database.statement<never, [string]>('UPDATE device SET alias = ?').run(evil)
    database
      .statement<never, [string]>(
        'INSERT INTO label (id, application, kind, name) SELECT 7, number, 0, ? FROM application',
      )
      .run(evil)
    database.statement<never, []>('INSERT INTO device_label (label, device) SELECT 7, id FROM device').run()
    const { stdout } = await cli.run(['devices', 'Shop'], {}, { terminal: null })
    expect(stdout).not.toMatch(HARMFUL)
    expect(stdout).toContain(String.raw`a\x1b]0;owned\x07\x9b2J`)
    const json = (await cli.run(['devices', 'Shop', '--json'])).stdout
    expect(json).not.toMatch(HARMFUL)
    expect(JSON.parse(json)).toMatchObject({ alias: evil, tag: [evil] })
  })

  test('counts columns as they look', async () => {
    using cli = await withDevices(
      { token: 'c1'.repeat(32), alias: '面包店' },
      { token: 'c2'.repeat(32), alias: '👩‍🍳' },
      { token: 'c3'.repeat(32), alias: 'x'.repeat(40) },
    )
    const { stdout } = await cli.run(['devices', 'Shop'])
    const [title = '', ...lines] = stdout.split('\n').slice(0, 4)
    const column = Bun.stringWidth(title.slice(0, title.indexOf('BADGE')))
    for (const line of lines) expect(Bun.stringWidth(line.slice(0, line.search(/ {4}0 {2}/)))).toBe(column)
    expect(stdout).toContain(`${'x'.repeat(23)}…`)
  })

  test('says what was not asked for rightly, all at once', async () => {
    using cli = commandLine()
    const argv = ['devices', 'Shop', '--limit', '0', '--state', 'lost', '--tag', 'a', '--alias', 'b', '--platform', 'x']
    expect(await cli.run(argv)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'bellhop: --platform: "x" is not ios, android or web',
        'bellhop: --state: "lost" is not one of registered, gone, quarantined',
        'bellhop: --limit: "0" is not a whole number from 1 to 10000',
        "bellhop: --tag and --alias can't be combined: choose one.",
        '',
      ].join('\n'),
    })
  })
})

describe('user', () => {
  test('show has the devices of a user in every state, with all of their tokens', async () => {
    using cli = await withDevices(...THREE)
    const { stdout } = await cli.run(['user', 'show', 'Shop', 'ann'])
    expect(stdout).toContain('android:17')
    expect(stdout).toContain('c3'.repeat(32))
    expect(stdout).not.toContain('c1c1')
    expect(jsonLines((await cli.run(['user', 'show', 'Shop', 'ann', '--json'])).stdout)).toMatchObject([
      { token: 'android:17', user: 'ann', state: 'registered' },
      { token: 'c3'.repeat(32), user: 'ann', state: 'gone' },
    ])
    expect(await cli.run(['user', 'show', 'Shop', 'Ann'])).toEqual(
      refused(1, 'No device of this application has this user.'),
    )
  })

  test('erase erases them, when that is meant', async () => {
    using cli = await withDevices(...THREE)
    expect(await cli.run(['user', 'erase', 'Shop', 'ann'])).toEqual(
      refused(2, "user erase deletes the user's devices and everything stored about them; add --yes to confirm."),
    )
    const answer = await cli.run(['user', 'erase', 'Shop', 'ann', '--yes'])
    expect(answer).toEqual(printed('Deleted the user and 2 devices.'))
    expect((await cli.run(['user', 'erase', 'Shop', 'ann', '--yes', '--json'])).stdout).toBe(
      '{"user":"ann","devices":0}\n',
    )
    expect((await cli.run(['user', 'show', 'Shop', 'ann'])).exitCode).toBe(1)
  })
})
