import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { startOutsideGateways } from '../../support/outside-gateways.ts'
import { startService } from '../../support/service.ts'
import { storeDevices } from '../../support/stored-devices.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { commandLine, openShop, refused, withShop } from '../command-line.ts'
import { commandsBeside, HASTY } from '../everyday-service.ts'

const IOS = 'c1'.repeat(32)
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/

const beside = await commandsBeside()

/** A token for which the simulator answers 410. */
const GONE = 'bad41000'.padEnd(64, '0')

describe('push beside a running server', () => {
  test('goes out, and says how many got it and why others did not', async () => {
    const caller = beside.newCaller()
    for (const token of [IOS, 'c2'.repeat(32), GONE]) await caller.register({ token, platform: '0', tag: 'bread' })
    await caller.register({ token: 'android:1', platform: '1' })
    const argv = ['push', caller.application.id, 'Fresh bread', '--tag', 'bread']
    const { exitCode, stdout, stderr } = await beside.run(argv)
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^sent 2 of 3 · 1 failed \(Unregistered 1\) · \d+\.\d s\n$/),
    })
    expect(stderr).toMatch(new RegExp(`^push ${UUID.source}\n$`))
    const { body } = await caller.get(`/push/${UUID.exec(stderr)?.[0]}`)
    expect(body).toMatchObject({ state: 'finished', t: 3, s: 2, failed: { total: 1 } })
  })

  test('has its text in several languages, from the command line or from a file', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0', locale: 'de-CH' })
    await caller.register({ token: 'android:1', platform: '1', locale: 'fr' })
    using directory = temporaryDirectory('bellhop-languages')
    const file = `${directory.path}/languages.json`
    const text = '{"de": {"msg": "Hallo"}, "pt_br": {"title": "Pão"}}'
    await Bun.write(file, text)
    for (const languages of [text, file]) {
      const argv = ['push', caller.application.id, 'Hello', '--all', '--dry-run', '--languages', languages]
      const { exitCode, stdout } = await beside.run(argv)
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: expect.stringMatching(
          /\n {2}LANGUAGE +DEVICES +APNS BYTES +FCM BYTES\n {2}the own text +1 +\d+ +\d+\n {2}de +1 +\d+ +\d+\n {2}pt-BR +0 +\d+ +\d+\n/,
        ) as string,
      })
    }
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    }
    await caller.put('/deviceToken', { token: 'https://fcm.googleapis.com/fcm/send/1', platform: '2', keys })
    const argv = ['push', caller.application.id, 'Hello', '--all', '--dry-run', '--languages', file]
    expect((await beside.run(argv)).stdout).toMatch(
      /\n {2}LANGUAGE +DEVICES +APNS BYTES +FCM BYTES +WEB BYTES\n {2}the own text +2 +\d+ +\d+ +\d+\n/,
    )
    for (const [languages, problem] of [
      ['{"de": {"msg": 1}}', '--languages.de.msg must be a string, not 1.'],
      ['{"de"', `--languages is not a JSON object, such as '{"de": {"msg": "Hallo"}}'.`],
      ['/nowhere/languages.json', '--languages: cannot be read: there is no such file.'],
    ] as const) {
      const wrong = ['push', caller.application.id, 'x', '--all', '--languages', languages]
      expect(await beside.run(wrong)).toMatchObject({ exitCode: 2, stderr: `bellhop: ${problem}\n` })
    }
  })

  test('draws a bar on a terminal, and takes it away for the result', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const over = { terminal: { columns: 80 } }
    const { stdout, stderr } = await beside.run(['push', caller.application.id, 'Hello', '--all'], over)
    expect(stderr).toEndWith('\r\u001B[K')
    // No locale says UTF-8.
    expect(stdout).toStartWith('\u001B[32msent 1 of 1\u001B[0m - ')
  })

  test('--json prints one line, also of what failed; and the exit code is 1 where nobody got it', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: GONE, platform: '0' })
    const argv = ['push', caller.application.id, 'Hello', '--token', GONE, '--json']
    const { exitCode, stdout } = await beside.run(argv)
    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
      exitCode: 1,
      id: expect.stringMatching(UUID),
      state: 'finished',
      t: 1,
      s: 0,
      failed: 1,
      reasons: { Unregistered: 1 },
      reason: null,
    })
    expect(await beside.run(argv)).toEqual(
      refused(1, 'The device is gone: its gateway refused the token, and the app must register it again.'),
    )
  })

  test('to nobody is done at once', async () => {
    const caller = beside.newCaller()
    const { exitCode, stdout } = await beside.run(['push', caller.application.id, 'Hello', '--tag', 'nosuch'])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^sent 0 of 0 · nobody matches · /),
    })
  })

  test.each([
    ['apns', 'sent 1 of 1 · '],
    [null, 'sent 0 of 0 · nobody matches · '],
  ] as const)(
    'to both platforms ends where there is a device, or a credential, of one at the most: %p',
    async (of, said) => {
      await using outside = await startOutsideGateways(HASTY)
      await using service = await startService({ clock: HASTY, simulated: false, config: outside.config })
      using cli = commandLine()
      if (of !== null) {
        service.equip(service.application, outside.simulator, [of])
        expect((await service.put('/deviceToken', { token: IOS, platform: '0' })).status).toBe(201)
      }
      const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
      const { exitCode, stdout, stderr } = await cli.run(['push', 'test', 'Hello', '--all'], env, { clock: HASTY })
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 0,
        stdout: expect.stringMatching(new RegExp(`^${said}\\d+\\.\\d s\n$`)),
        stderr: expect.stringMatching(new RegExp(`^push ${UUID.source}\n$`)),
      })
    },
  )

  test('shows the same notification as the API does, with the sound that is usual', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0', alias: 'user-17' })
    const simulator = await beside.service.server.simulator()
    const seen = simulator.arrivals().length
    const more = ['--title', 'Oven', '--badge', '+2', '--link', 'shop:bread', '--payload', '{"article":17}']
    const extra = ['--fields', '{"thread":"oven"}', '--collapse', 'bread', '--ttl', '60', '--relevance-score', '0.5']
    const sent = await beside.run(['push', caller.application.id, 'Hello', '--alias', 'user-17', ...more, ...extra])
    const [arrival] = simulator.arrivals().slice(seen)
    expect(arrival?.body).toEqual({
      aps: {
        alert: { title: 'Oven', body: 'Hello' },
        sound: 'default',
        badge: 2,
        'thread-id': 'oven',
        'relevance-score': 0.5,
      },
      link: 'shop:bread',
      article: 17,
      bellhop: { push: /^push (.{36})$/m.exec(sent.stderr)?.[1] },
    })
    expect(arrival?.headers).toMatchObject({ 'apns-collapse-id': 'bread' })
  })

  test('Ctrl-C ends the watching, and the push goes on', async () => {
    // A push without a credential waits, and the command says so after a second.
    const application = beside.service.addApplication('waits', {}, false)
    await beside.service.put('/deviceToken', { token: IOS, platform: '0' }, { application })
    const signals = new EventEmitter()
    let said = ''
    let hasStopped = false
    const stderr = (text: string) => {
      said += text
      if (said.endsWith(' 0 of 1 devices')) beside.standStill(1000)
      if (hasStopped || !/ 0 of 1 devices, .*waits: there is no credential for APNs$/.test(text)) return
      // Once: a second Ctrl-C ends the command, and a busy server may repeat the line before it gets the first.
      hasStopped = true
      signals.emit('SIGINT')
    }
    const over = { signals, stderr, terminal: { columns: 80 } }
    const { exitCode, stdout } = await beside.run(['push', 'waits', 'Hello', '--all', '--platform', 'ios'], over)
    const id = UUID.exec(said)?.[0] ?? ''
    expect({ exitCode, said: said.split('\u001B[K').at(-1) }).toEqual({
      exitCode: 0,
      said: `The push continues; cancel it with bellhop cancel ${id}.\nIt waits: there is no credential for APNs.\n`,
    })
    expect(stdout).toContain('sent 0 of 1')
    expect(signals.listenerCount('SIGINT')).toBe(0)

    expect(await beside.run(['cancel', id])).toMatchObject({
      exitCode: 0,
      stdout: 'Cancelled. 0 devices got it. Notifications in flight still count.\n',
    })
    const status = async () => (await beside.service.get(`/push/${id}`, { application })).body
    while ((await status()).finished_at === null) await Bun.sleep(5)
    expect(await status()).toMatchObject({ state: 'cancelled', waiting: 0 })
    expect(await beside.run(['cancel', id, '--json'])).toMatchObject({ exitCode: 0 })
  })

  test('later is announced, and can be cancelled', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const argv = ['push', caller.application.id, 'Hello', '--all', '--send-at', '3600']
    const { exitCode, stdout, stderr } = await beside.run(argv)
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^scheduled for \d{4}-.* UTC\n$/),
    })
    const id = UUID.exec(stderr)?.[0] ?? ''
    expect(stderr).toBe(`push ${id}\nUntil then, cancel it with bellhop cancel ${id}.\n`)
    expect((await beside.run(['cancel', id.toUpperCase()])).stdout).toBe('Cancelled. Nobody got it.\n')
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ state: 'cancelled' })
  })

  test('that has finished can be withdrawn from the phones that show it, once', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const { stderr } = await beside.run(['push', caller.application.id, 'Hello', '--all'])
    const id = UUID.exec(stderr)?.[0] ?? ''
    const { stdout } = await beside.run(['cancel', id, '--shown', '--json'])
    const withdrawal = JSON.parse(stdout) as { id: string; cancelled: boolean }
    expect(withdrawal).toEqual({ id: expect.stringMatching(UUID), cancelled: false })
    expect(await beside.run(['cancel', id, '--shown'])).toMatchObject({
      exitCode: 0,
      stdout: `Withdrawn by push ${withdrawal.id}.\n`,
    })
    const status = async () => (await caller.get(`/push/${withdrawal.id}`)).body
    while ((await status()).state !== 'finished') await Bun.sleep(5)
    expect(await status()).toMatchObject({ t: 1, s: 1 })
    expect(await beside.run(['cancel', withdrawal.id, '--shown'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('The push shows nothing: there is nothing to take back.'),
    })
  })

  test('that has finished cannot be cancelled', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const { stderr } = await beside.run(['push', caller.application.id, 'Hello', '--all'])
    expect(await beside.run(['cancel', UUID.exec(stderr)?.[0] ?? ''])).toEqual(
      refused(1, 'The push has finished: 1 of 1 device got it.'),
    )
  })
})

