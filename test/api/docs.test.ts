import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runInNewContext } from 'node:vm'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ simulated: false })
})
afterAll(() => service[Symbol.asyncDispose]())

/** As a browser does, which knows of no application. */
const get = (path: string) => service.get(path, { as: 'nobody', headers: { 'accept-version': null } })

describe('/docs', () => {
  test('is a page whose script and style come from the service', async () => {
    const page = await get('/docs')
    expect(page).toMatchObject({ status: 200 })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const links = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => String(link))
    // An empty icon: without one a browser asks for /favicon.ico, and reports its 404.
    expect(links.toSorted()).toEqual(['/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui.js', 'data:,'])
    for (const link of links.filter((one) => one.startsWith('/'))) {
      const { status, headers, body } = await get(link)
      expect({ link, status, type: headers.get('content-type')?.split(';')[0] }).toEqual({
        link,
        status: 200,
        type: link.endsWith('.js') ? 'text/javascript' : 'text/css',
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
      "default-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
    ])
  })
})
