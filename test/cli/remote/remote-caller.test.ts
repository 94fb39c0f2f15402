import { describe, expect, test } from 'bun:test'
import { createAdminTokenStore } from '../../../src/admin/admin-token-store.ts'
import { callAsPage } from '../../admin/admin-caller.ts'
import { until } from '../../support/until.ts'
import { commandLine, jsonLines, printed } from '../command-line.ts'
import { commandsBeside } from '../everyday-service.ts'

/* What one caller of `/api/command` may take, and until when. */
const DAY_MS = 86_400_000
const PASSWORD = 'correct horse battery'

const beside = await commandsBeside()
const { service, clock } = beside
const tokens = createAdminTokenStore({ database: service.database, clock })
const newToken = (name: string, expiresAt: number | null = null) => ({
  authorization: `Bearer ${tokens.add(name, { purpose: 'read', expiresAt })}`,
})

async function page(method: string, path: string, sent: Parameters<typeof callAsPage>[3]) {
  const { status, headers } = await callAsPage(service.adminUrl, method, path, sent)
  expect(status).toBe(200)
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

async function signIn(name: string) {
  const password = `${PASSWORD} of ${name}`
  using cli = commandLine({ isEmpty: true })
  await beside.run(['admin', 'add', name, '--password-file', cli.file(name, password)])
  return { cookie: await page('POST', '/api/session', { body: { name, password } }), origin: service.adminUrl }
}

const runIt = (headers: Record<string, string>, argv: readonly string[]) =>
  fetch(`${service.adminUrl}/api/command`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ argv }),
  })

/** A running `tail`. `lines` resolves with its output when it has ended. */
function startTail(headers: Record<string, string>) {
  let text = ''
  const reading = async () => {
    const { body } = await runIt(headers, ['tail', '--json'])
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) text += chunk
    return jsonLines(text)
  }
  const lines = reading()
  lines.catch(() => undefined)
  return { heard: () => text.includes('"out"'), lines }
}

let registered = 0
const busyUntil = (isSo: () => boolean) =>
  until(async () => {
    await service.put('/deviceToken', { token: `android:${++registered}`, platform: '1' })
    return isSo()
  })

/** All have their place, and are running. */
const allHear = (tails: readonly { readonly heard: () => boolean }[]) =>
  busyUntil(() => tails.every(({ heard }) => heard()))

describe('a running command', () => {
  test('ends within half a second of the rights of its caller, and says so', async () => {
    const [leaver, removed, changed, reset] = await Promise.all(['lea', 'rem', 'cha', 'res'].map(signIn))
    const callers = { revoked: newToken('spy'), expired: newToken('short', clock.now() + DAY_MS / 2) }
    const all = [callers.revoked, callers.expired, leaver, removed, changed, reset]
    const tails = all.map((headers) => startTail(headers ?? {}))
    await allHear(tails)
    await beside.run(['admin', 'revoke', 'spy'])
    await beside.run(['admin', 'remove', 'rem'])
    await beside.run(['admin', 'reset', 'res'])
    await page('DELETE', '/api/session', { cookie: leaver?.cookie ?? '' })
    const passwords = { current: `${PASSWORD} of cha`, password: `${PASSWORD} anew` }
    await page('PUT', '/api/password', { cookie: changed?.cookie ?? '', body: passwords })
    beside.standStill(DAY_MS / 2)
    const ended = Promise.all(tails.map(({ lines }) => lines))
    let isOver = false
    void ended.then(() => (isOver = true))
    await busyUntil(() => isOver)
    for (const lines of await ended) {
      expect(lines.slice(-2)).toEqual([
        { err: 'bellhop: The command was stopped: its token or session is no longer valid.\n' },
        { exit: 1 },
      ])
    }
  })

  test('that revokes its own token says that it has', async () => {
    const own = { authorization: `Bearer ${tokens.add('own', { purpose: 'administer', expiresAt: null })}` }
    const response = await runIt(own, ['admin', 'revoke', 'own'])
    expect(jsonLines(await response.text())).toEqual([{ out: 'The token "own" no longer works.\n' }, { exit: 0 }])
  })
})

describe('places for running commands', () => {
  const asked = async (headers: Record<string, string>) => {
    const response = await runIt(headers, ['app', 'list'])
    const text = await response.text()
    return response.ok ? 'runs' : JSON.parse(text)
  }
  /** Takes places until there is none: one may still be held by a call that is over. */
  async function tailsOf(headers: Record<string, string>) {
    const tails: ReturnType<typeof startTail>[] = []
    await until(async () => {
      if ((await asked(headers)) !== 'runs') return true
      tails.push(startTail(headers))
      return false
    })
    return tails
  }
  /** Gives back all places. */
  async function revoked(names: readonly string[], tails: readonly { readonly lines: Promise<unknown> }[]) {
    for (const name of names) await beside.run(['admin', 'revoke', name])
    await Promise.all(tails.map(({ lines }) => lines))
  }
  const FULL = {
    code: 'TooManyRequestsError',
    message:
      'Too many commands are running, 10 of one token or administrator or 40 in all: try again when one has finished.',
  }

  test('are few for each caller, so that none takes those of others', async () => {
    const greedy = newToken('greedy')
    const running = await tailsOf(greedy)
    expect(await asked(greedy)).toEqual(FULL)
    expect(await asked(newToken('modest'))).toBe('runs')
    await revoked(['greedy'], running)
  })

  test('are others on the machine of the server, which so can revoke whoever takes all', async () => {
    const crowd = Array.from({ length: 4 }, (_, n) => newToken(`crowd ${n}`))
    const running = []
    for (const one of crowd) running.push(...(await tailsOf(one)))
    const late = newToken('late')
    expect(await asked(late)).toEqual(FULL)
    expect(await beside.run(['admin', 'revoke', 'crowd 0'])).toEqual(printed('The token "crowd 0" no longer works.'))
    await until(async () => (await asked(late)) === 'runs')
    await revoked(['crowd 1', 'crowd 2', 'crowd 3'], running)
  })
})
