import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { connectTo } from '../support/raw-connection.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { callAsPage } from './admin-caller.ts'
import type { SentByPage } from './admin-caller.ts'

let clock: FakeClock
let service: Service

beforeEach(async () => {
  clock = createFakeClock()
  service = await startService({ clock, config: { trustedProxies: ['127.0.0.1'] } })
})
afterEach(() => service[Symbol.asyncDispose]())

const PASSWORD = 'correct horse battery'

const call = (method: string, path: string, sent: SentByPage = {}) => callAsPage(service.adminUrl, method, path, sent)

const cookiesIn = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
/** That of the session. */
const cookieIn = (headers: Headers) => cookiesIn(headers)[0] ?? ''
/** That by which the browser is known. */
const browserIn = (headers: Headers) => cookiesIn(headers)[1] ?? ''

async function newLink(): Promise<string> {
  const url = await service.server.setupUrl()
  return url?.split('#')[1] ?? ''
}

/** Becomes an administrator by the link of the start; the cookie. */
async function setUp(name = 'ann'): Promise<string> {
  const { status, headers } = await call('POST', '/api/link', {
    body: { link: await newLink(), name, password: PASSWORD },
  })
  expect(status).toBe(200)
  return cookieIn(headers)
}

/** As a proxy says of whom it speaks for. */
const from = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}` })

const signIn = (name: string, password: string, headers = {}) =>
  call('POST', '/api/session', { body: { name, password }, headers })

const NOBODY = {
  code: 'InvalidCredentials',
  message: 'Sign in first, or send a token: Authorization: Bearer bha_….',
}
const COMMON = 'password must not be a common password, even repeated or with digits and symbols around it.'
const SPENT = {
  code: 'ResourceNotFound',
  message:
    'This link was used, is older than 30 minutes, or ended with whoever made it. Create another with bellhop admin link.',
}

describe('the link of the first start', () => {
  test('makes an administrator of whoever opens it, once', async () => {
    const link = await newLink()
    // To anybody nothing of the service but whether it is set up.
    const stranger = { administrator: null, token: null, step: null, isSetUp: false, service: null }
    expect((await call('GET', '/api/session')).body).toEqual(stranger)
    expect((await call('POST', '/api/link/look', { body: { link } })).body).toMatchObject({ kind: 'setup', name: null })
    const made = await call('POST', '/api/link', { body: { link, name: 'ann', password: PASSWORD } })
    expect(made.body).toMatchObject({ administrator: { name: 'ann' }, isSetUp: true })
    const cookie = cookieIn(made.headers)
    expect((await call('GET', '/api/session', { cookie })).body).toEqual({
      administrator: { name: 'ann' },
      token: null,
      step: null,
      isSetUp: true,
      service: { version: expect.stringMatching(/^\d+\.\d+\.\d+/), url: service.url },
    })
    const again = await call('POST', '/api/link', { body: { link, name: 'eve', password: PASSWORD } })
    expect({ status: again.status, body: again.body }).toEqual({ status: 404, body: SPENT })
    expect(await service.server.setupUrl()).toBeNull()
  })

  test('is good for 30 minutes', async () => {
    const link = await newLink()
    clock.standStill(30 * 60_000)
    expect((await call('POST', '/api/link/look', { body: { link } })).body).toEqual(SPENT)
    expect((await call('POST', '/api/link', { body: { link, name: 'ann', password: PASSWORD } })).body).toEqual(SPENT)
  })

  test('says what is missing, or wrong, and is not used up by that', async () => {
    const link = await newLink()
    const tries: readonly (readonly [object, number, string])[] = [
      [{}, 409, 'name is required.'],
      [{ name: 'ann' }, 409, 'password is required.'],
      [{ name: 'ann', password: 'elevenchars' }, 400, 'password must be 12 to 1024 characters.'],
      [{ name: 'ann', password: 'Password2026!' }, 400, COMMON],
      [
        { name: 'Annabel', password: 'annabel-bellhop-1' },
        400,
        'password must not be the name or "bellhop" with a few characters added.',
      ],
      [
        { name: 'ann\u202E', password: PASSWORD },
        400,
        'name must be 1 to 64 characters, without control characters and without white space at an end, not "ann\\u202e".',
      ],
    ]
    for (const [given, status, message] of tries) {
      const answer = await call('POST', '/api/link', { body: { link, ...given } })
      expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message })
    }
    expect((await call('POST', '/api/link', { body: { link, name: 'ann', password: PASSWORD } })).status).toBe(200)
  })

  test('ends with the first administrator, whichever of several was used', async () => {
    const [first, second] = [await newLink(), await newLink()]
    await call('POST', '/api/link', { body: { link: second, name: 'ann', password: PASSWORD } })
    expect((await call('POST', '/api/link/look', { body: { link: first } })).body).toEqual(SPENT)
  })
})

describe('signing in', () => {
  test('takes the right password, whatever the case of the name', async () => {
    await setUp()
    const { status, headers, body } = await signIn('Ann', PASSWORD)
    expect({ status, body }).toMatchObject({ status: 200, body: { administrator: { name: 'ann' } } })
    expect((await call('GET', '/api/log', { cookie: cookieIn(headers) })).status).toBe(200)
  })

  test('does not say which of name and password is wrong', async () => {
    await setUp()
    const wrong = { code: 'InvalidCredentials', message: 'Name or password is wrong.' }
    for (const [name, password] of [
      ['ann', 'wrong'],
      ['eve', PASSWORD],
    ] as const) {
      const { status, body } = await signIn(name, password)
      expect({ status, body }).toEqual({ status: 401, body: wrong })
    }
  })

  test('slows down who guesses, by network, and lets them try again with time', async () => {
    await setUp()
    for (let n = 0; n < 10; n++) expect((await signIn(`name ${n}`, 'wrong')).status).toBe(401)
    const { status, headers, body } = await signIn('ann', PASSWORD)
    expect({ status, code: body.code, wait: headers.get('retry-after') }).toEqual({
      status: 429,
      code: 'TooManyRequestsError',
      wait: '30',
    })
    clock.standStill(30_000)
    expect((await signIn('ann', PASSWORD)).status).toBe(200)
    // What was right costs nothing.
    for (let n = 0; n < 3; n++) expect((await signIn('ann', PASSWORD)).status).toBe(200)
  })

  test('slows down who guesses at one name from many networks', async () => {
    await setUp()
    for (let n = 0; n < 20; n++) expect((await signIn('ann', 'wrong', from(n))).status).toBe(401)
    expect((await signIn('ANN', PASSWORD, from(99))).status).toBe(429)
    expect((await signIn('eve', 'wrong', from(99))).status).toBe(401)
  })

  test('takes so many at once, and answers the rest at once with 429', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => signIn(`name ${n}`, 'wrong', from(n))))
    const busy = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(33)
    expect(busy.length).toBeGreaterThan(0)
    for (const { headers, body } of busy) {
      expect([headers.get('retry-after'), body]).toEqual([
        '2',
        { code: 'TooManyRequestsError', message: 'Too many passwords are being checked. Try again in a moment.' },
      ])
    }
  })
})

describe('a browser that has signed in', () => {
  let browser = ''

  beforeEach(async () => {
    await setUp()
    browser = browserIn((await signIn('ann', PASSWORD, from(1))).headers)
  })

  /** Somebody keeps the name locked. */
  async function lockOut(): Promise<void> {
    for (let n = 0; n < 20; n++) await signIn('ann', 'wrong', from(100 + n))
    expect((await signIn('ann', PASSWORD, from(2))).status).toBe(429)
  }

  test('is let in while others guess at the name, and slowed down for its own wrong tries', async () => {
    await lockOut()
    expect((await signIn('ann', PASSWORD, { ...from(2), cookie: browser })).status).toBe(200)
    for (let n = 0; n < 10; n++) {
      expect((await signIn('ann', 'wrong', { ...from(n), cookie: browser })).status).toBe(401)
    }
    expect((await signIn('ann', PASSWORD, { ...from(2), cookie: browser })).status).toBe(429)
  })

  test('has a cookie that no script reads, for 180 days, also after a restart', async () => {
    const [, cookie] = (await signIn('ann', PASSWORD)).headers.getSetCookie()
    expect(cookie).toMatch(
      /^bellhop-browser=[\w-]{22}\.\d+\.[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    )
    service = await service.restart()
    await lockOut()
    expect((await signIn('ann', PASSWORD, { ...from(2), cookie: browser })).status).toBe(200)
  })

  test('is known no more after another password, nor with a cookie that was changed', async () => {
    const [id, until, signed] = browser.split('.')
    await lockOut()
    for (const forged of [
      `bellhop-browser=AAAAAAAAAAAAAAAAAAAAAA.${until}.${signed}`,
      `${id}.9${until}.${signed}`,
      `${id}.${until}`,
      'bellhop-browser=..',
    ]) {
      expect([forged, (await signIn('ann', PASSWORD, { ...from(2), cookie: forged })).status]).toEqual([forged, 429])
    }
    const cookie = cookieIn((await signIn('ann', PASSWORD, { ...from(2), cookie: browser })).headers)
    const body = { current: PASSWORD, password: 'another good password' }
    const changed = await call('PUT', '/api/password', { cookie: `${cookie}; ${browser}`, body, headers: from(2) })
    expect(changed.status).toBe(200)
    const again = (known: string) => signIn('ann', 'another good password', { ...from(2), cookie: known })
    expect((await again(browser)).status).toBe(429)
    expect((await again(browserIn(changed.headers))).status).toBe(200)
  })

  test('is signed in by nothing but the password', async () => {
    expect((await call('GET', '/api/log', { cookie: browser })).body).toEqual(NOBODY)
    expect((await signIn('ann', 'wrong', { cookie: browser })).status).toBe(401)
  })
})

describe('a session', () => {
  test('is in a cookie that no script reads and no other site sends; over https of this host alone', async () => {
    await setUp()
    const plain = (await signIn('ann', PASSWORD)).headers.getSetCookie()[0]
    expect(plain).toMatch(/^bellhop=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    const origin = service.adminUrl.replace('http:', 'https:')
    const headers = { 'x-forwarded-proto': 'https' }
    const secure = await call('POST', '/api/session', { body: { name: 'ann', password: PASSWORD }, origin, headers })
    expect(secure.headers.getSetCookie()[0]).toMatch(
      /^__Host-bellhop=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    )
    const cookie = cookieIn(secure.headers)
    expect((await call('GET', '/api/session', { cookie, headers })).body).toMatchObject({
      administrator: { name: 'ann' },
    })
  })

  test('that was set over plain http is none over https, whoever set it', async () => {
    const plain = await setUp()
    expect((await call('GET', '/api/log', { cookie: plain })).status).toBe(200)
    const headers = { 'x-forwarded-proto': 'https' }
    expect((await call('GET', '/api/log', { cookie: plain, headers })).body).toEqual(NOBODY)
    const origin = service.adminUrl.replace('http:', 'https:')
    const body = { name: 'ann', password: PASSWORD }
    const secured = cookieIn((await call('POST', '/api/session', { body, origin, headers })).headers)
    const both = await call('GET', '/api/session', { cookie: `bellhop=planted; ${secured}`, headers })
    expect(both.body).toMatchObject({ administrator: { name: 'ann' } })
  })

  test('ends after a day without a call, and after 30 days whatever is done', async () => {
    const idle = await setUp()
    clock.standStill(24 * 3_600_000)
    expect((await call('GET', '/api/log', { cookie: idle })).body).toEqual(NOBODY)

    const busy = cookieIn((await signIn('ann', PASSWORD)).headers)
    for (let day = 0; day < 31; day++) {
      clock.standStill(23 * 3_600_000)
      expect((await call('GET', '/api/log', { cookie: busy })).status).toBe(200)
    }
    clock.standStill(8 * 3_600_000)
    expect((await call('GET', '/api/log', { cookie: busy })).body).toEqual(NOBODY)
  })

  test('is over when it is signed out of, also for who has kept the cookie; or everywhere', async () => {
    const one = await setUp()
    const [two, three] = [await signIn('ann', PASSWORD), await signIn('ann', PASSWORD)].map((answer) =>
      cookieIn(answer.headers),
    )
    const out = await call('DELETE', '/api/session', { cookie: one })
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await call('GET', '/api/log', { cookie: one })).status).toBe(401)
    expect((await call('GET', '/api/log', { cookie: two ?? '' })).status).toBe(200)
    expect((await call('DELETE', '/api/sessions', { cookie: three ?? '' })).status).toBe(200)
    for (const cookie of [two, three]) {
      expect((await call('GET', '/api/log', { cookie: cookie ?? '' })).status).toBe(401)
    }
  })

  test('lives through a restart', async () => {
    const cookie = await setUp()
    service = await service.restart()
    expect((await call('GET', '/api/session', { cookie })).body).toMatchObject({ administrator: { name: 'ann' } })
  })

  test('changes nothing for a page of another origin, nor where the browser does not say which page it is', async () => {
    const cookie = await setUp()
    const body = { name: 'ci' }
    for (const origin of ['http://evil.example', 'null', null]) {
      expect([origin, (await call('POST', '/api/tokens', { cookie, body, origin })).status]).toEqual([origin, 403])
    }
    expect((await call('GET', '/api/tokens', { cookie })).body).toEqual({ tokens: [] })
    const headers = { 'sec-fetch-site': 'same-origin' }
    expect((await call('POST', '/api/tokens', { cookie, body, origin: null, headers })).status).toBe(200)
  })

  test('ends everywhere with a new password, but here', async () => {
    const old = await setUp()
    const current = { current: PASSWORD, password: 'another good password' }
    const common = await call('PUT', '/api/password', { cookie: old, body: { ...current, password: 'qwerty123456' } })
    expect({ status: common.status, message: common.body.message }).toEqual({ status: 400, message: COMMON })
    const wrong = await call('PUT', '/api/password', { cookie: old, body: { ...current, current: 'wrong' } })
    expect({ status: wrong.status, message: wrong.body.message }).toEqual({ status: 401, message: 'current is wrong.' })
    const changed = await call('PUT', '/api/password', { cookie: old, body: current })
    expect(changed.status).toBe(200)
    expect((await call('GET', '/api/log', { cookie: old })).status).toBe(401)
    expect((await call('GET', '/api/log', { cookie: cookieIn(changed.headers) })).status).toBe(200)
    expect((await signIn('ann', PASSWORD)).status).toBe(401)
    expect((await signIn('ann', 'another good password')).status).toBe(200)
  })
})

describe('administrators', () => {
  test('make a link for another one, take each other away, and the last one stays', async () => {
    const cookie = await setUp()
    const { link } = (await call('POST', '/api/administrators', { cookie, body: {} })).body
    const bob = cookieIn((await call('POST', '/api/link', { body: { link, name: 'bob', password: PASSWORD } })).headers)
    const { administrators } = (await call('GET', '/api/administrators', { cookie })).body
    expect(administrators.map(({ name }: { name: string }) => name)).toEqual(['ann', 'bob'])
    expect((await call('DELETE', '/api/administrators/Ann', { cookie: bob })).status).toBe(200)
    expect((await call('GET', '/api/log', { cookie })).status).toBe(401)
    expect((await call('DELETE', '/api/administrators/ann', { cookie: bob })).status).toBe(409)
    const last = await call('DELETE', '/api/administrators/bob', { cookie: bob })
    expect({ status: last.status, message: last.body.message }).toEqual({
      status: 409,
      message: 'The last administrator cannot be removed here: use bellhop admin remove.',
    })
  })

  test('leave a trace of what they did, the last first, in pages, and nothing of it can be changed', async () => {
    const cookie = await setUp()
    const { token } = (
      await call('POST', '/api/tokens', { cookie, body: { name: 'ci & more', purpose: 'administer' } })
    ).body
    await call('DELETE', `/api/tokens/${encodeURIComponent('ci & more')}`, { token })
    const page = async (query: string) => (await call('GET', `/api/log${query}`, { cookie })).body
    const { entries, next } = await page('?limit=2')
    expect(entries).toMatchObject([
      { who: 'token ci & more', action: 'revoke token', subject: 'ci & more', at: '2026-11-20T12:00:00.000Z' },
      { who: 'administrator ann', action: 'make token', subject: 'ci & more' },
    ])
    const rest = await page(`?limit=2&before=${next}`)
    expect(rest.entries.map(({ action }: { action: string }) => action)).toEqual(['sign in', 'add administrator'])
    expect((await page(`?before=${rest.next}`)).entries).toEqual([])
    expect(() => service.database.statement("UPDATE admin_log SET who = 'nobody'").run()).toThrow(
      'what was done stays as it was written down',
    )
    expect((await call('GET', '/api/log?limit=0', { cookie })).body.message).toBe(
      'limit must be a whole number from 1 to 500, not "0".',
    )
  })
})

describe('a token', () => {
  test('to administer does all that an administrator does, until it is revoked, and is shown once', async () => {
    const cookie = await setUp()
    const body = { name: 'ci', purpose: 'administer' }
    const { token } = (await call('POST', '/api/tokens', { cookie, body })).body
    expect(token).toMatch(/^bha_[\w-]{43}$/)
    const again = await call('POST', '/api/tokens', { cookie, body: { name: 'CI' } })
    expect({ status: again.status, message: again.body.message }).toEqual({
      status: 409,
      message: 'name is taken by another token.',
    })
    expect((await call('GET', '/api/session', { token })).body).toMatchObject({ token: { name: 'ci' } })
    expect((await call('POST', '/api/tokens', { token, body: { name: 'other' }, origin: null })).status).toBe(200)
    const { tokens } = (await call('GET', '/api/tokens', { cookie })).body
    expect(tokens).toMatchObject([
      { name: 'ci', usedAt: '2026-11-20T12:00:00.000Z' },
      { name: 'other', usedAt: null },
    ])
    expect(JSON.stringify(tokens)).not.toContain(token.slice(4))
    expect((await call('DELETE', '/api/tokens/ci', { cookie })).status).toBe(200)
    const revoked = await call('GET', '/api/tokens', { token })
    expect({ status: revoked.status, body: revoked.body }).toEqual({ status: 401, body: NOBODY })
  })

  test('that is wrong lets nobody in whom a cookie would', async () => {
    const cookie = await setUp()
    expect((await call('GET', '/api/log', { cookie, token: 'bha_wrong' })).body).toEqual(NOBODY)
  })
})

describe('without a session or a token', () => {
  test('this machine reads how the service does, and nobody whom a proxy speaks for', async () => {
    for (const path of ['/readyz', '/metrics', '/pushes/x', '/simulator/received']) {
      const own = await fetch(service.adminUrl + path)
      expect([200, 404]).toContain(own.status)
      await own.text()
      for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-proto']) {
        const { status, body } = await call('GET', path, { headers: { [name]: 'x' } })
        expect({ path, name, status, body }).toEqual({ path, name, status: 401, body: NOBODY })
      }
    }
  })

  test('a token reads the same from elsewhere', async () => {
    const cookie = await setUp()
    const { token } = (await call('POST', '/api/tokens', { cookie, body: { name: 'prometheus' } })).body
    const headers = { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${token}` }
    const scraped = await fetch(`${service.adminUrl}/metrics`, { headers })
    expect(scraped.status).toBe(200)
    expect(await scraped.text()).toContain('bellhop_')
  })

  test('nobody reads what is below /api', async () => {
    for (const path of ['/api/log', '/api/tokens', '/api/administrators', '/api/nope']) {
      const { status, body } = await call('GET', path)
      expect({ path, status, body }).toEqual({ path, status: 401, body: NOBODY })
    }
  })

  // What a router, and what a guard, make of a path must be the same.
  test('nobody reads the log, whatever the path is made to look like', async () => {
    await setUp()
    for (const path of [
      '//api/log',
      '/api//log',
      '/./api/log',
      '/x/../api/log',
      '/%61pi/log',
      '/api%2Flog',
      '/API/log',
      '/api/log/',
      '/api/log;x',
      '/api/log%00',
      'http://localhost/api/log',
    ]) {
      using connection = await connectTo(service.adminUrl)
      await connection.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      const { body } = await connection.answer()
      expect([path, body]).toEqual([path, expect.not.stringContaining('add administrator')])
    }
  })
})
