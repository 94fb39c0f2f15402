import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/commands.ts'
import { systemClock } from '../../src/clock.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { commandLine } from '../cli/command-line.ts'
import type { CommandLine } from '../cli/command-line.ts'
import { authenticator, fromBase32 } from '../support/authenticator.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'

/* No command, route, log line or file but the key's own shows a stored secret. */
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 0x5a).toString('base64')}`

const HOOK_SECRET = 'what GitHub signs with'

const ALERT_TOKEN = 'tk_of-a-topic'
const ALERT_TOPIC = 'topic-that-nobody-guesses'

let cli: CommandLine
let simulator: Simulator
let service: Service
let application: Credentials
/** Pieces of secrets, by kind. */
let secrets: ReadonlyMap<string, string>

beforeAll(async () => {
  cli = commandLine()
  mkdirSync(join(elsewhere, 'backups'))
  simulator = await startSimulator({ clock: systemClock })
  const file = (name: string, text: string) => {
    writeFileSync(join(elsewhere, name), text)
    return join(elsewhere, name)
  }
  const made = JSON.parse((await cli.run(['app', 'create', 'Shop', '--json'])).stdout)
  application = { id: made.id, secret: made.secret }
  const { apnsKey, serviceAccount } = simulator.issue(made.id)
  const template = file('hook.json', '{"push": {"users": ["ann"], "msg": "Hello"}}')
  const hook = ['hook', 'create', 'Shop', 'orders', '--template', template]
  const alert = ['alert', 'add', 'ntfy', `https://127.0.0.1:1/${ALERT_TOPIC}`]
  const stored = [
    await cli.run(['app', 'apns', 'Shop', '--key', file('key.p8', apnsKey.p8), ...idsOf(apnsKey)]),
    await cli.run(['app', 'fcm', 'Shop', '--service-account', file('account.json', serviceAccount)]),
    await cli.run(['app', 'webhook', 'Shop', '--url', 'https://127.0.0.1:1/hooks', '--secret', WEBHOOK_SECRET]),
    await cli.run([...hook, '--signature', 'github', '--secret-file', file('hook.secret', HOOK_SECRET)]),
    await cli.run([...alert, '--secret-file', file('ntfy.token', ALERT_TOKEN)]),
  ]
  expect(stored.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0])
  const keys: string[] = []
  for (const _ of [1, 2]) keys.push(JSON.parse((await cli.run(['app', 'user-key', 'Shop', '--json'])).stdout).userKey)
  const password = JSON.parse((await cli.run(['admin', 'add', 'ann', '--json'])).stdout).password
  const totp = JSON.parse((await cli.run(['admin', 'totp', 'ann', '--json'])).stdout).secret
  const code = authenticator(totp, cli.clock)()
  const { recoveryCodes } = JSON.parse((await cli.run(['admin', 'totp', 'ann', '--code', code, '--json'])).stdout)
  const key = Buffer.from(readFileSync(join(cli.data, 'key'), 'utf8'), 'base64')
  secrets = new Map([
    ...linesOf('APNs key', apnsKey.p8),
    ...linesOf('service account', JSON.parse(serviceAccount).private_key),
    ['webhook secret', WEBHOOK_SECRET.slice(6)],
    ['hook secret', HOOK_SECRET],
    ["an alert's token", ALERT_TOKEN],
    ["an alert's topic", ALERT_TOPIC],
    ['sealing key', key.toString('base64')],
    ['sealing key in hex', key.toString('hex')],
    ['application secret', application.secret],
    ...keys.map((userKey, at): [string, string] => [`user key ${at}`, userKey.slice(4)]),
    ['password of an administrator', password],
    ['second factor', totp],
    ['second factor as it is sealed', Buffer.from(fromBase32(totp)).toString('base64')],
    ...recoveryCodes.map((recovery: string, at: number): [string, string] => [`recovery code ${at}`, recovery]),
    ['the end of any private key', '-----END'],
    // JSON web tokens begin with `{"`, and the simulator's access tokens with Google's prefix.
    ['provider token or assertion', 'eyJ'],
    ['access token', 'ya29.'],
  ])
  service = await startService({
    data: cli.data,
    application,
    simulated: false,
    config: {
      apnsUrl: simulator.apnsUrl,
      apnsSandboxUrl: simulator.apnsSandboxUrl,
      fcmUrl: simulator.fcmUrl,
      fcmTokenUrl: simulator.fcmTokenUrl,
      gatewayCa: file('ca.pem', simulator.ca),
      webhookPrivate: true,
    },
  })
  const tokens = ['ab'.repeat(32), `bad4000${'0'.repeat(57)}`]
  for (const token of tokens) await service.put('/deviceToken', { token, platform: 0 })
  await service.put('/deviceToken', { token: 'fcm-token', platform: 1 })
  await service.put('/deviceToken', { token: 'fcm-token', platform: 1, user: 'ann', user_proof: 'ab'.repeat(32) })
  await service.post('/push/all', { platform: [0, 1], msg: 'Hello', sound: '', badge: '' })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await simulator[Symbol.asyncDispose]()
  cli[Symbol.dispose]()
})
const elsewhere = directoryOfTests('bellhop-secrets')

