import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import { CHROMIUM, openBrowser, openPage } from '../../dashboard/browser.ts'
import { expectFailure } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

let service: Service
/** Of an application that has a key for web push. */
let app: string
let publicKey: string
beforeAll(async () => {
  service = await startService({ simulated: false })
  const { id } = service.application
  app = id
  publicKey = service.makeWebPushKey(service.application)
})
afterAll(() => service[Symbol.asyncDispose]())

describe('below /webpush', () => {
  test('are the key of an application, its page, and the manifest by which it can be installed', async () => {
    const nobody = { as: 'nobody' } as const
    expect((await service.get(`/webpush/${app}/key`, nobody)).body).toEqual({ publicKey })
    const page = await service.get(`/webpush/${app}`, nobody)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(page.body).not.toMatch(/<script(?![^>]* src=)|style=/)
    const manifest = await service.get(`/webpush/${app}/manifest.json`, nobody)
    expect(manifest.body).toMatchObject({ start_url: `/webpush/${app}`, display: 'standalone' })
  })

  test('are scripts that other sites may load', async () => {
    for (const name of ['client.js', 'worker.js']) {
      const headers = { origin: 'https://shop.example' }
      const answer = await service.get(`/webpush/${name}`, { as: 'nobody', headers })
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test('is nothing for an application that is none, or has no key, on the simulator or not', async () => {
    const simulated = service.addApplication('simulated', {}, true)
    const noKey = service.addApplication('no key', {}, false)
    for (const [id, why] of [
      ['app_none', 'There is no such application.'],
      [
        simulated.id,
        'The application has no key for web push: create one in the dashboard or with bellhop app webpush.',
      ],
      [noKey.id, 'The application has no key for web push: create one in the dashboard or with bellhop app webpush.'],
    ] as const) {
      for (const path of [`/webpush/${id}`, `/webpush/${id}/key`, `/webpush/${id}/manifest.json`]) {
        expectFailure(await service.get(path, { as: 'nobody' }), 404, 'ResourceNotFound', why)
      }
    }
    const key = service.makeWebPushKey(simulated)
    expect((await service.get(`/webpush/${simulated.id}/key`, { as: 'nobody' })).body).toEqual({ publicKey: key })
  })
})

/** In a worker: an event that the browser would send, and the end of what is done about it. */
const HAPPENS = `((type, said) => new Promise((resolve, reject) => {
  self.dispatchEvent(Object.assign(new Event(type), said, { waitUntil: (work) => work.then(resolve, reject) }))
}))`

const inBrowser = CHROMIUM === null ? { describe: describe.skip, why: ' (no chromium in PATH)' } : { describe, why: '' }

inBrowser.describe(`the page of an application in a browser${inBrowser.why}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 60_000)
  afterAll(() => browser.close())

  test('shows what arrives, as text, and so does the notification, whose buttons report that they were chosen; and a subscription that changes is told', async () => {
    const { context, page, wrongs } = await openPage(browser)
    await context.grantPermissions(['notifications'], { origin: service.url })
    // Who has said yes is registered at once; whether the push service can be reached from here is another matter.
    await page.goto(`${service.url}/webpush/${app}`)
    const devtools = await context.newCDPSession(page)
    const found = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL.endsWith(`/webpush/${app}`))
        if (own !== undefined) resolve(own.registrationId)
      })
    })
    await devtools.send('ServiceWorker.enable')
    const registrationId = await found
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    const title = '<b onclick="alert(1)">Fresh bread</b>'
    const notification = {
      title,
      body: 'Until noon',
      navigate: '/webpush/page.css',
      tag: 'bread',
      data: { article: 17 },
    }
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: service.url,
      registrationId,
      data: JSON.stringify({ web_push: 8030, notification, app_badge: 3 }),
    })
    const entry = page.getByRole('listitem')
    await entry.waitFor()
    const [said = ''] = await entry.allInnerTexts()
    for (const part of [title, 'Until noon', '{"article":17}', 'Badge: 3']) expect(said).toContain(part)
    const shown = `navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) =>
      all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`
    expect(await page.evaluate<unknown>(shown)).toEqual([
      { title, body: 'Until noon', tag: 'bread', data: { bellhop: { link: '/webpush/page.css' }, article: 17 } },
    ])
    const { body: push } = await service.post('/push/all', { platform: '2', msg: 'Cake', sound: '', badge: '' })
    const actions = [{ action: 'buy', title: 'Buy', navigate: '/webpush/page.css' }]
    const data = { bellhop: { push: push.id } }
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: service.url,
      registrationId,
      data: JSON.stringify({
        web_push: 8030,
        notification: { title: 'Cake', navigate: '/', tag: 'cake', data, actions },
      }),
    })
    await page.getByText('Cake').waitFor()
    // As client.js does where the browser subscribes.
    const endpoint = (n: number) => `https://updates.push.services.mozilla.com/wpush/v2/${n}`
    const device = { token: endpoint(1), platform: '2', keys: EXAMPLE_SUBSCRIPTION, tag: ['bread'] }
    await service.put('/deviceToken', device, { as: 'device' })
    const registered = {
      app,
      home: service.url,
      receipts: true,
      token: endpoint(1),
      device: { keys: EXAMPLE_SUBSCRIPTION, tag: ['bread'] },
      known: { token: endpoint(1), body: device, at: Date.now() },
    }
    await page.evaluate(
      `navigator.serviceWorker.ready.then(async ({ scope }) => (await caches.open('bellhop')).put(
        new URL('?bellhop', scope), Response.json(${JSON.stringify(registered)})))`,
    )
    const [worker] = context.serviceWorkers()
    // A site that imports the script has its own functions, of whatever name.
    expect(await worker?.evaluate<unknown>('[typeof arrived, typeof opened, typeof call]')).toEqual(
      Array.from({ length: 3 }, () => 'undefined'),
    )
    const chosen = await worker?.evaluate<unknown>(
      `self.registration.getNotifications({ tag: 'cake' }).then(async ([notification]) => {
        const { actions } = notification
        await ${HAPPENS}('notificationclick', { notification, action: 'buy' })
        await ${HAPPENS}('notificationclick', { notification, action: '' })
        return { buttons: actions.map(({ action, title }) => ({ action, title })), links: notification.data.bellhop.links }
      })`,
    )
    expect(chosen).toEqual({ buttons: [{ action: 'buy', title: 'Buy' }], links: { buy: '/webpush/page.css' } })
    const pie = JSON.stringify({ web_push: 8030, notification: { title: 'Pie', navigate: '/', data } })
    await worker?.evaluate<unknown>(`${HAPPENS}('push', { data: { json: () => (${pie}) } })`)
    const { body: status } = await service.get(`/push/${push.id}`)
    expect(status).toMatchObject({ o: 1, received: 1, actions: { buy: 1 } })

    // The browser changes its subscription: the device goes on under the new endpoint.
    const subscription = JSON.stringify({ endpoint: endpoint(2), keys: EXAMPLE_SUBSCRIPTION })
    const remembered = await worker?.evaluate<unknown>(
      `self.caches.open('bellhop').then(async (cache) => {
        const newSubscription = { toJSON: () => (${subscription}) }
        await ${HAPPENS}('pushsubscriptionchange', { oldSubscription: null, newSubscription })
        return (await cache.match(self.registration.scope + '?bellhop')).json()
      })`,
    )
    expect(remembered).toMatchObject({ app, token: endpoint(2) })
    const { body: devices } = await service.get('/deviceToken/all')
    expect(devices).toMatchObject([{ token: endpoint(2), tag: ['bread'] }])
    // A page of a test has a profile for itself, in which Chromium does not subscribe.
    expect(wrongs.filter((wrong) => !wrong.includes('does not support the Push API in incognito mode'))).toEqual([])
    await context.close()
  }, 60_000)

  test('says on an iPad, whose tabs take none, that it goes to the home screen; and where it is not secure, why not', async () => {
    const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15'
    for (const [options, start, isShown, why] of [
      [
        { userAgent: mac, hasTouch: true },
        "Object.defineProperty(navigator, 'maxTouchPoints', { value: 5 })",
        true,
        'Not in this tab:',
      ],
      [
        {},
        "Object.defineProperty(globalThis, 'isSecureContext', { value: false })",
        false,
        `A browser takes pushes from a page by https, or of its own machine, and this one is at ${service.url}.`,
      ],
    ] as const) {
      const { context, page, wrongs } = await openPage(browser, options)
      await page.addInitScript(`delete globalThis.PushManager; ${start}`)
      await page.goto(`${service.url}/webpush/${app}`)
      await page.getByRole('status').getByText(why, { exact: true }).waitFor()
      expect(await page.getByText('tap Share, then Add to Home Screen').isVisible()).toBe(isShown)
      expect(wrongs).toEqual([])
      await context.close()
    }
  }, 60_000)
})
