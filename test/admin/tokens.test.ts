import { describe, expect, test } from 'bun:test'
import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import { TOKEN_PURPOSES } from '../../src/admin/token-purpose.ts'
import type { TokenPurpose } from '../../src/admin/token-purpose.ts'
import { COMMAND_PURPOSES, STAYS_HERE } from '../../src/cli/remote/command-purposes.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { fileService } from '../support/file-service.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const DAY_MS = 86_400_000

const clock = createFakeClock()
const service = await fileService({ clock })
const store = createAdminTokenStore({ database: service.database, clock })
const tokens: Readonly<Record<TokenPurpose, string>> = Object.fromEntries(
  TOKEN_PURPOSES.map((purpose) => [purpose, store.add(purpose, { purpose, expiresAt: null }) ?? '']),
) as Record<TokenPurpose, string>

async function call(token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(service.adminUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // A stream that nobody reads any more.
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await response.body?.cancel()
    return { status: response.status, body: null }
  }
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly purpose: TokenPurpose
}

async function operations(): Promise<readonly Operation[]> {
  const document: any = await (await fetch(`${service.adminUrl}/openapi.json`)).json()
  return Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, said]) => ({
      method: method.toUpperCase(),
      path,
      purpose: said['x-token-purpose'],
    })),
  )
}

/** Answered to anybody. */
const OPEN = new Set([
  'GET /api/session',
  'POST /api/session',
  'POST /api/session/code',
  'POST /api/link',
  'POST /api/link/look',
])

const refusal = (has: TokenPurpose, needed: TokenPurpose) => ({
  status: 403,
  body: {
    code: 'ForbiddenError',
    message: `This token is for ${has}; this call needs one for ${needed}${needed === 'administer' ? '' : ', or a broader one'}.`,
  },
})

describe('the purpose of a token', () => {
  test('is enough or not at each call of the admin API, which says so', async () => {
    const all = (await operations()).filter(({ method, path }) => !OPEN.has(`${method} ${path}`))
    expect(all.length).toBeGreaterThan(40)
    for (const { method, path, purpose: needed } of all) {
      const filled = path.replaceAll(/\{\w+\}/g, 'none')
      for (const has of TOKEN_PURPOSES) {
        const answer = await call(tokens[has], method, filled, method === 'GET' ? undefined : {})
        const isLesser = TOKEN_PURPOSES.indexOf(has) < TOKEN_PURPOSES.indexOf(needed)
        if (isLesser) expect({ method, path, ...answer }).toEqual({ method, path, ...refusal(has, needed) })
        else expect({ method, path, has, status: answer.status }).not.toMatchObject({ status: 403 })
      }
    }
  }, 60_000)

  test('is named for each call, and by hand for each that needs the broadest', async () => {
    const broadest = (await operations()).filter(({ purpose }) => purpose === 'administer')
    // Whatever is not in the table is there too: a call that is new has to be judged.
    expect(broadest.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      [
        'DELETE /api/sessions',
        'PUT /api/password',
        'GET /api/second-factor',
        'POST /api/second-factor',
        'DELETE /api/second-factor',
        'POST /api/second-factor/confirm',
        'POST /api/second-factor/recovery-codes',
        'POST /api/administrators',
        'POST /api/arrivals',
        'DELETE /api/administrators/{name}',
        'POST /api/tokens',
        'DELETE /api/tokens/{name}',
      ].toSorted(),
    )
  })

  test('read reads metrics, and what is not there is not there', async () => {
    expect(await call(tokens.read, 'GET', '/metrics')).toMatchObject({ status: 200 })
    expect(await call(tokens.read, 'GET', '/readyz')).toMatchObject({ status: 200 })
    expect(await call(tokens.read, 'GET', '/api/nope')).toMatchObject({ status: 404 })
  })

  test('is that of the call that is made, whatever the path is made to look like', async () => {
    const { id } = service.application
    const names = async (): Promise<string[]> =>
      (await call(tokens.read, 'GET', '/api/tokens')).body.tokens.map(({ name }: { name: string }) => name)
    const before = await names()
    for (const path of [
      '//api/tokens',
      '/api//tokens',
      '/./api/tokens',
      `/api/applications/${id}/v1/../../../tokens`,
    ]) {
      const { body } = await call(tokens.read, 'POST', path, { name: 'sneaked' })
      expect(body.token).toBeUndefined()
    }
    expect(await names()).toEqual(before)
  })

  test('of the public API on behalf of an application is read for GET, send for pushes, operate for the registry', async () => {
    const path = `/api/applications/${service.application.id}/v1`
    const push = { platform: [0], msg: 'Hello', sound: '', badge: '' }
    const device = { token: 'a1'.repeat(32), platform: 0 }
    expect((await call(tokens.read, 'GET', `${path}/pushes`)).status).toBe(200)
    expect(await call(tokens.read, 'POST', `${path}/push/all`, push)).toEqual(refusal('read', 'send'))
    const sent = await call(tokens.send, 'POST', `${path}/push/all`, push)
    expect(sent.status).toBe(200)
    // Replacing and withdrawing a push is sending. This one reached nobody.
    const shown = `${path}/push/${sent.body.id}/shown`
    for (const method of ['PUT', 'DELETE']) {
      expect(await call(tokens.read, method, shown, push)).toEqual(refusal('read', 'send'))
      expect(await call(tokens.send, method, shown, { msg: 'Bye' })).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('The push was sent to no device') },
      })
    }
    expect((await call(tokens.operate, 'DELETE', `${path}/pushes`)).status).toBe(405)
    expect(await call(tokens.send, 'PUT', `${path}/deviceToken`, device)).toEqual(refusal('send', 'operate'))
    expect((await call(tokens.operate, 'PUT', `${path}/deviceToken`, device)).status).toBe(201)
    const document: any = await (await fetch(`${service.url}/openapi.json`)).json()
    const posts = Object.entries<object>(document.paths).filter(([, methods]) => 'post' in methods)
    expect(posts.filter(([path]) => !path.startsWith('/push'))).toEqual([])
  })

  test('is shown, and kept out of what it is not for, also where nobody asked for it', async () => {
    expect((await call(tokens.send, 'GET', '/api/session')).body.token).toEqual({
      name: 'send',
      purpose: 'send',
      expiresAt: null,
    })
    for (const [given, message] of [
      [{ purpose: 'everything' }, 'purpose must be one of read, send, operate, administer, not "everything".'],
      [{ expiresInDays: 0 }, 'expiresInDays must be a whole number from 1 to 3650, not 0.'],
      [{ expiresInDays: 'soon' }, 'expiresInDays must be a whole number from 1 to 3650, or never, not "soon".'],
    ] as const) {
      const { status, body } = await call(tokens.administer, 'POST', '/api/tokens', { name: 'x', ...given })
      expect({ status, message: body.message }).toEqual({ status: 400, message })
    }
  })
})

