import { expect } from 'bun:test'
import { systemClock } from '../../src/clock.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { describeInBrowser } from './browser.ts'
import type { World } from './browser.ts'

/** Imitates the push services. */
let gateways: OutsideGateways

/** The proxy leads to the imitated push services only. */
async function argumentsOf(stack: AsyncDisposableStack): Promise<readonly string[]> {
  gateways = stack.use(await startOutsideGateways(systemClock))
  const proxy = stack.use(await startConnectProxy())
  return [
    `--push-services=${gateways.simulator.webPushUrl}`,
    `--gateway-ca=${gateways.config.gatewayCa}`,
    `--proxy=http://127.0.0.1:${proxy.port}`,
  ]
}

function define({ browse, browseAlone }: World): void {
  browseAlone(
    'pushes to this browser at the press of one button, for real, and the notification is there',
    async ({ page, context, at, ask, makeApplication }) => {
      const { id: application, name } = await makeApplication()
      const { simulator } = gateways
      await context.grantPermissions(['notifications'], { origin: at('') })
      // Test browsers reach no push service, so the imitation hands out the subscription and its keys.
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
      await here.getByText(/^On its way, through 127\.0\.0\.1:\d+…$/).waitFor()
      const { status, body } = await sent
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { notification: { title: name, body: 'Hello, this browser.' } },
      })
      // Delivers the message as a push service would.
      const message = { origin: at(''), registrationId: await registered, data: JSON.stringify(body) }
      await devtools.send('ServiceWorker.deliverPushMessage', message)
      await here.getByText('Arrived:').waitFor()
      expect(await here.getByRole('figure').innerText()).toContain('Hello, this browser.')
      const notifications = `navigator.serviceWorker.getRegistration('/webpush/${application}').then((one) =>
      one.getNotifications()).then((all) => all.map(({ title, body }) => ({ title, body })))`
      expect(await page.evaluate<unknown>(notifications)).toEqual([{ title: name, body: 'Hello, this browser.' }])

      // The next push also goes to the browser. There are no phones.
      const next = new Promise<ReceivedPush>((resolve) => void simulator.onArrival(resolve))
      await page.getByLabel('Message').fill('To everybody')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      expect((await next).body).toMatchObject({ notification: { title: 'To everybody' } })
      const device = await ask<readonly unknown[]>('GET', `/api/applications/${application}/v1/deviceToken/all`)
      expect(device).toMatchObject([{ platform: '2', locale: 'en-US' }])
    },
  )

  browse(
    'shows browsers of the simulator each by itself, and what one of them refuses',
    async ({ page, at, ask, makeApplication }) => {
      const { path } = await makeApplication()
      await page.goto(at(`${path}/phones`))
      const browsers = page.getByRole('group', { name: /^Browser simulator\.invalid/ })
      const add = async (answer: string, count: number) => {
        await page.getByLabel('A push to it').selectOption(answer)
        await page.getByRole('button', { name: 'Add phone' }).click()
        await browsers.nth(count - 1).waitFor()
      }
      await page.getByLabel('Phone', { exact: true }).selectOption('a browser')
      await add('is accepted', 1)
      await add('is accepted', 2)
      await add('is refused: too large (413)', 3)
      const push = { platform: '2', title: 'On its way', msg: 'Your parcel', sound: '', badge: '+1' }
      await ask('POST', `/api${path}/v1/push/all`, push)
      await browsers.getByText('Refused by the gateway: PayloadTooLarge').waitFor()
      await browsers.getByRole('button', { name: 'On its way' }).nth(1).waitFor()
      expect(await browsers.count()).toBe(3)
      await browsers.getByRole('button', { name: 'On its way' }).first().click()
      await browsers.getByRole('button', { name: 'On its way', pressed: true }).waitFor()
      expect(await browsers.getByText('On its way').count()).toBe(2)
    },
  )

  browseAlone('says in plain words that the browser refused', async ({ page, context, at, makeApplication }) => {
    const { path } = await makeApplication()
    await context.grantPermissions(['notifications'], { origin: at('') })
    await page.addInitScript(
      `PushManager.prototype.subscribe = () => Promise.reject(new DOMException('Registration failed - push service error', 'AbortError'))`,
    )
    await page.goto(at(`${path}/phones`))
    await page.getByRole('button', { name: 'Push to this browser' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(
      /^Error:\s+The push service of this browser can’t be reached, or push is turned off in its settings\.$/,
    )
  })

  browseAlone('says why no push can come to this browser', async ({ page, at, makeApplication }) => {
    const { id: application } = await makeApplication()
    await page.goto(at(`/welcome/${application}`))
    const here = page.getByRole('region', { name: 'This browser' })
    await here.getByRole('button', { name: 'Push to this browser' }).click()
    expect(await here.getByRole('alert').innerText()).toMatch(/^Error:\s+Notifications are blocked\./)
    await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
    await page.reload()
    await here.getByText(/^Browsers allow push only over https, or http on the same machine/).waitFor()
    expect(await here.getByRole('button').count()).toBe(0)
  })

  browse(
    'makes a key for browsers, says what push services find of it, makes another, and imports one',
    async ({ page, at, makeApplication }) => {
      const { id, path } = await makeApplication([], false)
      await page.goto(at(`${path}/credentials`))
      const form = page.getByRole('form', { name: 'Key for browsers' })
      await form.getByLabel('Contact').fill('push@shop.example')
      await form.getByRole('button', { name: 'Create a key and test' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/^Error:\s+Contact must be an address such as mailto:/)
      await form.getByLabel('Contact').fill('mailto:push@shop.example')
      await form.getByRole('button', { name: 'Create a key and test' }).click()
      const publicKey = page.getByText(/^B[\w-]{86}$/)
      const details = page.getByText('Details', { exact: true })
      await details.click()
      await publicKey.waitFor()
      await page.getByText(/^Every push service that was reached refuses/).waitFor()
      const first = await publicKey.innerText()
      expect(await page.getByRole('button', { name: 'Copy the public key' }).count()).toBe(1)

      await page.getByRole('heading', { name: /^Replace the key: / }).click()
      await form.getByLabel('Replace the key').check()
      await form.getByRole('button', { name: 'Store and test' }).click()
      await page.getByText(first).waitFor({ state: 'detached' })
      await publicKey.waitFor()
      await form.getByText('Import a key from another service').click()
      await form
        .getByLabel('Private key')
        .fill(`{"publicKey": "${EXAMPLE.publicKey}", "privateKey": "${EXAMPLE.privateKey}"}`)
      await form.getByRole('button', { name: 'Store and test' }).click()
      await page.getByText(EXAMPLE.publicKey, { exact: true }).waitFor()
      expect(await form.getByLabel('Private key').inputValue()).toBe('')
      await page.goto(at('/applications'))
      const row = page.getByRole('row').filter({ hasText: id })
      await row.waitFor()
      expect((await row.getByRole('cell').allInnerTexts()).filter((text) => /key|ready/.test(text))).toEqual([
        'no key',
        'no key',
        'ready',
      ])
    },
  )
}

describeInBrowser('web push in the dashboard', define, argumentsOf)

/** From RFC 8291, appendix A: the sender's key pair. */
const EXAMPLE = {
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
}
