import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { authenticator } from '../support/authenticator.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { callAsPage } from './admin-caller.ts'
import type { SentByPage } from './admin-caller.ts'

const PASSWORD = 'correct horse battery'
const STEP_MS = 30_000

let clock: FakeClock
let service: Service
let cookie: string

beforeEach(async () => {
  clock = createFakeClock()
  service = await startService({ clock })
  const link = (await service.server.setupUrl())?.split('#')[1] ?? ''
  cookie = cookieIn((await call('POST', '/api/link', { body: { link, name: 'ann', password: PASSWORD } })).headers)
})
afterEach(() => service[Symbol.asyncDispose]())

const call = (method: string, path: string, sent: SentByPage = {}) => callAsPage(service.adminUrl, method, path, sent)

const cookieIn = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? ''

const signIn = async (password = PASSWORD, name = 'ann') => call('POST', '/api/session', { body: { name, password } })

const finish = (step: string, code: string) => call('POST', '/api/session/code', { body: { step, code } })

/** Turns it on; what the app shows, and the recovery codes. */
async function turnOn() {
  const { secret } = (await call('POST', '/api/second-factor', { cookie })).body
  const app = authenticator(secret, clock)
  const { status, body } = await call('POST', '/api/second-factor/confirm', { cookie, body: { code: app() } })
  expect(status).toBe(200)
  clock.standStill(STEP_MS)
  return { app, codes: body.recoveryCodes as readonly string[], secret }
}

async function step(): Promise<string> {
  const { body, headers } = await signIn()
  expect({ administrator: body.administrator, cookie: headers.get('set-cookie') }).toEqual({
    administrator: null,
    cookie: null,
  })
  return body.step
}

const loggedActions = async () =>
  (await call('GET', '/api/log?limit=5', { cookie })).body.entries.map(({ action }: { action: string }) => action)

const WRONG = { code: 'InvalidCredentials', message: 'code is wrong or was already used.' }

describe('setting it up', () => {
  test('shows a key that counts once a code of it was seen, and ten recovery codes then', async () => {
    const begun = await call('POST', '/api/second-factor', { cookie })
    expect(begun.body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: `otpauth://totp/Bellhop:ann?secret=${begun.body.secret}&issuer=Bellhop`,
      qr: { path: expect.stringMatching(/^(M\d+ \d+h1v1h-1z)+$/), size: expect.any(Number) },
    })
    // Nothing has changed yet.
    expect((await signIn()).body).toMatchObject({ administrator: { name: 'ann' }, step: null })
    const app = authenticator(begun.body.secret, clock)
    const wrong = await call('POST', '/api/second-factor/confirm', { cookie, body: { code: '000000' } })
    expect({ status: wrong.status, body: wrong.body }).toEqual({ status: 401, body: WRONG })
    const { body } = await call('POST', '/api/second-factor/confirm', { cookie, body: { code: app() } })
    expect(new Set(body.recoveryCodes).size).toBe(10)
    expect((await call('GET', '/api/second-factor', { cookie })).body).toEqual({ isOn: true, recoveryCodesLeft: 10 })
    expect((await call('GET', '/api/administrators', { cookie })).body.administrators).toMatchObject([
      { name: 'ann', hasSecondFactor: true },
    ])
    const again = await call('POST', '/api/second-factor', { cookie })
    expect({ status: again.status, message: again.body.message }).toEqual({
      status: 409,
      message: 'You already have a second factor: turn it off first.',
    })
    expect(await loggedActions()).toContain('turn on second factor')
  })

  test('begun anew has another key, and the one before is good for nothing', async () => {
    const first = (await call('POST', '/api/second-factor', { cookie })).body.secret
    const second = (await call('POST', '/api/second-factor', { cookie })).body.secret
    const confirm = (secret: string) =>
      call('POST', '/api/second-factor/confirm', { cookie, body: { code: authenticator(secret, clock)() } })
    expect((await confirm(first)).status).toBe(401)
    expect((await confirm(second)).status).toBe(200)
  })

  test('leaves neither key nor recovery codes on disk as they are', async () => {
    const { codes, secret } = await turnOn()
    const dump = JSON.stringify([
      service.database.statement<object, []>('SELECT hex(sealed) FROM second_factor').all(),
      service.database.statement<object, []>('SELECT hex(digest) FROM recovery_code').all(),
      service.log,
    ])
    for (const text of [secret, ...codes]) {
      expect(dump).not.toContain(text)
      expect(dump).not.toContain(Buffer.from(text).toString('hex').toUpperCase())
    }
  })

  test('is nothing for a token', async () => {
    const { token } = (await call('POST', '/api/tokens', { cookie, body: { name: 'ci', purpose: 'administer' } })).body
    const { status, body } = await call('POST', '/api/second-factor', { token })
    expect({ status, message: body.message }).toEqual({ status: 400, message: 'A token has no second factor.' })
  })
})