describe('the end of a token', () => {
  const make = async (given: object, by = tokens.administer) => (await call(by, 'POST', '/api/tokens', given)).body

  test('is after 90 days by default, and is said then', async () => {
    const made = await make({ name: 'usual' })
    const end = new Date(clock.now() + 90 * DAY_MS).toISOString()
    expect(made).toMatchObject({ purpose: 'read', expiresAt: end })
    clock.standStill(90 * DAY_MS - 1)
    expect((await call(made.token, 'GET', '/api/tokens')).status).toBe(200)
    clock.standStill(1)
    for (const path of ['/api/tokens', '/api/log', '/api/command']) {
      expect(await call(made.token, 'GET', path)).toEqual({
        status: 401,
        body: {
          code: 'InvalidCredentials',
          message: `This token expired at ${end}: create another with bellhop admin token.`,
        },
      })
    }
    expect((await call(tokens.read, 'GET', '/api/tokens')).body.tokens).toContainEqual(
      expect.objectContaining({ name: 'usual', expiresAt: end }),
    )
  })

  test('can be another, or none', async () => {
    const week = await make({ name: 'week', expiresInDays: '7' })
    expect(week.expiresAt).toBe(new Date(clock.now() + 7 * DAY_MS).toISOString())
    expect(await make({ name: 'always', expiresInDays: 'never' })).toMatchObject({ expiresAt: null })
  })

  test('is never after that of the token that makes it', async () => {
    const short = await make({ name: 'short', purpose: 'administer', expiresInDays: 2 })
    expect(await make({ name: 'shorter', expiresInDays: 1 }, short.token)).toMatchObject({ name: 'shorter' })
    expect(await make({ name: 'as short' }, short.token)).toMatchObject({ expiresAt: short.expiresAt })
    for (const expiresInDays of [3, 'never']) {
      const { code, message } = await make({ name: 'longer', expiresInDays }, short.token)
      expect({ code, message }).toEqual({
        code: 'InvalidArgument',
        message: `expiresInDays must not be later than the expiry of the token that creates it, ${short.expiresAt}.`,
      })
    }
  })

  test('ends a stream that was opened before it', async () => {
    const { token } = await make({ name: 'stream', expiresInDays: 1 })
    const response = await fetch(`${service.adminUrl}/api/service-log`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    const read = (async () => {
      for await (const _ of response.body ?? []) continue
    })()
    clock.standStill(DAY_MS)
    clock.advance(1000)
    await read
  })
})

test('each command runs in a server, for a purpose, or says why it stays in its own process', () => {
  expect([...Object.keys(COMMAND_PURPOSES), ...Object.keys(STAYS_HERE)].toSorted()).toEqual(
    COMMANDS.map(({ name }) => name).toSorted(),
  )
})