describe('push without a server', () => {
  test('is accepted, says that nothing goes out yet, and goes out when there is one', async () => {
    using cli = await withShop()
    await cli.run(['app', 'simulate', 'Shop'])
    {
      using shop = openShop(cli)
      const devices = createDeviceStore({ ...shop, clock: HASTY })
      shop.database.transact(() => void devices.register(shop.application.number, { token: IOS, platform: 0 }))
    }

    const { exitCode, stdout, stderr } = await cli.run(['push', 'Shop', 'Hello', '--all'], {}, { clock: HASTY })
    const id = UUID.exec(stderr)?.[0] ?? ''
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `push ${id}\nNo server runs on ${cli.data}: it is sent when bellhop serve runs.\n`,
    })
    await using service = await startService({ data: cli.data, application: cli, clock: HASTY })
    while ((await service.get(`/push/${id}`)).body.s !== 1) await Bun.sleep(5)
  })

  test('to nobody is over as soon as there is a server, also without a credential', async () => {
    using cli = await withShop()
    const { exitCode, stderr } = await cli.run(['push', 'Shop', 'Hello', '--tag', 'nosuch'], {}, { clock: HASTY })
    expect(exitCode).toBe(0)
    const id = UUID.exec(stderr)?.[0] ?? ''
    await using service = await startService({ data: cli.data, application: cli, clock: HASTY })
    while ((await service.get(`/push/${id}`)).body.state !== 'finished') await Bun.sleep(5)
    expect((await service.get(`/push/${id}`)).body).toMatchObject({ t: 0, platforms: { '0': { t: 0 }, '1': { t: 0 } } })
  })
})

