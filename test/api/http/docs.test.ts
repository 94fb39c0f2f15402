import { describe, expect, test } from 'bun:test'
import { runInNewContext } from 'node:vm'
import swaggerUi from 'swagger-ui-dist/package.json' with { type: 'json' }
import { gunzipSync } from 'node:zlib'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure, statusesOf } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import { VERSION } from '../../../src/version.ts'

const service = await fileService({ simulated: false })

/** As a browser does, which knows of no application. */
const get = (path: string) => service.get(path, { as: 'nobody', headers: { 'accept-version': null } })

describe('/docs', () => {
  test('is a page whose script and style come from the service', async () => {
    const page = await get('/docs')
    expect(page).toMatchObject({ status: 200 })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const links = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => String(link))
    // An empty icon: without one a browser asks for /favicon.ico, and reports its 404.
    const kept = `?${swaggerUi.version}`
    expect(links.toSorted()).toEqual([
      '/docs/start.js',
      `/docs/swagger-ui.css${kept}`,
      `/docs/swagger-ui.js${kept}`,
      'data:,',
    ])
    for (const link of links.filter((one) => one.startsWith('/'))) {
      const { status, headers, body } = await get(link)
      expect({ link, status, type: headers.get('content-type')?.split(';')[0] }).toEqual({
        link,
        status: 200,
        type: link.includes('.js') ? 'text/javascript' : 'text/css',
      })
      expect(body).not.toBeEmpty()
    }
  })

  test('shows /openapi.json with that script', async () => {
    const { body } = await get('/docs/start.js')
    const shown: object[] = []
    // Run as the page does, where the bundle is a global.
    runInNewContext(body, { SwaggerUIBundle: (options: object) => void shown.push(options) })
    expect(shown).toMatchObject([{ url: '/openapi.json', dom_id: '#docs', validatorUrl: null }])
    expect((await get('/docs')).body).toContain('<div id="docs">')
    expect((await get('/docs/swagger-ui.js')).body).toContain('SwaggerUIBundle')
  })

  test('has no address of another host, and lets the browser load from nowhere else', async () => {
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      const { body } = await get(path)
      const hosts = JSON.stringify(body).match(/(https?:)?\/\/[\w.]+/g) ?? []
      // The picture of an example, at a name that nobody can have (RFC 2606).
      expect({ path, hosts: hosts.filter((host) => host !== 'https://shop.example') }).toEqual({ path, hosts: [] })
    }
    expect((await get('/docs/swagger-ui.css')).body).not.toMatch(/@import|url\(["']?(?!["']?data:)/)
    const policy = (await get('/docs')).headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  const PATHS = ['/docs', '/docs/start.js', '/docs/swagger-ui.js', '/docs/swagger-ui.css', '/openapi.json']

  /** As it comes over the wire. */
  async function fetched(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(service.url + path, { headers, decompress: false })
    return { status: response.status, headers: response.headers, bytes: await response.bytes() }
  }

  test('comes compressed to whom takes gzip, and is the same', async () => {
    for (const path of PATHS) {
      const plain = await fetched(path, { 'accept-encoding': 'identity' })
      for (const encoding of ['br, identity', 'gzip;q=0', 'deflate, gzip; q=0.000', '']) {
        const other = await fetched(path, { 'accept-encoding': encoding })
        expect([encoding, other.headers.get('content-encoding')]).toEqual([encoding, null])
        expect(Buffer.compare(other.bytes, plain.bytes)).toBe(0)
      }
      for (const encoding of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8']) {
        const zipped = await fetched(path, { 'accept-encoding': encoding })
        expect([path, zipped.status, zipped.headers.get('content-encoding')]).toEqual([path, 200, 'gzip'])
        expect(zipped.headers.get('content-type')).toBe(plain.headers.get('content-type'))
        expect(Buffer.compare(gunzipSync(zipped.bytes), plain.bytes)).toBe(0)
        if (path.includes('swagger-ui')) expect(zipped.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 3)
      }
      expect(plain.headers.get('vary')).toBe('Accept-Encoding, Origin')
      expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('is sent once to who keeps it: with its ETag it is 304', async () => {
    for (const path of PATHS) {
      const { headers } = await fetched(path)
      const etag = headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
      const kept = path.includes('swagger-ui') ? 'public, max-age=31536000, immutable' : 'no-cache'
      expect([path, headers.get('cache-control')]).toEqual([path, kept])
      for (const match of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const again = await fetched(path, { 'if-none-match': match })
        expect([match, again.status, again.bytes.byteLength, again.headers.get('etag')]).toEqual([match, 304, 0, etag])
      }
      expect((await fetched(path, { 'if-none-match': 'W/"other"' })).status).toBe(200)
    }
  })

  test('does not say which release runs, nor of which commit', async () => {
    const { body } = await get('/openapi.json')
    expect(body.info.version).toBe('1.0.0')
    const pages = await Promise.all(['/docs', '/manual', '/manual/server'].map(get))
    for (const page of pages) expect(page.body).not.toContain(VERSION)
  })

  test('has a rate for each address, as an app has, which the manual shares; /healthz has none', async () => {
    const clock = createFakeClock()
    await using limited = await startService({ clock, simulated: false, config: { trustedProxies: ['127.0.0.1'] } })
    const ask = (path: string, from: string) =>
      limited.get(path, { as: 'nobody', headers: { 'accept-version': null, 'x-forwarded-for': from } })
    const many = await Promise.all(Array.from({ length: 90 }, () => ask('/docs/swagger-ui.css', '203.0.113.1')))
    const more = await Promise.all(Array.from({ length: 20 }, () => ask('/manual/server', '203.0.113.1')))
    expect([statusesOf(many), statusesOf(more)]).toEqual([{ 200: 90 }, { 200: 10, 429: 10 }])
    const refused = await ask('/docs', '203.0.113.1')
    expectFailure(refused, 429, 'TooManyRequestsError', 'You have exceeded your request rate of 10 r/s.')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await ask('/healthz', '203.0.113.1')).status).toBe(200)
    expect((await ask('/docs', '203.0.113.2')).status).toBe(200)
    clock.standStill(1000)
    expect((await ask('/docs', '203.0.113.1')).status).toBe(200)
  })

  test('is not there with --docs off, and the API is', async () => {
    await using closed = await startService({ config: { docs: 'off' } })
    for (const path of PATHS) {
      expectFailure(await closed.get(path), 404, 'ResourceNotFound', `${path} does not exist`)
    }
    expect(await closed.get('/analytics')).toMatchObject({ status: 200 })
    expect(await closed.get('/healthz')).toMatchObject({ status: 200 })
  })
})
