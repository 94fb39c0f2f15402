import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import type { SimulatedAnswer, Script } from '../../../src/gateway/simulator/http2/reply.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller, Listed } from '../../support/caller.ts'
import { oldDatabase } from '../../support/old-database.ts'
import { commandLine, jsonLines, openShop, printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'
import { commandsBeside } from '../everyday-service.ts'

const beside = await commandsBeside()

const RESTORE = ['devices', 'restore', 'Shop']

interface Left {
  readonly token: string
  readonly state: 'gone' | 'quarantined'
  readonly reason: string
  readonly platform?: 0 | 1
  readonly alias?: string
}

/** With devices that registered at noon, and left an hour later, one a second. */
async function withLeft(...devices: readonly Left[]): Promise<CommandLine> {
  const cli = await withShop()
  using shop = openShop(cli)
  const { clock } = cli
  const store = createDeviceStore(shop)
  shop.database.transact(() => {
    const registered = devices.map(({ token, platform = 0, alias }) =>
      store.register(shop.application.number, {
        token,
        platform,
        tag: ['bread'],
        ...(alias !== undefined && { alias }),
      }),
    )
    clock.advance(60 * 60 * 1000)
    for (const [at, { device }] of registered.entries()) {
      const { state, reason } = devices[at] ?? { state: 'gone', reason: '' }
      clock.advance(1000)
      const verdict = { now: clock.now(), reason, since: clock.now() }
      if (state === 'gone') store.markGone(device.id, verdict)
      else store.quarantine(device.id, verdict)
    }
  })
  return cli
}

const THREE: readonly Left[] = [
  { token: 'c1'.repeat(32), state: 'quarantined', reason: 'BadDeviceToken', alias: 'anna' },
  { token: 'c2'.repeat(32), state: 'gone', reason: 'Unregistered', alias: 'berta' },
  { token: 'android:1', platform: 1, state: 'quarantined', reason: 'SENDER_ID_MISMATCH' },
]

async function registered(cli: CommandLine): Promise<Record<string, unknown>[]> {
  const { stdout } = await cli.run(['devices', 'Shop', '--json'])
  return jsonLines(stdout)
}

describe('devices restore', () => {
  test('shows with --dry-run who left for which reason, and changes nothing', async () => {
    using cli = await withLeft(...THREE)
    const { exitCode, stdout } = await cli.run([...RESTORE, '--since', '2h', '--dry-run'])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        'REASON              GONE  QUARANTINED',
        'BadDeviceToken         0            1',
        'SENDER_ID_MISMATCH     0            1',
        'Unregistered           1            0',
        '',
        '3 devices to restore.',
        'Nothing was changed: this was a dry run.',
        '',
      ].join('\n'),
    })
    expect(await registered(cli)).toEqual([])
  })

  test('wants --yes, and says how many it would be', async () => {
    using cli = await withLeft(...THREE)
    const ofIos = ['--since', '2026-11-20T14:00:01+01:00', '--platform', 'ios']
    expect(await cli.run([...RESTORE, ...ofIos])).toEqual(
      refused(
        1,
        '2 devices that left since 2026-11-20 13:00:01 UTC would rejoin their audiences: add --yes to restore them, or --dry-run to see why they left.',
      ),
    )
    expect(await registered(cli)).toEqual([])
  })

  test('brings them back with tags and alias, and again finds nobody', async () => {
    using cli = await withLeft(...THREE)
    expect(await cli.run([...RESTORE, '--since', '2h', '--yes'])).toEqual(
      printed('3 devices restored: 1 were unregistered, 2 quarantined.'),
    )
    expect(await registered(cli)).toMatchObject([
      { token: 'c1'.repeat(32), tag: ['bread'], alias: 'anna' },
      { token: 'c2'.repeat(32), tag: ['bread'], alias: 'berta' },
      { token: 'android:1', tag: ['bread'], alias: null },
    ])
    expect(await cli.run([...RESTORE, '--since', '2h', '--yes'])).toEqual(
      printed('Nothing to restore: no device left since 2026-11-20 11:00:03 UTC and is still away.'),
    )
  })

  test('brings back those of the reasons, the time and the platform that were asked for', async () => {
    for (const [flags, tokens] of [
      [['--reason', 'Unregistered'], ['c2']],
      [
        ['--reason', 'Unregistered', '--reason', 'BadDeviceToken'],
        ['c1', 'c2'],
      ],
      [['--until', '2026-11-20T13:00:01Z'], ['c1']],
      [['--platform', 'android'], ['an']],
    ] as const) {
      using cli = await withLeft(...THREE)
      const { exitCode } = await cli.run([...RESTORE, '--since', '2h', '--yes', ...flags])
      const found = (await registered(cli)).map(({ token }) => String(token).slice(0, 2))
      expect({ exitCode, found }).toEqual({ exitCode: 0, found: [...tokens] })
    }
  })

  test('names the reasons there are where nobody left for the one asked for', async () => {
    using cli = await withLeft(...THREE, { token: 'c3'.repeat(32), state: 'gone', reason: 'Unregistered' })
    expect(await cli.run([...RESTORE, '--since', '3d', '--reason', 'baddevicetoken', '--yes'])).toEqual(
      refused(
        1,
        '--reason: no device that left since 2026-11-17 13:00:04 UTC left for "baddevicetoken". The reasons there are: Unregistered 2, BadDeviceToken 1, SENDER_ID_MISMATCH 1.',
      ),
    )
    expect(await registered(cli)).toEqual([])
  })

  test('says who came without the alias, and who left before anything was kept', async () => {
    using cli = await withLeft(...THREE)
    {
      using database = cli.database()
      const store = createDeviceStore({ database, clock: cli.clock })
      store.register(1, { token: 'c9'.repeat(32), platform: 0, alias: 'anna' })
      // As by an older version.
      database.statement("DELETE FROM left_device WHERE alias = 'berta'").run()
    }
    const without = [
      '1 without their alias, which another device has now.',
      '1 without tags, types and alias: these are not kept for devices that left under an older version or were imported as unregistered.',
    ]
    const dry = await cli.run([...RESTORE, '--since', '2h', '--dry-run'])
    expect(dry.stdout).toContain(['3 devices to restore.', ...without, ''].join('\n'))
    const { stdout } = await cli.run([...RESTORE, '--since', '2h', '--yes'])
    expect(stdout).toBe(['3 devices restored: 1 were unregistered, 2 quarantined.', ...without, ''].join('\n'))
    expect(await registered(cli)).toMatchObject([{ alias: null }, { alias: null, tag: [] }, {}, { alias: 'anna' }])
  })

  test('says of a database of an older version what was not kept then', async () => {
    using cli = commandLine()
    const data = join(cli.data, 'old')
    oldDatabase(data, 10)
    const run = (...argv: string[]) => cli.run(argv, { BELLHOP_DATA: data }, { clock: systemClock })
    const { exitCode, stdout } = await run('devices', 'restore', 'app_old', '--since', '1h', '--yes')
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        '1 device restored: 1 were unregistered, 0 quarantined.',
        '1 without tags, types and alias: these are not kept for devices that left under an older version or were imported as unregistered.',
        '',
      ].join('\n'),
    })
    const listed = await run('devices', 'app_old', '--token', 'dddddddd', '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ state: 'registered', alias: null })
  })

  test('prints a line of JSON, of a dry run too', async () => {
    using cli = await withLeft(...THREE)
    const found = [
      { reason: 'BadDeviceToken', gone: 0, quarantined: 1 },
      { reason: 'Unregistered', gone: 1, quarantined: 0 },
    ]
    const run = async (...flags: string[]) =>
      JSON.parse((await cli.run([...RESTORE, '--since', '2h', '--platform', 'ios', '--json', ...flags])).stdout)
    const dry = {
      application: expect.any(String),
      since: '2026-11-20T11:00:03.000Z',
      until: null,
      dry_run: true,
      found,
      restored: { gone: 0, quarantined: 0, alias_taken: 0, nothing_kept: 0 },
    }
    expect(await run('--dry-run')).toEqual(dry)
    const restored = { gone: 1, quarantined: 1, alias_taken: 0, nothing_kept: 0 }
    expect(await run('--yes')).toEqual({ ...dry, dry_run: false, restored })
    expect(await run('--yes')).toEqual({ ...dry, dry_run: false, found: [] })
  })

  test('ends after a signal with what it has done, and goes on when it is called again', async () => {
    const [one] = THREE as [Left]
    const many = Array.from({ length: 250 }, (_, at) => ({ ...one, alias: `a${at}`, token: `token ${at}` }))
    using cli = await withLeft(...many)
    const signals = new EventEmitter()
    let looks = 0
    const now = () => {
      // During the first of several transactions.
      if (++looks === 5) signals.emit('SIGINT')
      return cli.clock.now()
    }
    const stopped = await cli.run([...RESTORE, '--since', '2h', '--yes'], {}, { signals, clock: { ...cli.clock, now } })
    expect(stopped.exitCode).toBe(1)
    const [, count = '0', since = ''] =
      /^bellhop: Stopped after (\d+) devices: the same command with --since (\S+) goes on\.\n$/.exec(stopped.stderr) ??
      []
    expect(Number(count)).toBeWithin(1, 250)
    const { stdout } = await cli.run([...RESTORE, '--since', since, '--yes'])
    expect(stdout).toBe(
      `${250 - Number(count)} devices restored: 0 were unregistered, ${250 - Number(count)} quarantined.\n`,
    )
  })

  test.each([
    [[], 'devices restore needs --since TIME: when the gateway began to refuse what it should not.'],
    [
      ['--since', 'yesterday'],
      '--since: "yesterday" is not a time such as 2026-11-22T01:30:00Z or an age such as 90m, 2h or 3d.',
    ],
    [['--since', '2026-11-21T00:00:00Z'], '--since: 2026-11-21T00:00:00Z is in the future.'],
    [['--since', '1h', '--until', '2h'], '--until is before --since.'],
    [['--since', '1h', '--yes', '--dry-run'], "--yes and --dry-run can't be combined: choose one."],
    [['--since', '1h', '--platform', 'tv'], '--platform: "tv" is not ios, android or web'],
  ])('refuses %j', async (flags, sentence) => {
    using cli = await withShop()
    expect(await cli.run([...RESTORE, ...flags])).toEqual(refused(2, sentence))
  })
})

