import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { systemClock } from '../../src/clock.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { ask, becomeAdministrator, CHROMIUM, openBrowser, openPage, startDashboard } from './browser.ts'
import type { Dashboard } from './browser.ts'

/** Says in its name why nothing of it runs. */
const inBrowser = CHROMIUM === null ? { describe: describe.skip, why: ' (no chromium in PATH)' } : { describe, why: '' }

inBrowser.describe(`web push in the dashboard${inBrowser.why}`, () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  /** In the place of the push services. */
  let gateways: OutsideGateways
  let dashboard: Dashboard
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>

  beforeAll(async () => {
    browser = stack.adopt(await openBrowser(), (one) => one.close())
    gateways = stack.use(await startOutsideGateways(systemClock))
    // Behind it nobody's push service is reached but the stand-in.
    const proxy = stack.use(await startConnectProxy())
    dashboard = stack.use(
      await startDashboard([
        `--push-services=${gateways.simulator.webPushUrl}`,
        `--gateway-ca=${gateways.config.gatewayCa}`,
        `--proxy=http://127.0.0.1:${proxy.port}`,
      ]),
    )
    const { context, page } = await openPage(browser)
    await becomeAdministrator(page, dashboard)
    await page.getByLabel('What is your app called?').waitFor()
    signedIn = await context.storageState()
    await context.close()
  }, 180_000)

  afterAll(() => stack.disposeAsync())

  const at = (path: string): string => dashboard.service.adminUrl + path
  let made = 0

  /** A page that is signed in, and an application of its own. */
  async function openWith({ simulate }: { readonly simulate: boolean }) {
    const opened = await openPage(browser, { storageState: signedIn })
    await opened.page.goto(at('/backups'))
    const { id } = await ask(opened.page, 'POST', '/api/applications', { name: `shop ${++made}`, simulate })
    return { ...opened, application: id, path: `/applications/${id}` }
  }

  test('pushes to this browser at the press of one button, for real, and the notification is there', async () => {
    const { context, page, application, wrongs } = await openWith({ simulate: true })
    const { simulator } = gateways
    await context.grantPermissions(['notifications'], { origin: at('') })
    // A browser of a test reaches no push service: in its place the stand-in gives it a subscription, with keys of its own.
    await context.exposeFunction('subscribeAtStandIn', (publicKey: string) => {
      simulator.accept({ kind: 'vapid', publicKey })
      const { endpoint, keys } = simulator.subscribe(`/push/${crypto.randomUUID()}`)
      const [p256dh, auth] = [keys.p256dh, keys.auth].map((key) => Buffer.from(key).toString('base64url'))
      return { endpoint, keys: { p256dh, auth } }
    })
    await page.addInitScript(`PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const subscription = await subscribeAtStandIn(applicationServerKey)
      return { ...subscription, toJSON: () => subscription }
    }`)
    const devtools = await context.newCDPSession(page)
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL.endsWith(`/webpush/${application}`))
        if (own !== undefined) resolve(own.registrationId)
      })
    })
    await devtools.send('ServiceWorker.enable')
    const sent = new Promise<ReceivedPush>((resolve) => void simulator.onArrival(resolve))

    await page.goto(at(`/welcome/${application}`))
    const here = page.getByRole('region', { name: 'This browser' })
    await here.getByRole('button', { name: 'Push to this browser' }).click()
    await here.getByText(/^On its way, by 127\.0\.0\.1:\d+ …$/).waitFor()
    const { status, body } = await sent
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { notification: { title: `shop ${made}`, body: 'Hello, this browser.' } },
    })
    // What the push service would do.
    const message = { origin: at(''), registrationId: await registered, data: JSON.stringify(body) }
    await devtools.send('ServiceWorker.deliverPushMessage', message)
    await here.getByText('It has arrived:').waitFor()
    expect(await here.getByRole('figure').innerText()).toContain('Hello, this browser.')
    const notifications = `navigator.serviceWorker.getRegistration('/webpush/${application}').then((one) =>
      one.getNotifications()).then((all) => all.map(({ title, body }) => ({ title, body })))`
    expect(await page.evaluate<unknown>(notifications)).toEqual([
      { title: `shop ${made}`, body: 'Hello, this browser.' },
    ])

    // The next push is for the browser as well as for the phones, of which there is none.
    const next = new Promise<ReceivedPush>((resolve) => void simulator.onArrival(resolve))
    await page.getByLabel('Message').fill('To everybody')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    expect((await next).body).toMatchObject({ notification: { title: 'To everybody' } })
    const device = await ask<readonly unknown[]>(page, 'GET', `/api/applications/${application}/v1/deviceToken/all`)
    expect(device).toMatchObject([{ platform: '2', locale: 'en-US' }])
    expect(wrongs).toEqual([])
    await context.close()
  })

  test('shows browsers of the simulator each by itself, and what one of them refuses', async () => {
    const { context, page, application, path, wrongs } = await openWith({ simulate: true })
    await page.goto(at(`${path}/phones`))
    const browsers = page.getByRole('group', { name: /^Browser simulator\.invalid/ })
    const add = async (answer: string, count: number) => {
      await page.getByLabel('What is sent to it').selectOption(answer)
      await page.getByRole('button', { name: 'Add the phone' }).click()
      await browsers.nth(count - 1).waitFor()
    }
    await page.getByLabel('Phone', { exact: true }).selectOption('a browser')
    await add('is accepted', 1)
    await add('is accepted', 2)
    await add('is refused: too large (413)', 3)
    const push = { platform: '2', title: 'On its way', msg: 'Your parcel', sound: '', badge: '+1' }
    await ask(page, 'POST', `/api/applications/${application}/v1/push/all`, push)
    await browsers.getByText('The gateway refused: PayloadTooLarge').waitFor()
    await browsers.getByRole('button', { name: 'On its way' }).nth(1).waitFor()
    expect(await browsers.count()).toBe(3)
    await browsers.getByRole('button', { name: 'On its way' }).first().click()
    await browsers.getByRole('button', { name: 'On its way', pressed: true }).waitFor()
    expect(await browsers.getByText('On its way').count()).toBe(2)
    expect(wrongs).toEqual([])
    await context.close()
  })

  test('says why no push can come to this browser', async () => {
    const { context, page, application, wrongs } = await openWith({ simulate: true })
    await page.goto(at(`/welcome/${application}`))
    const here = page.getByRole('region', { name: 'This browser' })
    await here.getByRole('button', { name: 'Push to this browser' }).click()
    expect(await here.getByRole('alert').innerText()).toMatch(/^Wrong:\s+Notifications are blocked here/)
    await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
    await page.reload()
    await here.getByText(/^A browser takes pushes by https, or by http from its own machine/).waitFor()
    expect(await here.getByRole('button').count()).toBe(0)
    expect(wrongs).toEqual([])
    await context.close()
  })

  test('makes a key for browsers, says what push services find of it, makes another, and imports one', async () => {
    const { context, page, path, wrongs } = await openWith({ simulate: false })
    await page.goto(at(`${path}/credentials`))
    const form = page.getByRole('form', { name: 'Key for browsers' })
    await form.getByLabel('Contact').fill('push@shop.example')
    await form.getByRole('button', { name: 'Make a key and test' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(/^Wrong:\s+subject must be an address such as mailto:/)
    await form.getByLabel('Contact').fill('mailto:push@shop.example')
    await form.getByRole('button', { name: 'Make a key and test' }).click()
    const publicKey = page.getByText(/^B[\w-]{86}$/)
    await publicKey.waitFor()
    await page.getByText(/^Every push service that was reached refuses/).waitFor()
    const first = await publicKey.innerText()
    expect(await page.getByRole('button', { name: 'Copy the public key' }).count()).toBe(1)

    await form.getByLabel('Make another key').check()
    await form.getByRole('button', { name: 'Store and test' }).click()
    await page.getByText(first).waitFor({ state: 'detached' })
    await publicKey.waitFor()
    await form.getByText('A key of another service').click()
    await form
      .getByLabel('Private key')
      .fill(`{"publicKey": "${EXAMPLE.publicKey}", "privateKey": "${EXAMPLE.privateKey}"}`)
    await form.getByRole('button', { name: 'Store and test' }).click()
    await page.getByText(EXAMPLE.publicKey, { exact: true }).waitFor()
    expect(await form.getByLabel('Private key').inputValue()).toBe('')
    await page.goto(at('/applications'))
    const row = page.getByRole('row').filter({ hasText: path.split('/').at(-1) ?? '' })
    await row.waitFor()
    expect((await row.getByRole('cell').allInnerTexts()).slice(2, 5)).toEqual(['no key', 'no key', 'ready'])
    expect(wrongs).toEqual([])
    await context.close()
  })
})

/** Of RFC 8291, appendix A: the key pair of the sender. */
const EXAMPLE = {
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
}