describe('signing in', () => {
  test('asks for a code behind the password, which counts once', async () => {
    const { app } = await turnOn()
    const asked = await step()
    const done = await finish(asked, app())
    expect(done.body).toMatchObject({ administrator: { name: 'ann' }, step: null })
    expect((await call('GET', '/api/log', { cookie: cookieIn(done.headers) })).status).toBe(200)
    // The step is over, and so is the code.
    expect((await finish(asked, app(1))).body.message).toBe('step has expired, or is unknown: sign in again.')
    expect((await finish(await step(), app())).body).toEqual(WRONG)
    expect((await call('GET', '/api/log?limit=20', { cookie })).body.entries).toContainEqual(
      expect.objectContaining({ action: 'sign in', detail: { how: 'password and code' } }),
    )
  })

  test('says nothing of a second factor to whoever has the password wrong', async () => {
    const before = await signIn('wrong')
    await turnOn()
    const after = await signIn('wrong')
    const unknown = await signIn(PASSWORD, 'eve')
    expect([after, unknown].map(({ status, body }) => ({ status, body }))).toEqual([
      { status: before.status, body: before.body },
      { status: before.status, body: before.body },
    ])
  })

  test('takes each recovery code once, however it is typed', async () => {
    const { codes } = await turnOn()
    const [code = ''] = codes
    const typed = code.toUpperCase().replaceAll('-', ' ')
    expect((await finish(await step(), typed)).body).toMatchObject({ administrator: { name: 'ann' } })
    expect((await finish(await step(), code)).body).toEqual(WRONG)
    expect((await call('GET', '/api/second-factor', { cookie })).body).toEqual({ isOn: true, recoveryCodesLeft: 9 })
  })

  test('gives five minutes for the code', async () => {
    const { app } = await turnOn()
    const asked = await step()
    clock.standStill(5 * 60_000)
    const { status, body } = await finish(asked, app())
    expect({ status, message: body.message }).toEqual({
      status: 401,
      message: 'step has expired, or is unknown: sign in again.',
    })
  })

  test('slows down who guesses codes, whichever step they try it with, and says what helps', async () => {
    const { app } = await turnOn()
    for (let n = 0; n < 10; n++) {
      const wrong = n % 2 === 0 ? 'abcd-abcd-abcd-abcd' : app(-5)
      expect((await finish(await step(), wrong)).body).toEqual(WRONG)
    }
    const { status, headers, body } = await finish(await step(), app())
    expect({ status, wait: headers.get('retry-after'), message: body.message }).toEqual({
      status: 429,
      wait: '300',
      message: 'Too many wrong codes. Wait, or run bellhop admin reset NAME on the server.',
    })
    const { entries } = (await call('GET', '/api/log?action=sign%20in&limit=1', { cookie })).body
    expect(entries).toMatchObject([
      { who: 'administrator ann', result: 'refused', code: 'InvalidCredentials', detail: { how: 'code' } },
    ])
    clock.standStill(300_000)
    expect((await finish(await step(), app())).status).toBe(200)
  })

  test('is over for a step whose password has changed meanwhile, or whose second factor was turned off', async () => {
    const { app, codes } = await turnOn()
    const first = await step()
    const password = 'another good password'
    const changed = await call('PUT', '/api/password', { cookie, body: { current: PASSWORD, password } })
    expect((await finish(first, app())).body.message).toContain('step has expired')
    const second = (await signIn(password)).body.step
    const off = { cookie: cookieIn(changed.headers), body: { code: codes[0] } }
    expect((await call('DELETE', '/api/second-factor', off)).status).toBe(200)
    expect((await finish(second, app())).body.message).toContain('step has expired')
  })

  test('by a link asks for the code too: the link stands for the password', async () => {
    const { app } = await turnOn()
    const { createAdminLinkStore } = await import('../../src/admin/session/admin-link-store.ts')
    const link = createAdminLinkStore({ database: service.database, clock }).make({ number: 1 }, null)
    const used = await call('POST', '/api/link', { body: { link } })
    expect(used.body.administrator).toBeNull()
    expect(used.headers.get('set-cookie')).toBeNull()
    expect((await call('POST', '/api/link', { body: { link } })).status).toBe(404)
    expect((await finish(used.body.step, app())).body).toMatchObject({ administrator: { name: 'ann' } })
  })

  test('asks after a restart too, with the same key', async () => {
    const { app } = await turnOn()
    service = await service.restart()
    expect((await finish(await step(), app())).body).toMatchObject({ administrator: { name: 'ann' } })
  })
})

describe('changing it', () => {
  test('needs a code, or a recovery code', async () => {
    const { app, codes } = await turnOn()
    expect((await call('DELETE', '/api/second-factor', { cookie, body: {} })).body.message).toBe('code is required.')
    expect((await call('DELETE', '/api/second-factor', { cookie, body: { code: '000000' } })).body).toEqual(WRONG)
    const renewed = await call('POST', '/api/second-factor/recovery-codes', { cookie, body: { code: app() } })
    expect(renewed.body.recoveryCodes).toHaveLength(10)
    const old = await call('DELETE', '/api/second-factor', { cookie, body: { code: codes[0] } })
    expect(old.body).toEqual(WRONG)
    const code = renewed.body.recoveryCodes[0]
    expect((await call('DELETE', '/api/second-factor', { cookie, body: { code } })).status).toBe(200)
    expect((await signIn()).body).toMatchObject({ administrator: { name: 'ann' } })
    expect((await call('DELETE', '/api/second-factor', { cookie, body: { code } })).body.message).toBe(
      'You have no second factor.',
    )
    expect(await loggedActions()).toEqual(expect.arrayContaining(['make recovery codes', 'turn off second factor']))
  })
})
