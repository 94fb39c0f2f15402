import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { clientScript, workerScript } from '../../src/client/web-scripts.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { CHROMIUM, openBrowser, openPage } from '../dashboard/browser.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const ENDPOINT = 'https://updates.push.services.mozilla.com/wpush/v2/1'

/** Tests reach no push service. */
const SUBSCRIBES = `PushManager.prototype.subscribe = () => Promise.resolve({
  toJSON: () => (${JSON.stringify({ endpoint: ENDPOINT, keys: EXAMPLE_SUBSCRIPTION })}),
})`

/** A push with a button in the worker, and a tap. `payload`: with keys that were once the worker's own. */
const tapped = (link: string, action: string) => `(async () => {
  const happens = (name, fields) => new Promise((resolve, reject) => {
    self.dispatchEvent(Object.assign(new Event(name), fields, { waitUntil: (work) => work.then(resolve, reject) }))
  })
  const payload = { order: 7, navigate: 'north', actions: null }
  const actions = [{ action: 'buy', title: 'Buy', navigate: '/webpush/page.css?buy' }]
  const message = { notification: { title: 'Cake', navigate: '${link}', actions, data: { ...payload, bellhop: { push: 'p1' } } } }
  await happens('push', { data: { json: () => message } })
  const [notification] = await self.registration.getNotifications()
  await happens('notificationclick', { notification, action: '${action}' })
})()`

/** A push in the worker while these are on the screen. Returns the titles that stay. */
const WITHDRAWN = `(async () => {
  const { registration } = self
  for (const [title, tag, push] of [['one', 't1', 'p1'], ['two', 't2', 'p2'], ['three', 't3', 'p1'], ['four', 't4', null]])
    await registration.showNotification(title, { tag, data: push === null ? {} : { bellhop: { push } } })
  const left = async () => (await registration.getNotifications()).map(({ title }) => title).sort()
  const before = await left()
  const arrives = (bellhop) => new Promise((resolve, reject) => {
    const data = { json: () => ({ data: { bellhop } }) }
    self.dispatchEvent(Object.assign(new Event('push'), { data, waitUntil: (work) => work.then(resolve, reject) }))
  })
  await arrives({ withdrawn: 'p1', tag: 't2' })
  const first = await left()
  await arrives({ withdrawn: 'p9', tag: 't4' })
  return [before, first, await left()]
})()`

test('the scripts for browsers take less than 5 KB, compressed', () => {
  for (const script of [clientScript('web/1.2.0'), workerScript('web/1.2.0')])
    expect(Bun.gzipSync(script).length).toBeLessThan(5 * 1024)
})

const inBrowser = CHROMIUM === null ? { describe: describe.skip, why: ' (no chromium in PATH)' } : { describe, why: '' }

