import { afterAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/commands.ts'
import { openDatabase } from '../../src/database/database.ts'
import { ACCOUNT_FILE } from '../gateway/fcm/account.ts'
import { startReceiver } from '../support/receiver.ts'
import { command, serve } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { commandLine, jsonLines, withShop } from './command-line.ts'
import type { CommandLine } from './command-line.ts'
import { commandsBeside } from './everyday-service.ts'
import { newToken, NONE } from '../move/move-between.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

interface Entry {
  readonly number: number
  readonly who: string
  readonly origin: string
  readonly command: string
  readonly action: string
  readonly subject: string
  readonly detail: string
  readonly changes: string
  readonly result: string
  readonly code: string
}

const PASSWORD = 'correct horse battery staple'
const TOKEN = 'a1'.repeat(32)

const beside = await commandsBeside()
const files = commandLine()
const receiver = await startReceiver({ plain: true })
let other: Service | null = null
afterAll(async () => {
  await other?.[Symbol.asyncDispose]()
  files[Symbol.dispose]()
  await receiver[Symbol.asyncDispose]()
})

function entriesIn(data: string): Entry[] {
  using database = openDatabase(data)
  return database.statement<Entry, []>('SELECT * FROM admin_log ORDER BY number DESC').all()
}

const newestIn = (data: string) => entriesIn(data)[0]

function p8(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

const app = () => beside.newCaller().application.id

async function finished(push: string): Promise<string> {
  const caller = beside.newCaller()
  await caller.register({ token: 'bad42901'.padEnd(64, push), platform: '0' })
  const { body } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '', ttl: 1 })
  while ((await caller.get(`/push/${body.id}`)).body.state !== 'finished') await Bun.sleep(5)
  return body.id
}

/** Command lines that succeed beside a server. */
const BESIDE: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  'app create': () => ['Bakery'],
  'app rotate-secret': () => [app()],
  'app user-key': () => [app()],
  'app delete': () => [app(), '--yes'],
  'app apns': () => [
    app(),
    '--key',
    files.file('AuthKey_ABC123DEFG.p8', p8()),
    '--team-id',
    'DEF123GHIJ',
    '--topic',
    'com.example.shop',
  ],
  'app fcm': () => [app(), '--service-account', files.file('account.json', ACCOUNT_FILE)],
  'app webpush': () => [app(), '--subject', 'mailto:push@shop.example'],
  'app webpush-key': async () => {
    const id = app()
    await beside.run(['app', 'webpush', id, '--subject', 'mailto:push@shop.example'])
    return [id, join(files.data, 'vapid.json')]
  },
  'app simulate': () => [app(), '--off'],
  'app webhook': () => [app(), '--url', 'https://hooks.test/'],
  'app limits': () => [app(), '--rate', '7'],
  'app move': async () => {
    other = await startService({ application: NONE })
    return [app(), '--to', other.adminUrl, '--to-token-file', files.file('mover', newToken(other))]
  },
  push: async () => {
    const caller = beside.newCaller()
    await caller.register({ token: TOKEN, platform: '0' })
    return [caller.application.id, 'Secret words', '--all', '--no-wait']
  },
  cancel: async () => {
    const caller = beside.newCaller()
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const body = { platform: '0', msg: 'Hello', sound: '', badge: '', send_at }
    return [(await caller.post('/push/all', body)).body.id]
  },
  resend: async () => [await finished('5')],
  'devices restore': async () => {
    const caller = beside.newCaller()
    await caller.register({ token: 'bad41000'.padEnd(64, '1'), platform: '0' })
    await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
    while ((await caller.devices()).length > 0) await Bun.sleep(5)
    return [caller.application.id, '--since', '1h', '--yes']
  },
  labels: async () => {
    const caller = beside.newCaller()
    await caller.put('/deviceToken', { token: TOKEN, platform: '0', tag: ['spam'] }, 'device')
    return [caller.application.id, '--clear-unproven', '--platform', 'ios', '--yes']
  },
  'alert add': () => ['ntfy', 'https://127.0.0.1:1/topic'],
  'alert test': async () => {
    const url = `http://127.0.0.1:${receiver.port}/`
    await beside.run(['alert', 'add', 'ntfy', url, '--name', 'tried'])
    return ['tried']
  },
  'alert delete': async () => {
    await beside.run(['alert', 'add', 'ntfy', 'https://127.0.0.1:1/topic', '--name', 'gone'])
    return ['gone', '--yes']
  },
  'hook create': () => [app(), 'orders', '--template', hookTemplate()],
  'hook delete': async () => {
    await beside.run(['hook', 'create', app(), 'gone', '--template', hookTemplate()])
    return ['gone', '--yes']
  },
  'user erase': async () => {
    const caller = beside.newCaller()
    await caller.register({ token: TOKEN, platform: '0', user: 'zoe@shop.example' })
    return [caller.application.id, 'zoe@shop.example', '--yes']
  },
  'admin link': () => [],
  'admin add': () => ['ann', '--password-file', files.file('password', PASSWORD)],
  'admin reset': async () => [await administrator('ben'), '--password-file', files.file('password', PASSWORD)],
  'admin totp': async () => [await administrator('cleo')],
  'admin remove': async () => [await administrator('dora'), '--yes'],
  'admin token': () => ['ci'],
  'admin revoke': async () => {
    await beside.run(['admin', 'token', 'old'])
    return ['old']
  },
  backup: () => [`${files.data}/`],
  export: async () => {
    const caller = beside.newCaller()
    await caller.register({ token: TOKEN, platform: '0' })
    return [caller.application.id, join(files.data, 'devices.jsonl')]
  },
  import: () => [app(), files.file('devices.csv', `token,platform\n${TOKEN},ios\n`)],
}

