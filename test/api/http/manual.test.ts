import { describe, expect, test } from 'bun:test'
import { LIBRARIES } from '../../../src/client/libraries.ts'
import { PAGES } from '../../../src/manual/pages.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'

const service = await fileService({ simulated: false, config: { trustedProxies: ['127.0.0.1'] } })

let readers = 0

/** As a browser does, which knows of no application; each time another reader's, for one alone reads too fast. */
const get = (path: string, headers: Record<string, string> = {}) => {
  const from = `10.0.${++readers >> 8}.${readers & 255}`
  return service.get(path, { as: 'nobody', headers: { 'accept-version': null, 'x-forwarded-for': from, ...headers } })
}

function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => String(link))
}

describe('/manual', () => {
  test('leads to every page, and to the API documentation', async () => {
    const { status, headers, body } = await get('/manual')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const { topic } of PAGES) expect(linksOf(body)).toContain(`/manual/${topic}`)
    expect(linksOf(body)).toContain('/docs')
    expect(body).toContain('JSON body with <code>code</code> and <code>message</code>')
  })

  test.each(PAGES.map(({ topic, title }) => [topic, title]))(
    '/manual/%s is %p, and its links lead somewhere',
    async (topic) => {
      const { status, body } = await get(`/manual/${topic}`)
      expect(status).toBe(200)
      expect(body).toMatch(/<main>\n<h1 id="[a-z0-9-]+">/)
      for (const link of linksOf(body)) {
        const [path = '', anchor] = link.split('#')
        if (link.startsWith('https://') || path === '/docs') continue
        expect([link, path === '' || /^\/manual(\/[a-z-]+)?$/.test(path)]).toEqual([link, true])
        const target = path === '' ? body : (await get(path)).body
        expect(target).toContain('<h1')
        if (anchor !== undefined) expect(target).toContain(` id="${anchor}"`)
      }
    },
  )

  test('/docs/client leads to the client libraries, each with its command', async () => {
    const answer = await fetch(`${service.url}/docs/client`)
    expect(new URL(answer.url).pathname).toBe('/manual/app')
    const body = await answer.text()
    expect(body).toContain('<h2 id="client-libraries">')
    for (const kind of Object.keys(LIBRARIES)) expect(body).toContain(`bellhop client ${kind} app_…`)
  })

  test('loads nothing, not even its style, and runs nothing', async () => {
    const { headers, body } = await get('/manual/server')
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      `style-src 'sha256-${hash}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    for (const { topic } of PAGES) {
      const page = (await get(`/manual/${topic}`)).body
      // Code of an app that a page shows may have attributes like these, as text.
      const markup = page.replaceAll(/(?<=>)[^<]*(?=<)/g, '')
      expect(markup).not.toMatch(/<(?:script|img|iframe|object|form)\b| style=| on\w+=/)
      expect(page).not.toMatch(/@import|url\(/)
      expect([...page.matchAll(/<link [^>]*>/g)].map(([link]) => link)).toEqual(['<link rel="icon" href="data:,">'])
    }
  })

  test('is asked for again each time, and answered with 304 while it is the same', async () => {
    const { headers } = await get('/manual/server')
    expect(headers.get('cache-control')).toBe('no-cache')
    const again = await get('/manual/server', { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, again.body]).toEqual([304, ''])
  })

  test('of no such topic is 404, with those that there are', async () => {
    const { status, headers, body } = await get('/manual/%3Cb%3Esevrer')
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('<code>&lt;b&gt;sevrer</code> is not a page in the manual. These are:')
    expect(linksOf(body)).toContain('/manual/server')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('of a misspelled topic names the nearest page', async () => {
    const { status, body } = await get('/manual/sevrer')
    expect(status).toBe(404)
    expect(body).toContain(
      '<code>sevrer</code> is not a page in the manual. Did you mean <a href="/manual/server">server</a>?',
    )
  })

  test('is not there with --docs off', async () => {
    await using silent = await startService({ config: { docs: 'off' }, simulated: false })
    for (const path of ['/manual', '/manual/server', '/manual/server.md', '/llms.txt']) {
      const { status, body } = await silent.get(path, { as: 'nobody', headers: { 'accept-version': null } })
      expect([status, body.code]).toEqual([404, 'ResourceNotFound'])
    }
  })
})

describe('/manual/*.md', () => {
  test.each(PAGES.map(({ topic, text }) => [topic, text]))(
    '/manual/%s.md is the source of the page',
    async (topic, text) => {
      const { status, headers, body } = await get(`/manual/${topic}.md`)
      expect([status, headers.get('content-type'), body]).toEqual([200, 'text/markdown; charset=utf-8', text])
    },
  )

  test('is asked for again each time, and answered with 304 while it is the same', async () => {
    const { headers } = await get('/manual/server.md')
    expect(headers.get('cache-control')).toBe('no-cache')
    const again = await get('/manual/server.md', { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, again.body]).toEqual([304, ''])
  })

  test.each([
    [
      'sevrer.md',
      '`sevrer` is not a page in the manual. Did you mean [server](/manual/server.md)? [llms.txt](/llms.txt) lists all pages.\n',
    ],
    ['%60%3Cb%3E.md', '`??b?` is not a page in the manual. [llms.txt](/llms.txt) lists all pages.\n'],
  ])('of no such topic is 404: %s', async (name, text) => {
    const { status, headers, body } = await get(`/manual/${name}`)
    expect([status, headers.get('content-type'), body]).toEqual([404, 'text/markdown; charset=utf-8', text])
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('/llms.txt', () => {
  test('is a title, a summary, and sections of links with a sentence each', async () => {
    const { status, headers, body } = await get('/llms.txt')
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-cache',
    ])
    const [title, blank, summary, ...rest] = String(body).trimEnd().split('\n')
    expect([title, blank, summary]).toEqual(['# Bellhop', '', expect.stringMatching(/^> .+\.$/)])
    for (const line of rest) expect(line).toMatch(/^$|^## \w+$|^- \[[^\]]+\]\(\/manual\/[a-z-]+\.md\): .+\.$/)
  })

  test('lists every page once, by its own title and sentence', async () => {
    const { body } = await get('/llms.txt')
    const listed = Array.from(String(body).matchAll(/^- .*$/gm), ([line]) => line)
    expect(listed).toEqual(PAGES.map(({ topic, title, summary }) => `- [${title}](/manual/${topic}.md): ${summary}`))
  })

  test('has links that lead somewhere', async () => {
    const { body } = await get('/llms.txt')
    const links = Array.from(String(body).matchAll(/\]\((\/[^)]*)\)/g), ([, link = '']) => link)
    expect(links).toHaveLength(PAGES.length + 1)
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200])
  })
})