inBrowser.describe(`the client library in a browser${inBrowser.why}`, () => {
  let service: Service
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let app: string
  /** The bodies of PUT /deviceToken since the last look. */
  let said: Record<string, unknown>[] = []

  beforeAll(async () => {
    service = await startService({ simulated: false })
    app = service.application.id
    service.makeWebPushKey(service.application)
    browser = await openBrowser()
    ;({ context, page } = await openPage(browser))
    await context.grantPermissions(['notifications'], { origin: service.url })
    await page.addInitScript(SUBSCRIBES)
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().endsWith('/deviceToken')) said.push(request.postDataJSON())
    })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  const heard = () =>
    said.splice(0).map((body) => {
      for (const name of ['keys', 'token', 'platform']) delete body[name]
      return body
    })
  /** `text`: a function that takes `bellhop`, connected like the page. */
  const run = (text: string) =>
    page.evaluate<unknown>(`import('/webpush/client.js').then(({ connect }) =>
      (${text})(connect({ app: '${app}', worker: '/webpush/worker.js', scope: location.pathname })))`)
  /** `text`: a function of what the browser keeps, which returns what it is to keep. */
  const keeps = (text: string) =>
    page.evaluate<unknown>(`navigator.locks.request('bellhop ' + location.href, async () => {
      const place = new URL('?bellhop', location.href)
      const cache = await caches.open('bellhop')
      const kept = await (await cache.match(place)).json()
      await cache.put(place, Response.json((${text})(kept)))
      return kept
    })`)
  const device = async () => (await service.get('/deviceToken/all')).body[0]

  async function visit() {
    await page.goto(`${service.url}/webpush/${app}`)
    await page.getByText('This browser is registered').waitFor()
  }

  /** It registers when something has changed, not at each visit. */
  async function registers() {
    await visit()
    expect(heard()).toEqual([{ timezone: expect.any(String), locale: expect.any(String) }])
    expect(await device()).toMatchObject({ token: ENDPOINT, platform: '2' })
    await visit()
    expect(heard()).toEqual([])
  }

  /** It sets tags, and signs one user out before the next signs in. */
  async function signsIn() {
    await run(`(bellhop) => bellhop.setTags(['beta'])`)
    expect(await device()).toMatchObject({ tag: ['beta'] })
    await run(`(bellhop) => bellhop.login('ann')`)
    expect(await device()).toMatchObject({ tag: ['beta'], user: 'ann' })
    heard()
    await run(`(bellhop) => bellhop.login('bob')`)
    expect(heard()).toMatchObject([{ user: '' }, { user: 'bob', tag: ['beta'] }])
    await run(`(bellhop) => bellhop.logout()`)
    expect(heard()).toEqual([{ user: '' }])
    expect(await device()).not.toHaveProperty('user', 'bob')
  }

  /** It keeps events offline and sends them once online. */
  async function keepsOffline() {
    await context.setOffline(true)
    await run(`(bellhop) => bellhop.setTags(['later'])`)
    expect(await device()).toMatchObject({ tag: ['beta'] })
    heard()
    const sent = page.waitForResponse((answer) => answer.url().endsWith('/deviceToken') && answer.status() === 200)
    await context.setOffline(false)
    await sent
    expect(heard().at(-1)).toMatchObject({ tag: ['later'] })
    expect(await device()).toMatchObject({ tag: ['later'] })
  }

  /** It sends at once what waits, when it is online again and when a page connects, but for what the server asked for. */
  async function resumes() {
    const waits = (wait: object) =>
      keeps(
        `(kept) => ({ ...kept, known: { ...kept.known, at: 0 }, wait: { until: Date.now() + 600_000, ...${JSON.stringify(wait)} } })`,
      )
    /** One after the other, with what the page does by itself. */
    const same = `(bellhop) => bellhop.setTags(['later'])`
    const registered = () => page.waitForRequest((request) => request.url().endsWith('/deviceToken'))
    for (const happen of [
      () => run('() => null'),
      () => page.evaluate<unknown>(`dispatchEvent(new Event('online'))`),
    ]) {
      // What has connected before may be faster.
      const request = registered()
      await waits({ attempt: 12 })
      await happen()
      await request
      await run(same)
      expect(heard()).toMatchObject([{ tag: ['later'] }])
    }
    await waits({ attempt: 1, asked: true })
    for (let times = 0; times < 2; times++) await run(same)
    expect(heard()).toEqual([])
    await keeps('(kept) => ({ ...kept, wait: null })')
  }

  /** It takes a proxy's page for no refusal. */
  async function outlivesProxies() {
    await keeps('(kept) => ({ ...kept, known: { ...kept.known, at: 0 } })')
    const proxy = { status: 404, contentType: 'text/html', body: '<html>' }
    await page.route('**/deviceToken', (route) => route.fulfill(proxy))
    await run('(bellhop) => bellhop.register()')
    await page.unroute('**/deviceToken')
    await visit()
    const { known } = (await keeps('(kept) => kept')) as { readonly known: { readonly at: number } }
    expect(known.at).toBeGreaterThan(0)
    heard()

    await page.route('**/key', (route) => route.fulfill(proxy))
    expect(await run(`(bellhop) => bellhop.register().catch(({ message }) => message)`)).toBe(
      'The request for the key was answered with 404, and not by Bellhop.',
    )
    await page.unroute('**/key')
  }

  /** It hears a tap that opens a page once, on listening. */
  async function hearsTaps() {
    const [worker] = context.serviceWorkers()
    const data = { order: 7, navigate: 'north', actions: null }
    const waiting = `(bellhop) => new Promise((resolve) => {
      bellhop.onOpen(() => resolve('a tap'))
      caches.match(new URL('?bellhop-tap', location.href)).then((kept) => resolve(kept === undefined ? 'none' : 'kept'))
    })`
    for (const [action, link] of [
      ['buy', '/webpush/page.css?buy'],
      ['', '/webpush/page.css'],
    ] as const) {
      await worker?.evaluate<unknown>(tapped('/webpush/page.css', action))
      await visit()
      const first = await run(`(bellhop) => new Promise((resolve) => bellhop.onOpen(resolve))`)
      expect(first).toEqual({ push: 'p1', action: action || null, link, data })
      expect(await run(waiting)).toBe('none')
    }
    // It opens a page of another site, which takes no tap of this one.
    await worker?.evaluate<unknown>(tapped('https://other.test/x', ''))
    await visit()
    expect(await run(waiting)).toBe('none')
  }

  /** It closes a withdrawn notification and shows nothing instead. */
  async function closes() {
    const [worker] = context.serviceWorkers()
    expect(await worker?.evaluate<unknown>(WITHDRAWN)).toEqual([
      ['four', 'one', 'three', 'two'],
      ['four', 'two'],
      ['two'],
    ])
  }

  /** It refuses the secret and reports the server's refusals. */
  async function refuses() {
    const sentence = 'This is the secret of an application. It belongs to your backend. Here goes the ID, app_…'
    const wrong = `import('/webpush/client.js').then(({ connect }) => connect({ app: 'bhs_1' })).catch(({ message }) => message)`
    expect(await page.evaluate<unknown>(wrong)).toBe(sentence)
    const refused = `(bellhop) => bellhop.register({ tag: 7 }).then(() => 'accepted', ({ message }) => message)`
    for (let times = 0; times < 2; times++) expect(await run(refused)).toBe('tag must be an array of strings, not 7.')
    await run(`(bellhop) => bellhop.setTags(['beta'])`)
  }

  /** It unregisters. */
  async function unregisters() {
    await run(`(bellhop) => bellhop.unregister()`)
    expect(await device()).toBeUndefined()
    await visit()
    expect(await device()).toMatchObject({ token: ENDPOINT, tag: ['beta'] })

    // A user may sign in long before the browser registers.
    await run(`(bellhop) => bellhop.unregister()`)
    await page.evaluate<unknown>(`caches.delete('bellhop')`)
    await run(`(bellhop) => bellhop.login('zoe')`)
    await visit()
    expect(await device()).toMatchObject({ token: ENDPOINT, user: 'zoe' })
  }

  // One browser's life: each step begins where the last ended.
  test('registers, signs in and out, keeps what happens offline, hears taps once, and unregisters', async () => {
    for (const step of [
      registers,
      signsIn,
      keepsOffline,
      resumes,
      outlivesProxies,
      hearsTaps,
      closes,
      refuses,
      unregisters,
    ])
      await step()
  }, 120_000)
})