const hookTemplate = () => files.file('hook.json', JSON.stringify({ push: { users: ['ann'], msg: 'Hello' } }))

async function administrator(name: string): Promise<string> {
  await beside.run(['admin', 'add', name, '--password-file', files.file('password', PASSWORD)])
  return name
}

/** Without a server. */
const ALONE: Readonly<Record<string, (cli: CommandLine) => readonly string[] | Promise<readonly string[]>>> = {
  compact: () => [],
  'key rotate': () => [],
  restore: async (cli) => {
    await cli.run(['backup', join(cli.data, 'copy.db')])
    return [join(cli.data, 'copy.db'), '--yes']
  },
}

describe('the audit log', () => {
  test('knows each command: either it leaves an entry, or it says that it only reads', () => {
    const changing = COMMANDS.filter(({ changes }) => changes !== null).map(({ name }) => name)
    expect([...Object.keys(BESIDE), ...Object.keys(ALONE), 'doctor', 'upgrade'].toSorted()).toEqual(changing.toSorted())
  })

  test.each(Object.keys(BESIDE))('has an entry of %s, with who, from where and how it ended', async (name) => {
    const argv = [...name.split(' '), ...((await BESIDE[name]?.()) ?? [])]
    const before = newestIn(beside.service.data)?.number ?? 0
    const { exitCode, stderr } = await beside.run(argv)
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    const added = entriesIn(beside.service.data).filter(({ number }) => number > before)
    expect(added).toEqual([
      expect.objectContaining({
        who: expect.stringMatching(/^command /),
        origin: expect.stringMatching(/./),
        action: COMMANDS.find((one) => one.name === name)?.changes?.action,
        command: expect.stringMatching(new RegExp(`^bellhop ${name}`)),
        result: 'ok',
        code: '',
      }),
    ])
    expect(JSON.stringify(added)).not.toMatch(/Secret|zoe@|(?:a1){8}|bad4[0-9]{4}|staple|BEGIN|whsec_|bha_|bhs_|bhu_/)
  })

  test.each(Object.keys(ALONE))('has an entry of %s, which runs without a server', async (name) => {
    using cli = commandLine()
    // No process may have the database open.
    for (const argv of [
      ['app', 'create', 'Shop'],
      ['app', 'webpush', 'Shop', '--subject', 'mailto:push@shop.example'],
    ]) {
      expect(await command([...argv, '--data', cli.data])).toMatchObject({ exitCode: 0 })
    }
    const argv = [...name.split(' '), ...((await ALONE[name]?.(cli)) ?? [])]
    expect(await cli.run(argv)).toMatchObject({ exitCode: 0 })
    expect(newestIn(cli.data)).toMatchObject({
      action: COMMANDS.find((one) => one.name === name)?.changes?.action,
      command: expect.stringMatching(new RegExp(`^bellhop ${name}`)),
      result: 'ok',
    })
  })

  test('has what a command changed, before and after', async () => {
    const id = app()
    await beside.run(['app', 'limits', id, '--rate', '10'])
    await beside.run(['app', 'limits', id, '--rate', '20', '--secret-everywhere'])
    const { subject, changes, command } = newestIn(beside.service.data) ?? {}
    expect({ subject, changes: JSON.parse(changes ?? ''), command }).toEqual({
      subject: id,
      changes: { rate: { before: 10, after: 20 }, secretEverywhere: { before: false, after: true } },
      command: `bellhop app limits ${id} --rate 20 --secret-everywhere`,
    })
    await beside.run(['app', 'delete', id, '--yes'])
    const { changes: deleted = '' } = newestIn(beside.service.data) ?? {}
    expect(JSON.parse(deleted)).toEqual({ name: { before: expect.stringMatching(/^caller/), after: null } })
  })

  test('has what was refused, and nothing of what only reads, shows or tries', async () => {
    const id = app()
    const before = newestIn(beside.service.data)?.number ?? 0
    for (const argv of [
      ['app', 'limits', id],
      ['app', 'webhook', id],
      ['app', 'list'],
      ['push', id, 'x', '--all', '--dry-run'],
    ]) {
      expect(await beside.run(argv)).toMatchObject({ exitCode: 0 })
    }
    expect(newestIn(beside.service.data)?.number ?? 0).toBe(before)
    expect(await beside.run(['admin', 'revoke', 'nobody'])).toMatchObject({ exitCode: 1 })
    expect(await beside.run(['app', 'rotate-secret', 'Nowhere'])).toMatchObject({ exitCode: 1 })
    expect(await beside.run(['doctor', id, '--send', TOKEN])).toMatchObject({ exitCode: 1 })
    expect(entriesIn(beside.service.data).slice(0, 3)).toMatchObject([
      {
        action: 'send test push',
        subject: id,
        result: 'refused',
        code: 'exit 1',
        command: `bellhop doctor ${id} --send …`,
      },
      { action: 'rotate secret', subject: 'Nowhere', result: 'refused', code: 'exit 1' },
      { action: 'revoke token', subject: 'nobody', result: 'refused', code: 'exit 1' },
    ])
  })

  test('commands that only read change nothing', async () => {
    using cli = await withShop()
    const READING: Readonly<Record<string, readonly string[]>> = {
      'app list': [],
      'app show': ['Shop'],
      devices: ['Shop'],
      'user show': ['Shop', 'ann'],
      stats: ['Shop'],
      pushes: ['Shop'],
      'admin list': [],
      'admin tokens': [],
      audit: [],
      doctor: ['--offline'],
    }
    using database = cli.database()
    for (const [name, words] of Object.entries(READING)) {
      const version = database.version()
      await cli.run([...name.split(' '), ...words])
      expect({ name, version: database.version() }).toEqual({ name, version })
    }
  })

  test('has the entry with the first change, and how it ended at the end', async () => {
    using cli = await withShop()
    const seen: (Entry | undefined)[] = []
    const stderr = (text: string) => void (text.startsWith('push ') && seen.push(newestIn(cli.data)))
    await cli.run(['push', 'Shop', 'Hello', '--all'], {}, { stderr })
    expect(seen).toMatchObject([{ action: 'push', subject: expect.stringMatching(/^app_/), result: 'started' }])
    const closed = newestIn(cli.data)
    expect(closed).toMatchObject({ number: seen[0]?.number, result: 'ok', detail: expect.stringContaining('"push"') })
  })

  test('does not keep a command from its work where it cannot be written, and says so', async () => {
    using cli = await withShop()
    {
      using database = cli.database()
      database.statement("CREATE TRIGGER full BEFORE INSERT ON admin_log BEGIN SELECT raise(ABORT, 'no'); END").run()
    }
    const file = join(cli.data, 'devices.jsonl')
    expect(await cli.run(['export', 'Shop', file])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('This was not recorded in the audit log.'),
    })
    expect(existsSync(file)).toBe(true)
  })
})

