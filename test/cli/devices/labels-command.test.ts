import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { createAcceptanceStore } from '../../../src/delivery/store/acceptance-store.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { jsonLines, openShop, printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

interface Seeded {
  readonly token: string
  readonly platform?: 0 | 1
  readonly tag?: readonly string[]
  readonly active?: readonly string[]
  /** Default: the backend. */
  readonly network?: string
  readonly accepted?: true
}

/** With devices that registered one after the other. */
async function withDevices(...devices: readonly Seeded[]): Promise<CommandLine> {
  const cli = await withShop()
  using shop = openShop(cli)
  const application = shop.application.number
  const store = createDeviceStore(shop)
  const acceptance = createAcceptanceStore(shop)
  shop.database.transact(() => {
    for (const { token, platform = 1, tag = [], active = [], network, accepted } of devices) {
      const limits = { maxDevices: 0, maxLabels: 100_000, network: network ?? '', takeRows: () => 0 }
      const bounds = { hasRoom: () => true, limits: network === undefined ? null : limits }
      const outcome = store.register(application, { token, platform, tag, active }, {}, bounds)
      if (accepted && 'device' in outcome) {
        acceptance.accepted({ application, platform, credential: 1 }, [outcome.device.id])
      }
    }
  })
  return cli
}

const ATTACKER = '203.0.113.0/24'

const SHOP: readonly Seeded[] = [
  { token: 'a', tag: ['beta', 'user:1'], active: ['news'], network: '192.0.2.0/24', accepted: true },
  { token: 'b', tag: ['beta', 'user:2'], accepted: true },
  { token: 'c', tag: ['user:3'], network: '192.0.2.0/24' },
  ...[1, 2, 3].map((n) => ({ token: `fake-${n}`, tag: [`junk${n}a`, `junk${n}b`, 'beta'], network: ATTACKER })),
  // No push was accepted on iOS.
  { token: 'f1'.repeat(32), platform: 0, tag: ['ios'] },
]

async function tagsOf(cli: CommandLine): Promise<Record<string, unknown>> {
  const { stdout } = await cli.run(['devices', 'Shop', '--json'])
  return Object.fromEntries(jsonLines(stdout).map(({ token, tag }) => [token.slice(0, 6), tag]))
}

describe('labels', () => {
  test('shows by name and by network what the limit is used for', async () => {
    using cli = await withDevices(...SHOP)
    const { exitCode, stdout } = await cli.run(['labels', 'Shop'])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        'Shop: 12 tags and types, at most 100,000 from calls without the secret',
        '',
        'NAME    KIND  NAMES  DEVICES  NEWCOMERS  ONLY NEWCOMERS  FROM',
        'junk…   tag       6        6          6               6  203.0.113.0/24',
        'user:…  tag       3        3          1               1  192.0.2.0/24',
        'beta    tag       1        5          3               0  192.0.2.0/24',
        'news    type      1        1          0               0  192.0.2.0/24',
        'ios     tag       1        1          0               0',
        '',
        'NETWORK         NAMES, AT MOST 25,000',
        '203.0.113.0/24                      6',
        '192.0.2.0/24                        4',
        '',
        'Only new devices (no gateway has accepted a push for them yet) have 7 names: --clear-unproven removes them.',
        'Only devices of platforms on which no push was ever accepted have 1 name: with --platform P they count as new devices.',
        '',
      ].join('\n'),
    })
  })

  test('with --json says the same in one line', async () => {
    using cli = await withDevices(...SHOP)
    const { stdout } = await cli.run(['labels', 'Shop', '--json', '--limit', '1', '--platform', 'ios'])
    expect(JSON.parse(stdout)).toMatchObject({
      labels: 12,
      maxLabels: 100_000,
      maxOfNetwork: 25_000,
      groups: [{ name: 'junk…', kind: 'tag', names: 6, devices: 6, newcomers: 6, unproven: 6, network: ATTACKER }],
      networks: [{ network: ATTACKER, labels: 6 }],
      unproven: 8,
      undecided: 0,
      unused: 0,
    })
  })

  test('clears nothing without --yes, and says how many names and devices it would be', async () => {
    using cli = await withDevices(...SHOP)
    const before = await tagsOf(cli)
    expect(await cli.run(['labels', 'Shop', '--clear-unproven'])).toEqual(
      refused(1, '7 names would be taken off 7 devices: add --yes to do so.'),
    )
    expect(await tagsOf(cli)).toEqual(before)
  })

  test('--clear-unproven takes off what newcomers alone have, and their platform must have had a push', async () => {
    using cli = await withDevices(...SHOP)
    expect(await cli.run(['labels', 'Shop', '--clear-unproven', '--yes'])).toEqual(
      printed('7 names taken off 7 devices. The server frees the space within the hour.'),
    )
    expect(await tagsOf(cli)).toEqual({
      a: ['beta', 'user:1'],
      b: ['beta', 'user:2'],
      c: [],
      'fake-1': ['beta'],
      'fake-2': ['beta'],
      'fake-3': ['beta'],
      f1f1f1: ['ios'],
    })
    const again = await cli.run(['labels', 'Shop', '--clear-unproven', '--yes'])
    expect(again.stdout).toBe('No name belongs only to new devices.\n')
    const left = await cli.run(['labels', 'Shop'])
    expect(left.stdout).toContain('No device has 7 names any more: deleted within the hour.')
    const ofIos = await cli.run(['labels', 'Shop', '--clear-unproven', '--platform', 'ios', '--yes', '--json'])
    expect(JSON.parse(ofIos.stdout)).toMatchObject({ cleared: { names: 1, devices: 1 } })
  })

  test('a name that very many newcomers have is taken off all of them, and a signal ends it between two steps', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => ({ token: `fake-${n}`, tag: ['all', `own ${n}`] }))
    using cli = await withDevices({ token: 'real', accepted: true }, ...many)
    const signals = new EventEmitter()
    let looks = 0
    const now = () => {
      // During the first of several transactions.
      if (++looks === 5) signals.emit('SIGINT')
      return cli.clock.now()
    }
    const clear = ['labels', 'Shop', '--clear-unproven', '--yes']
    const stopped = await cli.run(clear, {}, { signals, clock: { ...cli.clock, now } })
    expect(stopped).toMatchObject({ exitCode: 1, stdout: '' })
    const [, count = '0'] =
      /^bellhop: Stopped after (\d+) names: run the command again to continue\.\n$/.exec(stopped.stderr) ?? []
    expect(Number(count)).toBeGreaterThan(0)
    const { stdout } = await cli.run([...clear, '--json'])
    expect(JSON.parse(stdout).cleared.names).toBeGreaterThanOrEqual(1201 - Number(count))
    using database = cli.database()
    expect(database.reading<object, []>('SELECT 1 FROM device_label').all()).toEqual([])
  })
})