describe('the guard against a blast', () => {
  test('asks for the number, which --confirm or --yes gives', async () => {
    using cli = await withShop()
    await cli.run(['app', 'limits', 'Shop', '--confirm-above', '1000'])
    using database = cli.database()
    storeDevices(database, 1200, (n) => ({ platform: 1, token: `android:${n}` }))
    const push = (...more: string[]) => cli.run(['push', 'Shop', 'Hello', '--all', ...more])
    const tooMany =
      'bellhop: The push addresses 1,200 devices, more than confirm-above 1,000: repeat it with --confirm 1200, or with --yes.\n'
    expect(await push()).toMatchObject({ exitCode: 1, stdout: '', stderr: tooMany })
    expect(await push('--confirm', '5')).toMatchObject({ exitCode: 1, stderr: tooMany })
    expect(await push('--confirm', '1200')).toMatchObject({ exitCode: 0 })
    expect(await push('--yes')).toMatchObject({ exitCode: 0 })
    const rows = database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()
    expect(rows?.n).toBe(2)
  })
})

describe('--dry-run', () => {
  test('shows whom it is for and how large it is, and stores nothing', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0', alias: 'anna' })
    await caller.register({ token: 'android:1', platform: '1' })
    const { exitCode, stdout } = await beside.run(['push', caller.application.id, 'Hello', '--all', '--dry-run'])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: [
        'Would be sent to 2 devices. Nothing was sent.',
        '',
        '  iOS      1',
        '  Android  1',
        '',
        'Among them',
        '  c1c1c1c1…  iOS      anna',
        '  android:…  Android',
        '',
        '  APNs  101 of 4,096 bytes',
        '  FCM   263 of 4,096 bytes',
        '',
      ].join('\n'),
    })
    expect((await caller.get('/pushes')).body).toEqual([])
    const json = await beside.run(['push', caller.application.id, 'Hello', '--all', '--dry-run', '--json'])
    const { body } = await caller.post('/push/preview', {
      platform: ['0', '1', '2'],
      msg: 'Hello',
      sound: 'default',
      badge: '',
    })
    expect({ ...JSON.parse(json.stdout), apns: null }).toEqual({ ...body, apns: null })
  })
})