test('a start with other settings than before is in the audit log, and one with the same is not', async () => {
  using cli = commandLine()
  const starts = () => entriesIn(cli.data).filter(({ action }) => action === 'start service')
  for (const [args, count] of [
    [[], 1],
    [[], 1],
    [['--keep-gone=30d', '--proxy=http://ann:secret@127.0.0.1:1'], 2],
  ] as const) {
    await using service = await serve(cli.data, {}, args)
    await until(() => starts().length === count)
    expect(await service.kill('SIGTERM')).toBe(0)
    expect(starts()).toHaveLength(count)
  }
  const [newest] = starts()
  expect(JSON.parse(newest?.changes ?? '')).toEqual({ keepGone: { before: null, after: 30 * 86_400_000 } })
  expect(JSON.stringify(newest)).not.toContain('secret')
})

describe('bellhop audit', () => {
  test('shows the newest first, narrowed by who, action, application and time, as a table or as lines', async () => {
    using cli = await withShop()
    await cli.run(['app', 'create', '=Other'])
    cli.clock.advance(60_000)
    await cli.run(['app', 'limits', 'Shop', '--rate', '20'])
    const { stdout } = await cli.run(['audit'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(/^2026-11-20T12:01:00\.000Z +command .* change limits +Shop +ok +rate: 10 → 20$/)
    const actions = async (...flags: string[]) =>
      jsonLines((await cli.run(['audit', ...flags, '--json'])).stdout).map(({ action }) => action)
    expect(await actions()).toEqual(['change limits', 'create application', 'create application'])
    expect(await actions('Shop')).toEqual(['change limits', 'create application'])
    expect(await actions('--since', '30s')).toEqual(['change limits'])
    expect(await actions('--until', '30s')).toEqual(['create application', 'create application'])
    expect(await actions('--action', 'create application', '--limit', '1')).toEqual(['create application'])
    expect(await actions('--who', 'token')).toEqual([])
    const csv = (await cli.run(['audit', '--csv'])).stdout.split('\n')
    expect(csv[0]).toBe('number,at,who,origin,action,subject,result,code,changes,detail,command')
    expect(csv).toHaveLength(5)
    expect(await cli.run(['audit', '--since', 'soon'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--since: "soon" is not a time'),
    })
  })
})
