import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hostRefusalOf, siteRefusalOf } from '../../src/admin/own-names.ts'
import { connectTo } from '../support/raw-connection.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const NAMES = new Set(['bellhop', '127.0.0.1'])
const PAGE = 'Pages of other sites may not call the admin side.'
const NAME = 'The admin side does not allow this host name: add it with --admin-host.'

const judge = (given: Record<string, string>) => {
  const headers = new Headers(given)
  return hostRefusalOf(headers, NAMES) ?? siteRefusalOf(headers)
}

describe('the admin side answers to', () => {
  const own = ['localhost', 'LocalHost:8791', 'localhost.', 'bellhop', 'Bellhop:8791', '127.0.0.1:1', '10.0.0.7:8791']
  test.each([...own, '[::1]', '[::1]:8791', '[fd00::17]:8791'])('%s', (host) => {
    expect(judge({ host })).toBeNull()
  })

  test('a call that names no host, as HTTP/1.0 may', () => {
    expect(judge({})).toBeNull()
  })
})

describe('the admin side does not answer to', () => {
  const foreign = ['evil.example', 'evil.example:8791', 'localhost.evil.example', '127.0.0.1.evil.example', 'bellhop.x']
  test.each([...foreign, '', ':8791', '::1', '[bellhop]', 'user@localhost', 'localhost:x', 'a b', '0x7f.1'])(
    '%j',
    (host) => {
      expect(judge({ host })).toEqual({ code: 'MisdirectedRequestError', message: NAME })
    },
  )
})

describe('of pages', () => {
  const host = 'localhost:8791'

  test('its own may call it, and what a person types', () => {
    for (const site of ['same-origin', 'none']) expect(judge({ host, 'sec-fetch-site': site })).toBeNull()
    expect(judge({ host, origin: 'http://localhost:8791' })).toBeNull()
    expect(judge({ host: 'LOCALHOST:8791', origin: 'http://localhost:8791' })).toBeNull()
    expect(judge({ host: '127.0.0.1:80', origin: 'http://127.0.0.1' })).toBeNull()
  })

  test('its own by https may, where a proxy or the browser itself says that it came so', () => {
    const page = { host: 'bellhop', origin: 'https://bellhop' }
    expect(judge({ ...page, 'x-forwarded-proto': 'https' })).toBeNull()
    expect(judge({ ...page, 'x-forwarded-proto': 'https, http' })).toBeNull()
    // A browser sends this by https and to loopback alone.
    expect(judge({ ...page, 'sec-fetch-site': 'same-origin' })).toBeNull()
    expect(judge({ ...page, host: 'bellhop:443', 'x-forwarded-proto': 'https' })).toBeNull()
  })

  const plainPage: readonly Record<string, string>[] = [
    { host: 'bellhop', origin: 'http://bellhop', 'x-forwarded-proto': 'https' },
    { host: 'bellhop', origin: 'http://bellhop', 'sec-fetch-site': 'same-origin' },
    { host: 'bellhop:443', origin: 'http://bellhop:443', 'x-forwarded-proto': 'https' },
    { host: 'bellhop', origin: 'https://bellhop' },
    { host: 'localhost', origin: 'https://localhost' },
    { host: 'localhost', origin: 'https://localhost', 'sec-fetch-site': 'same-origin' },
  ]
  test.each(plainPage)('one of the same name by another scheme may not: %j', (given) => {
    expect(judge(given)).toEqual({ code: 'ForbiddenError', message: PAGE })
  })

  test.each(['http://evil.example', 'http://localhost:3000', 'http://localhost', 'null', 'chrome-extension://x', ''])(
    'that of the origin %j may not',
    (origin) => {
      expect(judge({ host, origin })).toEqual({ code: 'ForbiddenError', message: PAGE })
    },
  )

  test.each(['cross-site', 'same-site'])('a %s one may not', (site) => {
    expect(judge({ host, 'sec-fetch-site': site })).toEqual({ code: 'ForbiddenError', message: PAGE })
  })
})

describe('a running service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ config: { adminHost: ['bellhop'] } })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function call(path: string, ...headers: readonly string[]) {
    using connection = await connectTo(service.adminUrl)
    await connection.write([`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'))
    const { status, body } = await connection.answer()
    return { status, body: status === 200 ? null : JSON.parse(body) }
  }

  test.each(['/healthz', '/readyz', '/metrics', '/pushes/x', '/api/session', '/api/log'])(
    'shows %s to no page',
    async (path) => {
      const byName = await call(path, 'Host: evil.example')
      expect(byName).toEqual({ status: 421, body: { code: 'MisdirectedRequestError', message: NAME } })
      const bySite = await call(path, 'Host: bellhop', 'Sec-Fetch-Site: cross-site')
      expect(bySite).toEqual({ status: 403, body: { code: 'ForbiddenError', message: PAGE } })
    },
  )

  const GUARDED = ['/readyz', '/metrics', '/pushes/x', '/simulator/received']

  test.each(['localhost', 'LOCALHOST.:8791', '127.0.0.1:8791', '127.8.8.8', '[::1]:8791'])(
    'tells this machine how it is, which calls it %s',
    async (host) => {
      for (const path of ['/healthz', ...GUARDED]) {
        const { status } = await call(path, `Host: ${host}`)
        expect([path, status]).toEqual([path, path === '/pushes/x' ? 404 : 200])
      }
    },
  )

  // A proxy on this machine may pass the name on and say nothing of itself.
  test.each(['Host: bellhop:8791', 'Host: bellhop', 'Host: 10.1.2.3:8791', 'Host: [fd00::17]', ''])(
    'tells nobody without a token who calls from this machine with %j, but that it lives',
    async (host) => {
      const version = host === '' ? 'HTTP/1.0' : 'HTTP/1.1'
      const ask = async (path: string) => {
        using connection = await connectTo(service.adminUrl)
        await connection.write(`GET ${path} ${version}\r\n${host === '' ? '' : `${host}\r\n`}\r\n`)
        return (await connection.answer()).status
      }
      for (const path of GUARDED) expect([path, await ask(path)]).toEqual([path, 401])
      expect(await ask('/healthz')).toBe(200)
    },
  )
})