const PROBLEMS: readonly (readonly [argv: readonly string[], problem: string])[] = [
  [['Hello'], 'Choose a target: --all, --tag, --alias, --user, --token or --where.'],
  [
    ['Hello', '--all', '--tag', 'a'],
    '--all and --tag can\'t be combined: choose one, or use --where, such as {"all": [{"tag": "beta"}, …]}.',
  ],
  // As from shell variables that are not set.
  ...['tag', 'alias', 'user', 'token', 'where', 'except-tag', 'send-at', 'confirm', 'title', 'badge', 'ttl'].map(
    (name) => [['Hello', '--all', `--${name}`, ''], `--${name} is empty: give a value, or leave it out.`] as const,
  ),
  [['', '--all'], 'MESSAGE is empty: give a value, or leave it out.'],
  [['Hello', '--tag', 'a,'], '--tag names an empty tag.'],
  [['Hello', '--all', '--platform', 'windows'], '--platform: "windows" is not ios, android or web'],
  [['Hello', '--all', '--payload', '[1]'], `--payload is not a JSON object, such as '{"article": 17}'.`],
  [
    ['Hello', '--all', '--fields', '{"tittle":"x"}'],
    '--fields: "tittle" is not a field of a push. Did you mean title?',
  ],
  [['Hello', '--all', '--fields', '{"tags":["x"]}'], '--fields: set the audience with flags, not with "tags".'],
  [
    ['Hello', '--all', '--send-at', 'tomorrow'],
    '--send-at must be a time with its offset, such as 2026-12-24T09:00:00Z, or a number of seconds from 0 to 7776000, not "tomorrow".',
  ],
  [['Hello', '--all', '--ttl', 'x'], '--ttl must be whole seconds from 0 to 2419200 (28 days), not "x".'],
  [['--all'], 'MESSAGE is required, or a --title, a --badge or a --payload.'],
  [['Hello', '--token', 'abcdefgh', '--except-tag', 'a'], "--except-tag can't be combined with --token."],
  [['Hello', '--where', '{"tagg":"x"}'], '--where'],
]

describe('what was not asked for rightly', () => {
  const cli = commandLine()
  beforeAll(() => cli.run(['app', 'create', 'Shop']))
  afterAll(() => cli[Symbol.dispose]())

  test.each(PROBLEMS)('%j', async (argv, problem) => {
    const { exitCode, stdout, stderr } = await cli.run(['push', 'Shop', ...argv])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toStartWith(`bellhop: ${problem}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    using database = cli.database()
    expect(database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n).toBe(0)
  })

  test('is all said at once', async () => {
    const argv = ['push', 'Shop', 'Hello', '--platform', 'x', '--payload', 'x']
    const { exitCode, stderr } = await cli.run(argv)
    expect({ exitCode, lines: stderr.trimEnd().split('\n').length }).toEqual({ exitCode: 2, lines: 3 })
  })

  test('an application that is not there, and a device that is not', async () => {
    expect((await cli.run(['push', 'Shopp', 'Hello', '--all'])).stderr).toBe(
      `bellhop: There is no application "Shopp" in ${cli.data}: bellhop app list lists them. Did you mean Shop?\n`,
    )
    expect((await cli.run(['push', 'Shop', 'Hello', '--token', IOS])).stderr).toBe(
      'bellhop: No device of this application has this token.\n',
    )
  })

  test('the beginning of a token that is too short to name a device', async () => {
    expect(await cli.run(['push', 'Shop', 'Hello', '--token', '94b2…'])).toEqual(
      refused(2, '--token: no token is "94b2", and a prefix needs at least 8 characters.'),
    )
  })
})