/** One per line of a PEM's body: part of a key is already a leak. */
function linesOf(what: string, pem: string): [string, string][] {
  const body = pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
  return body.slice(0, -1).map((line, at) => [`${what}, line ${at}`, line])
}

function idsOf({ keyId, teamId, topic }: Readonly<Record<'keyId' | 'teamId' | 'topic', string>>): string[] {
  return ['--key-id', keyId, '--team-id', teamId, '--topic', topic]
}

function toldIn(text: string): string[] {
  return [...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => what)
}

describe('no stored secret is told', () => {
  test('by the log, at its most talkative, while pushes are taken and refused', async () => {
    const { id } = (await service.post('/push/all', { platform: [0, 1], msg: 'Hello', sound: '', badge: '' })).body
    await service.logged(({ event, push, platform }) => event === 'push sent' && push === id && platform === 0)
    await service.logged(({ event, push, platform }) => event === 'push sent' && push === id && platform === 1)
    expect(service.log.length).toBeGreaterThan(5)
    expect(toldIn(JSON.stringify(service.log))).toEqual([])
  })

  test('by any route, whether it succeeds or fails', async () => {
    const paths: string[] = Object.keys((await service.get('/openapi.json')).body.paths)
    expect(paths.length).toBeGreaterThan(15)
    const admin = ['/', '/healthz', '/readyz', '/metrics', '/pushes/1', '/config', '/applications']
    const answers = await Promise.all([
      ...[...paths, '/docs', '/manual/server', '/openapi.json'].flatMap((path) =>
        ['GET', 'PUT', 'POST'].map((method) =>
          service.call(method, path.replaceAll(/\{\w+\}/g, '1'), method === 'GET' ? {} : { body: {} }),
        ),
      ),
      ...admin.map(async (path) => {
        const answer = await fetch(service.adminUrl + path)
        return { status: answer.status, headers: answer.headers, body: await answer.text() }
      }),
    ])
    expect(new Set(answers.map(({ status }) => status)).has(200)).toBe(true)
    const told = answers.flatMap(({ headers, body }) => toldIn(JSON.stringify([[...headers], body])))
    expect(told).toEqual([])
  })

  test('by any command, in text or in JSON', async () => {
    const told = new Map<string, string[]>()
    for (const { name, words, flags } of COMMANDS.filter(isRun)) {
      const own = ARGUMENTS[name]?.(elsewhere) ?? words.map(() => 'Shop')
      const switches = flags.some((flag) => flag.name === 'json') ? [[], ['--json']] : [[]]
      for (const more of switches) {
        const argv = [...name.split(' '), ...own, ...more]
        const { stdout, stderr } = await cli.run(argv, { BELLHOP_KEY_FILE: join(cli.data, 'key') })
        expect([argv, stdout + stderr]).not.toEqual([argv, ''])
        told.set(argv.join(' '), toldIn(stdout + stderr))
      }
    }
    expect(told.get('app show Shop --json')).toEqual([])
    expect([...told].filter(([, what]) => what.length > 0)).toEqual([])
  })

  test('by any tool of mcp', async () => {
    const ask = (method: string, params: object = {}) =>
      `${JSON.stringify({ jsonrpc: '2.0', id: Bun.randomUUIDv7(), method, params })}\n`
    const call = (name: string, args: object) => ask('tools/call', { name, arguments: args })
    const [{ id: push = '' }] = (await service.get('/pushes')).body
    async function* lines() {
      yield Buffer.from(
        [
          ask('initialize', { protocolVersion: '2025-11-25' }),
          ask('tools/list'),
          call('doctor', { app: 'Shop', offline: true }),
          call('devices', { app: 'Shop' }),
          call('preview', { app: 'Shop', message: 'Hello', all: true }),
          call('pushes', { app: 'Shop' }),
          call('pushes', { app: 'Shop', push }),
          call('explain', { push, token: 'ab'.repeat(32) }),
          call('send', { app: 'Shop', message: 'Hello', all: true, send_at: '3600' }),
          call('devices', { app: application.secret.slice(0, 8) }),
        ].join(''),
      )
    }
    const { stdout, stderr } = await cli.run(['mcp', '--allow-send'], {}, { stdin: lines })
    const answers = stdout.trimEnd().split('\n')
    expect([answers.length, stderr]).toEqual([10, ''])
    expect(answers.filter((line) => line.includes('"isError":false'))).toHaveLength(7)
    expect(toldIn(stdout)).toEqual([])
    // A token gives access to its device.
    expect(stdout).not.toContain('ab'.repeat(32))
  })

  test('by what is said of a secret that is wrong', async () => {
    const [, line = ''] = [...secrets].find(([what]) => what.startsWith('service account')) ?? []
    const broken = join(elsewhere, 'broken')
    writeFileSync(broken, `{"private_key": "${line}`)
    const said = await Promise.all([
      cli.run(['app', 'fcm', 'Shop', '--service-account', broken]),
      cli.run([
        'app',
        'apns',
        'Shop',
        '--key',
        broken,
        '--key-id',
        'ABC123DEFG',
        '--team-id',
        'DEF123GHIJ',
        '--topic',
        'a.b',
      ]),
      cli.run(['app', 'apns', 'Shop', '--certificate', broken]),
      cli.run(['serve'], { BELLHOP_KEY: line }),
      cli.run(['serve'], { BELLHOP_KEY_FILE: broken }),
      cli.run(['key', 'rotate'], { BELLHOP_KEY: line }),
      cli.run(['config'], { BELLHOP_KEY: line }),
    ])
    for (const { exitCode, stdout, stderr } of said) {
      expect(exitCode).not.toBe(0)
      expect(toldIn(stdout + stderr)).toEqual([])
    }
  })

  test('by any file of the data directory but that of the key, nor by a backup', async () => {
    await cli.run(['backup', join(elsewhere, 'backups/')])
    const inside = filesIn(cli.data).filter((path) => path !== join(cli.data, 'key'))
    const outside = filesIn(join(elsewhere, 'backups'))
    expect(inside.some((path) => path.endsWith('bellhop.db'))).toBe(true)
    expect(outside.length).toBeGreaterThan(0)
    const told = [...inside, ...outside].flatMap((path) =>
      toldIn(readFileSync(path, 'latin1')).map((what) => [path, what]),
    )
    expect(told).toEqual([])
  })
})

/**
 * Servers, commands that wait for a server or for input, that ask the internet, or that change the data of the others.
 */
const NOT_RUN = new Set([
  'serve',
  'demo',
  'mcp',
  'tail',
  'push',
  'app delete',
  'app rotate-secret',
  'app user-key',
  'restore',
  'import',
  'key rotate',
  'compact',
])

function isRun({ name }: { readonly name: string }): boolean {
  return !NOT_RUN.has(name)
}

/** Arguments, where a command does not take an application for each word. */
const ARGUMENTS: Readonly<Record<string, (directory: string) => readonly string[]>> = {
  'app create': () => [`Other ${Math.random()}`],
  'app apns': () => ['Shop'],
  backup: (directory) => [join(directory, 'backups')],
  'backup verify': (directory) => [join(directory, 'backups')],
  completions: () => ['bash'],
  manual: () => ['server'],
  config: () => [],
  doctor: () => ['--offline'],
  help: () => [],
  export: () => ['Shop'],
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path).isFile())
}