describe('beside a server, what a gateway set aside in one bad hour', () => {
  const DEVICES = 100
  const TAKEN = DEVICES / 10
  const LEFT = DEVICES - TAKEN
  /** One has registered again, and one has signed off. */
  const RESTORED = LEFT - 2
  const refusal = (status: number, body: unknown): SimulatedAnswer => ({
    status,
    headers: {},
    body: JSON.stringify(body),
  })
  const MISMATCH = {
    error: {
      code: 403,
      message: 'SenderId mismatch',
      status: 'PERMISSION_DENIED',
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'SENDER_ID_MISMATCH' }],
    },
  }

  async function pushed(caller: Caller, to: object): Promise<{ t: number; s: number }> {
    const { body } = await caller.post('/push/all', { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '', ...to })
    for (;;) {
      const { body: push } = await caller.get(`/push/${body.id}`)
      if (push.state === 'finished') return { t: push.t, s: push.s }
      // The service waits a few seconds before it blames the devices, not the credential.
      beside.standStill(100)
      await Bun.sleep(5)
    }
  }

  test.each([
    ['0', 'BadDeviceToken', () => refusal(400, { reason: 'BadDeviceToken' })],
    ['0', 'Unregistered', () => refusal(410, { reason: 'Unregistered', timestamp: beside.clock.now() })],
    ['1', 'SENDER_ID_MISMATCH', () => refusal(403, MISMATCH)],
  ] as const)(
    'on platform %s as %s comes back as it was, but for who has registered or signed off since',
    async (platform, reason, answer) => {
      const caller = newCaller(beside.service)
      const token = (at: number) => (platform === '0' ? at.toString(16).padStart(64, '0') : `phone:${at}`)
      for (let from = 0; from < DEVICES; from += 50) {
        await Promise.all(
          Array.from({ length: 50 }, async (_, n) => {
            const at = from + n
            const own = { alias: `${caller.application.id} ${at}`, tag: ['bread', `row ${at % 7}`], active: ['news'] }
            const device = { token: token(at), platform }
            await caller.register({ ...device, lat: 50 + (at % 90) / 100, lng: 8, ...own, timezone: 'Europe/Berlin' })
            await caller.put('/badge', { ...device, setbadgecount: at % 5 })
          }),
        )
      }
      const before = new Map((await caller.devices()).map((one) => [one.token, one]))

      // This keeps the credential from blame.
      const simulator = await beside.service.server.simulator()
      const taken = new Set([...before.keys()].filter((_, at) => at % 10 === 0))
      const mistaken: Script = ({ gateway, token }) =>
        gateway === 'fcm-token' || taken.has(token) ? null : { kind: 'answer', answer: answer() }
      simulator.answerWith(mistaken)
      expect(await pushed(caller, {})).toEqual({ t: DEVICES, s: TAKEN })
      simulator.answerWith(null)
      expect(await pushed(caller, { tags: ['bread'] })).toEqual({ t: TAKEN, s: TAKEN })
      const left = (await caller.get('/feedback')).body as { token: string; reason: string }[]
      expect(left).toHaveLength(LEFT)
      expect(new Set(left.map((one) => one.reason))).toEqual(new Set([reason]))

      const [back, signedOff, robbed] = left.map((one) => before.get(one.token)) as [Listed, Listed, Listed]
      await caller.register({ token: back.token, platform, tag: ['cake'] })
      const itself = (await caller.devices()).find((one) => one.token === back.token)
      await caller.put('/deviceToken/del', { token: signedOff.token, platform })
      const thief = await caller.register({
        token: platform === '0' ? 'f'.repeat(64) : 'phone:x',
        platform,
        alias: robbed.alias,
      })
      expect(thief.alias).toBe(robbed.alias)

      const restore = ['devices', 'restore', caller.application.id, '--since', '1h', '--reason', reason, '--yes']
      const { exitCode, stdout } = await beside.run(restore)
      const words =
        reason === 'Unregistered'
          ? `${RESTORED} were unregistered, 0 quarantined`
          : `0 were unregistered, ${RESTORED} quarantined`
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: `${RESTORED} devices restored: ${words}.\n1 without their alias, which another device has now.\n`,
      })

      const plain = (one: Listed) => ({ ...one, updated_at: '' })
      const after = new Map((await caller.devices()).map((one) => [one.token, one]))
      const expected = new Map([...before.values(), thief].map((one) => [one.token, plain(one)]))
      expected.delete(signedOff.token)
      expected.set(robbed.token, { ...plain(robbed), alias: null })
      if (itself !== undefined) expected.set(back.token, plain(itself))
      expect(new Map([...after].map(([key, one]) => [key, plain(one)]))).toEqual(expected)
      expect(((await caller.get('/feedback')).body as { token: string }[]).map((one) => one.token).sort()).toEqual(
        [back.token, signedOff.token].sort(),
      )

      expect(await pushed(caller, { tags: ['bread'] })).toEqual({ t: DEVICES - 2, s: DEVICES - 2 })
      expect(await pushed(caller, { tags: ['row 3'], active: ['news'] })).toMatchObject({
        t: [...after.values()].filter((one) => one.tag.includes('row 3')).length,
      })
      // Refused again.
      simulator.answerWith(mistaken)
      expect(await pushed(caller, { tags: ['bread'] })).toEqual({ t: DEVICES - 2, s: TAKEN })
      simulator.answerWith(null)
      expect(await pushed(caller, { tags: ['bread'] })).toEqual({ t: TAKEN, s: TAKEN })
    },
  )
})
