import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { COMMAND_PURPOSES } from '../../../src/cli/remote/command-purposes.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'
import { until } from '../../support/until.ts'
import { commandsBeside } from '../everyday-service.ts'
import type { Beside } from '../everyday-service.ts'
import { printed, refused } from '../command-line.ts'

/* `bellhop … --server URL` on a machine with neither data nor server. */
const directory = directoryOfTests('bellhop-remote')

const beside = await commandsBeside()
const { service } = beside
const made = await beside.run(['admin', 'token', 'laptop', '--purpose', 'administer', '--json'])
const { token } = JSON.parse(made.stdout)
const tokenFile = file('token', `${token}\n`)
await beside.run(['app', 'create', 'Corner Shop'])
await beside.run(['app', 'simulate', 'Corner Shop'])

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

/** Where there is no data. */
const run = (argv: readonly string[], env = {}, over: Parameters<Beside['run']>[1] = {}) =>
  beside.run(argv, over, { BELLHOP_DATA: join(directory, 'none'), ...env })

const as = (tokens: string, ...argv: readonly string[]) =>
  run([...argv, '--server', service.adminUrl, '--token-file', tokens])

const elsewhere = (...argv: readonly string[]) => as(tokenFile, ...argv)

async function asked(body: object, authorization = `Bearer ${token}`) {
  const response = await fetch(`${service.adminUrl}/api/command`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

test('a command says there what it says here, with its exit code', async () => {
  const made = await elsewhere('app', 'create', 'Bakery', '--json')
  expect({ ...made, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Bakery' })
  const here = await beside.run(['app', 'list'])
  expect(await elsewhere('app', 'list')).toEqual(here)
  expect((await elsewhere('app', 'show', 'Nope')).exitCode).toBe(1)
  const wrong = await elsewhere('app', 'limits', 'Corner Shop', '--rate', 'many')
  expect(wrong).toEqual(refused(2, '--rate: "many" is not a number from 0 to 1000000, with at most 3 decimals'))
})

test('where the server is, and the token, can stand in the environment; --data goes before them', async () => {
  const env = { BELLHOP_SERVER: service.adminUrl, BELLHOP_TOKEN_FILE: tokenFile }
  expect((await run(['app', 'list', '--json'], env)).stdout).toContain('Corner Shop')
  const here = await run(['app', 'list', '--data', join(directory, 'none')], env)
  expect(here.stderr).toStartWith('bellhop: There is no Bellhop database in ')
})

test('a push that begins with a dash, and has a quote in it, arrives as it was typed', async () => {
  const { id } = JSON.parse((await elsewhere('app', 'show', 'Corner Shop', '--json')).stdout)
  await fetch(`${service.url}/deviceToken`, {
    method: 'PUT',
    headers: { 'accept-version': '1', 'content-type': 'application/json', 'x-service-appid': id },
    body: JSON.stringify({ token: 'ab'.repeat(32), platform: '0' }),
  })
  const line = ['push', 'Corner Shop', '--all', '--server', service.adminUrl, '--token-file', tokenFile]
  const sent = await run([...line, '--', `-5 % on "it's" day`])
  expect({ exitCode: sent.exitCode, stdout: sent.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('sent 1 of 1'),
  })
  const { received } = (await (await fetch(`${service.adminUrl}/simulator/received?after=0`)).json()) as any
  expect(received.map(({ text }: { text: string }) => text)).toEqual([`-5 % on "it's" day`])
})

test('a file of this machine is handed in, and one of the server is not read', async () => {
  const password = file('password', 'correct horse battery\nnot this\n')
  const added = await elsewhere('admin', 'add', 'ann', '--password-file', password)
  expect(added).toEqual(printed('"ann" has been added.'))
  const signedIn = await fetch(`${service.adminUrl}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ann', password: 'correct horse battery' }),
  })
  expect(signedIn.status).toBe(200)
  const languages = file('languages.json', '{"de": {"msg": "Hallo"}}')
  const dry = await elsewhere('push', 'Corner Shop', 'Hello', '--all', '--languages', languages, '--dry-run', '--json')
  expect(JSON.stringify(JSON.parse(dry.stdout))).toContain('Hallo')
  expect((await elsewhere('admin', 'add', 'bob', '--password-file', join(directory, 'nope'))).stderr).toBe(
    `bellhop: The file ${join(directory, 'nope')} cannot be read: there is no such file.\n`,
  )

  const refused = async (...argv: string[]) => JSON.parse((await asked({ argv })).text.split('\n')[0] ?? '').err
  const NOT_READ = 'cannot be read: it was not handed in.'
  expect(await refused('app', 'fcm', 'Corner Shop', '--service-account', '/etc/passwd')).toBe(
    `bellhop: The file /etc/passwd ${NOT_READ}\n`,
  )
  expect(await refused('admin', 'add', 'x', '--password-file=/etc/passwd')).toBe(`bellhop: /etc/passwd ${NOT_READ}\n`)
  expect(await refused('push', 'Corner Shop', 'y', '--all', '--languages', '/etc/passwd')).toBe(
    `bellhop: --languages: ${NOT_READ}\n`,
  )
})

test('what is of the machine of the server stays there', async () => {
  const refused = async (...argv: string[]) => JSON.parse((await asked({ argv })).text)
  for (const name of ['serve', 'backup', 'restore', 'export', 'import', 'key rotate', 'doctor', 'systemd']) {
    const words = ['backup', 'restore', 'export'].includes(name) ? ['x'] : name === 'import' ? ['x', 'y'] : []
    expect(await refused(...name.split(' '), ...words)).toEqual({
      code: 'InvalidArgument',
      message: `${name} runs only on the server's machine.`,
    })
  }
  for (const flag of ['data', 'server', 'token-file']) {
    const value = flag === 'server' ? 'https://127.0.0.1:1' : '/'
    expect((await refused('app', 'list', `--${flag}`, value)).message).toBe(
      `--${flag} is for the machine that a command runs on.`,
    )
  }
  expect((await refused('app', 'lst')).message).toContain('"app lst" is not a command.')
  expect((await refused('app', 'list\0')).message).toBe('argv must be a list of 1 to 200 words.')
})

test('nobody without a token runs one, and what ran is written down without its text', async () => {
  expect((await asked({ argv: ['app', 'list'] }, 'Bearer bha_wrong')).status).toBe(401)
  await elsewhere('push', 'Corner Shop', 'a secret text', '--all', '--no-wait')
  const log = await fetch(`${service.adminUrl}/api/log?limit=1`, { headers: { authorization: `Bearer ${token}` } })
  const { entries } = (await log.json()) as { entries: object[] }
  expect(entries).toMatchObject([
    {
      who: 'token laptop',
      origin: '127.0.0.1',
      action: 'push',
      command: "bellhop push 'Corner Shop' … --all --no-wait",
      result: 'ok',
    },
  ])
  expect(JSON.stringify(entries)).not.toContain('secret text')
})

test('a token runs what it is for, says what another would have to be for, and makes none that outlives it', async () => {
  const made = async (name: string, ...flags: string[]) => {
    const { stdout } = await elsewhere('admin', 'token', name, ...flags, '--json')
    return file(name, JSON.parse(stdout).token)
  }
  const reader = await made('reader')
  expect((await as(reader, 'app', 'list')).exitCode).toBe(0)
  for (const [needed, ...argv] of [
    ['send', 'push', 'Corner Shop', 'Hello', '--all', '--no-wait'],
    ['operate', 'app', 'create', 'Sneaked'],
    ['administer', 'admin', 'token', 'broader', '--purpose', 'administer'],
  ] as const) {
    expect(await as(reader, ...argv)).toEqual(
      refused(
        1,
        `This token is for read; this call needs one for ${needed}${needed === 'administer' ? '' : ', or a broader one'}.`,
      ),
    )
  }
  const sender = await made('sender', '--purpose', 'send')
  expect((await as(sender, 'push', 'Corner Shop', 'Hello', '--all', '--no-wait')).exitCode).toBe(0)

  const short = await made('short', '--purpose', 'administer', '--expires', '2d')
  expect((await as(short, 'admin', 'token', 'later', '--expires', 'never')).stderr).toMatch(
    /^bellhop: --expires must not be later than the expiry of the token that creates it, [\d-]+T[\d:.]+Z\.\n$/,
  )
  expect((await as(short, 'admin', 'token', 'in time', '--expires', '1d')).exitCode).toBe(0)
})

test('a token for reading is enough for what only shows or tries, also of commands that could change something', async () => {
  const { stdout } = await elsewhere('admin', 'token', 'looker', '--json')
  const looker = file('looker', JSON.parse(stdout).token)
  for (const argv of [
    ['labels', 'Corner Shop'],
    ['app', 'limits', 'Corner Shop'],
    ['app', 'webhook', 'Corner Shop'],
    ['app', 'move', 'Corner Shop'],
    ['push', 'Corner Shop', 'Hello', '--all', '--dry-run'],
    ['devices', 'restore', 'Corner Shop', '--since', '1h', '--dry-run'],
  ]) {
    expect({ argv, ...(await as(looker, ...argv)) }).toMatchObject({ argv, exitCode: 0, stderr: '' })
  }
  const OPERATE = refused(1, 'This token is for read; this call needs one for operate, or a broader one.')
  expect(await as(looker, 'app', 'limits', 'Corner Shop', '--rate', '7')).toEqual(OPERATE)
  expect(await as(looker, 'app', 'webhook', 'Corner Shop', '--remove')).toEqual(OPERATE)
  expect(await as(looker, 'labels', 'Corner Shop', '--clear-unproven')).toEqual(OPERATE)
  expect(await as(looker, 'devices', 'restore', 'Corner Shop', '--since', '1h')).toEqual(OPERATE)
  expect(await as(looker, 'app', 'move', 'Corner Shop', '--finish')).toEqual(
    refused(1, 'This token is for read; this call needs one for administer.'),
  )
})

test('a remote command changes nothing without a flag that says so, or needs a broader token', () => {
  const remote = COMMANDS.filter(({ name }) => COMMAND_PURPOSES[name] !== undefined)
  const reading = remote.filter(({ changes }) => changes === null).map(({ name }) => [name, COMMAND_PURPOSES[name]])
  expect(reading).toEqual(reading.map(([name]) => [name, 'read']))
  // These flags change nothing: a new one is for whoever reads this to judge.
  const harmless = remote.flatMap(({ name, changes, flags }) => {
    const { onlyWith } = changes ?? {}
    return onlyWith === undefined ? [] : [[name, flags.map((one) => one.name).filter((one) => !onlyWith.includes(one))]]
  })
  const CALL = ['data', 'server', 'token-file']
  expect(Object.fromEntries(harmless)).toEqual({
    'app webhook': ['json', ...CALL],
    'app limits': CALL,
    'app move': ['to-token-file', 'url', ...CALL],
    labels: ['platform', 'limit', 'yes', 'json', ...CALL],
  })
})

test('what a token may not do is in the audit log, with its command line; a usage error is not', async () => {
  const { stdout } = await elsewhere('admin', 'token', 'curious', '--json')
  const curious = file('curious', JSON.parse(stdout).token)
  await as(curious, 'push', 'Corner Shop', 'a secret text', '--all')
  await as(curious, 'app', 'list')
  await elsewhere('app', 'create', '')
  await elsewhere('cancel', '0')
  await asked({ argv: ['app', 'lst'] })
  await asked({ argv: ['export', 'x', 'y'] })
  const log = await fetch(`${service.adminUrl}/api/log?limit=2`, { headers: { authorization: `Bearer ${token}` } })
  expect(((await log.json()) as { entries: object[] }).entries).toMatchObject([
    {
      who: 'token curious',
      origin: '127.0.0.1',
      action: 'push',
      subject: 'Corner Shop',
      command: "bellhop push 'Corner Shop' … --all",
      result: 'refused',
      code: 'ForbiddenError',
    },
    { who: 'token laptop', action: 'make token', subject: 'curious' },
  ])
})

test('Ctrl-C ends it there too, so that another one has its place', async () => {
  // All that one token may run, and silent.
  const tails = Array.from({ length: 10 }, () => {
    const signals = new EventEmitter()
    const argv = ['tail', '--server', service.adminUrl, '--token-file', tokenFile]
    return { signals, ended: run(argv, {}, { signals }) }
  })
  const isFull = async () => (await elsewhere('app', 'list')).exitCode !== 0
  await until(isFull)
  expect((await elsewhere('app', 'list')).stderr).toStartWith('bellhop: Too many commands are running')
  for (const { signals, ended } of tails) {
    signals.emit('SIGINT')
    expect((await ended).exitCode).toBe(130)
  }
  await until(async () => !(await isFull()))
})

test('the file may have all that `bellhop admin token` printed', async () => {
  const printed = file(
    'printed',
    `The token "ci" for read:\n\n  ${readFileSync(tokenFile, 'utf8').trim()}\n\nCopy it now.\n`,
  )
  const { exitCode, stderr } = await as(printed, 'app', 'list')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

describe('what is wrong is said in a sentence', () => {
  const wrong = async (server: string, tokens = tokenFile) =>
    (await run(['app', 'list', '--server', server, '--token-file', tokens])).stderr

  test('of where the server is', async () => {
    expect(await wrong('http://push.example.com')).toBe(
      'bellhop: --server (BELLHOP_SERVER) must be https, or http on this machine or a private network, without a path.\n',
    )
    expect(await wrong('http://127.0.0.1:1')).toBe('bellhop: No server answers at http://127.0.0.1:1: ECONNREFUSED.\n')
    expect(await wrong(service.url)).toBe(
      `bellhop: ${service.url} is not an admin address, or an older Bellhop, which runs no commands of other machines.\n`,
    )
  })

  test('of a server whose certificate is not trusted', async () => {
    const { certificate, privateKey } = makeCertificate()
    const server = Bun.serve({
      port: 0,
      tls: { cert: certificate, key: privateKey },
      fetch: () => new Response('{}'),
    })
    const origin = `https://localhost:${server.port}`
    expect(await wrong(origin)).toBe(
      `bellhop: A server answers at ${origin}, but its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT): NODE_EXTRA_CA_CERTS may name a file with its authority.\n`,
    )
    await server.stop(true)
  })

  test('of the token', async () => {
    const { adminUrl } = service
    expect(await wrong(adminUrl, file('empty', ''))).toBe(
      `bellhop: ${join(directory, 'empty')} does not contain a token of bellhop admin token.\n`,
    )
    expect(await wrong(adminUrl, file('other', 'bha_other'))).toBe(
      `bellhop: ${adminUrl} refused this token: bellhop admin token creates one.\n`,
    )
    expect((await run(['app', 'list', '--server', adminUrl])).stderr).toBe(
      'bellhop: --token-file (BELLHOP_TOKEN_FILE) must name a file with a token of bellhop admin token.\n',
    )
  })
})
