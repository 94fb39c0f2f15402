import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { bundleDashboard } from '../../../src/admin/page/dashboard-bundle.ts'
import { startService } from '../../support/service.ts'

/** Of all that a first visit loads, compressed. */
const FIRST_PAGE_BYTES = 52.75 * 1024

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

test('a browser gets the same page at any path, and it allows nothing but what is its own', async () => {
  await using service = await startService()
  const page = await fetch(service.adminUrl)
  const text = await page.text()
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
  })
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/setup', '/applications', '/applications/app_x/pushes/y', '/no-such-page']) {
    const response = await fetch(service.adminUrl + path, { headers })
    expect([path, response.status, await response.text()]).toEqual([path, 200, text])
  }

  const assets = Array.from(text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = '']) => path)
  expect(assets.map((path) => path.replace(/-[0-9a-f]{16}\./, '.')).toSorted()).toEqual([
    '/assets/main.css',
    '/assets/main.js',
  ])
  for (const path of assets) {
    const asset = await fetch(service.adminUrl + path)
    expect(asset.status).toBe(200)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('a file that is not there, a call, and a path that a program asks for are not found', async () => {
  await using service = await startService()
  for (const [path, message, accept] of [
    ['/assets/main-0000000000000000.js', 'The dashboard has no such file.', 'text/html'],
    ['/nothing', '/nothing does not exist', '*/*'],
  ] as const) {
    const response = await fetch(service.adminUrl + path, { headers: { accept } })
    expect([response.status, await response.json()]).toEqual([404, { code: 'ResourceNotFound', message }])
  }
})

test('all of the page is light, and the same sources make the same bytes', async () => {
  const { files } = await bundleDashboard('release')
  const bytes = files.map(({ text }) => gzipSync(text, { level: 9 }).length).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeLessThan(FIRST_PAGE_BYTES)
  expect(bytes).toBeGreaterThan(10_000)
  expect((await bundleDashboard('release')).files).toEqual(files)

  // What a developer looks at is no part of it.
  const components = 'Each thing that pages are made of'
  expect(files.some(({ text }) => text.includes(components))).toBe(false)
  expect((await bundleDashboard('development')).files.some(({ text }) => text.includes(components))).toBe(true)
})
