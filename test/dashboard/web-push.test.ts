import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { systemClock } from '../../src/clock.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import { ask, becomeAdministrator, CHROMIUM, openBrowser, openPage, startDashboard } from './browser.ts'
import type { Dashboard } from './browser.ts'

/** Says in its name why nothing of it runs. */
const inBrowser = CHROMIUM === null ? { describe: describe.skip, why: ' (no chromium in PATH)' } : { describe, why: '' }

inBrowser.describe(`web push in the dashboard${inBrowser.why}`, () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let dashboard: Dashboard
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>

  beforeAll(async () => {
    browser = stack.adopt(await openBrowser(), (one) => one.close())
    const gateways = stack.use(await startOutsideGateways(systemClock))
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
