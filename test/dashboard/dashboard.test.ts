import { expect, test } from 'bun:test'
import { source as axe } from 'axe-core'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { makeAppleCertificate, toPkcs12 } from '../application/apple-certificate.ts'
import { systemClock } from '../../src/clock.ts'
import { authenticator } from '../support/authenticator.ts'
import { IS_EXECUTABLE } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, PASSWORD } from './browser.ts'

describeInBrowser('the dashboard in a browser', ({ browse, browseAlone, first }) => {
  /** All tests share an application with a finished push. */
  let application = ''
  let push = ''
  let told: Awaited<ReturnType<typeof sendFirstPush>>

  first(async ({ page, service, wrongs }) => {
    told = await sendFirstPush(page, service.url, wrongs)
    application = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByRole('link', { name: 'Push details' }).click()
    await page.waitForURL(/\/pushes\//)
    push = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  })

  const pathOf = (call: string) => `/api/applications/${application}/v1${call}`
  /** What a page shows once it is complete, and the button that opens its dialog. */
  const places = (): Readonly<Record<string, readonly [path: string, ready: string, open?: string]>> => ({
    overview: ['/', 'table:Latest pushes'],
    welcome: ['/welcome', 'button:Connect Apple / Google'],
    'first push': [`/welcome/${application}`, 'button:Send'],
    applications: ['/applications', 'table:Applications'],
    application: [`/applications/${application}`, 'heading:Limits'],
    send: [
      `/applications/${application}/send?msg=Hello&languages=${encodeURIComponent('{"de":{"msg":"Hallo"}}')}`,
      'table:By language',
    ],
    pushes: [`/applications/${application}/pushes`, 'table:Pushes'],
    push: [`/applications/${application}/pushes/${push}`, 'button:Explain'],
    devices: [`/applications/${application}/devices?q=nobody`, 'heading:Nothing found'],
    users: [`/applications/${application}/users`, 'heading:No users yet'],
    phones: [`/applications/${application}/phones`, 'button:Add phone'],
    credentials: [`/applications/${application}/credentials`, 'heading:Add a key'],
    hooks: [`/applications/${application}/hooks`, 'heading:No hooks yet'],
    hook: [`/applications/${application}/hooks`, 'heading:No hooks yet', 'Add hook…'],
    administrators: ['/administrators', 'table:Administrators'],
    webhooks: ['/webhooks', 'heading:No webhooks yet'],
    webhook: ['/webhooks', 'heading:No webhooks yet', 'Add webhook…'],
    'new secret': [`/applications/${application}`, 'heading:Limits', 'Rotate secret…'],
    backups: ['/backups', 'heading:Backups are off'],
    'service log': ['/service-log', 'list:Lines'],
    log: ['/log', 'table:Log'],
    components: ['/components', IS_EXECUTABLE ? 'heading:Page not found' : 'heading:Type scale'],
  })

  test('leads from the setup link to a sent push, and no policy is violated on the way', () => {
    expect(told.curl).toContain(`'${told.api}/push/all'`)
    expect(told.curl).toMatch(/X-SERVICE-APPID: app_\w+' \\\n {2}-H 'X-SERVICE-SECRET: bhs_[\w-]+'/)
    expect(told.swift).toContain('Bellhop.askPermission')
    expect(told.swift).toContain('BellhopNotificationService')
    expect(told.swift).toContain(told.api)
    expect(told.kotlin).toContain('POST_NOTIFICATIONS')
    expect(told.kotlin).toContain('Bellhop.onOpen')
    expect(told.swift).not.toContain('app_…')
    expect(told.policy).toContain("require-trusted-types-for 'script'")
    expect(told.wrongs).toEqual([])
  })

  browse('shows a new secret once, and says why an application is not made', async ({ page, at }) => {
    await page.goto(at(`/applications/${application}`))
    await page.getByRole('button', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    expect(await page.getByRole('region', { name: 'New secret' }).innerText()).toMatch(/^bhs_[\w-]{43}$/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.goto(at('/welcome'))
    await page.getByLabel('What is your app called?').fill('shop')
    await page.getByRole('button', { name: 'Connect Apple / Google' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(/^Error:\s+Name is taken/)
    await page.getByLabel('What is your app called?').fill('another')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  browse('says what is wrong with a key that is dropped', async ({ page, at }) => {
    await page.goto(at(`/applications/${application}/credentials`))
    const file = page.locator('input[type="file"]').first()
    await file.setInputFiles({
      name: 'AuthKey_ABC123DEFG.p8',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('no key'),
    })
    await page.getByText('AuthKey_ABC123DEFG.p8', { exact: true }).waitFor()
    expect(await page.getByLabel('Key ID').inputValue()).toBe('ABC123DEFG')
    await page.getByLabel('Team ID').fill('DEF123GHIJ')
    await page.getByLabel('Bundle ID').fill('com.example.shop')
    await page.getByRole('button', { name: 'Store and test' }).first().click()
    expect(await page.getByRole('alert').innerText()).toMatch(/^Error:\s+The APNs key is not a PEM private key/)

    const certificate = toPkcs12(makeAppleCertificate({ notAfter: Date.now() + 86_400_000 }), 'secret')
    await file.setInputFiles({ name: 'aps.p12', mimeType: 'application/x-pkcs12', buffer: Buffer.from(certificate) })
    await page.getByLabel('Bundle ID').fill('')
    await page.getByLabel('File password').fill('not the password')
    await page.getByRole('button', { name: 'Store and test' }).first().click()
    await page.getByText('The password does not open the certificate file.').waitFor()
    await page.getByLabel('File password').fill('secret')
    await page.getByRole('button', { name: 'Store and test' }).first().click()
    await page.getByText(/certificate for \S+ until .*\. Checked just now\./).waitFor()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  })

  browse(
    'makes a hook from a template, after a look at an example, and shows what became of its calls',
    async ({ page, at, makeApplication }) => {
      const { path } = await makeApplication()
      await page.goto(at(`${path}/hooks`))
      await page.getByRole('button', { name: 'Add hook…' }).click()
      const preview = page.getByRole('button', { name: 'Preview' })
      await preview.click()
      expect(await page.getByRole('region', { name: 'Push', exact: true }).innerText()).toContain('Order 17 is paid.')
      await page.getByLabel('Example of a call').fill('{"type": "order.sent"}')
      await preview.click()
      await page.getByText('Nothing would be sent: type is not "order.paid".').waitFor()
      await page.getByLabel('Example of a call').fill('{"type": "order.paid", "id": "e1"}')
      await preview.click()
      await page.getByText('push.users.0 asks for data.user, which is missing').waitFor()

      const save = page.getByRole('button', { name: 'Add hook', exact: true })
      await page.getByLabel('Name').fill('Orders!')
      await save.click()
      expect(await page.getByRole('alert').innerText()).toContain('must be a name of 1 to 63 characters')
      await page.getByLabel('Name').fill('orders')
      await save.click()
      const address = await page.getByRole('region', { name: 'Address' }).innerText()
      expect(address).toMatch(/\/hook\/orders\/bhh_[\w-]{43}$/)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('No call has come yet.').waitFor()

      const event = { id: 'e1', type: 'order.paid', data: { user: 'ann', number: 17 } }
      const body = JSON.stringify(event)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(address.trim(), { method: 'POST', headers, body })
      expect(answer.status).toBe(200)
      await page.reload()
      await page.getByRole('table', { name: 'Last calls of orders' }).getByText('pushed').waitFor()

      await page.getByRole('button', { name: 'Add hook…' }).click()
      await page.getByLabel('Name').fill('orders')
      await save.click()
      expect(await page.getByRole('alert').innerText()).toContain('There is a hook orders already.')
      await page.getByRole('button', { name: 'Cancel' }).click()

      await page.getByRole('button', { name: 'Change…' }).click()
      await page.getByLabel('Calls have').selectOption('github')
      await page.getByLabel('Secret').fill('a secret of GitHub')
      await page.getByRole('button', { name: 'Save hook' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('github signature').waitFor()
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('heading', { name: 'No hooks yet' }).waitFor()
    },
  )

  browse(
    'sets, changes and removes the webhook of an application, whose secret is shown once',
    async ({ page, at }) => {
      await page.goto(at('/webhooks'))
      await page.getByRole('button', { name: 'Add webhook…' }).click()
      const address = page.getByLabel('URL')
      await address.fill('ftp://shop.example/hooks')
      await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/^Error:\s+URL /)
      await address.fill('https://127.0.0.1:1/hooks')
      await page.getByLabel('push.opened').check()
      await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
      expect(await page.getByRole('region', { name: 'Webhook secret' }).innerText()).toMatch(/^whsec_/)
      await page.getByText('--webhook-private').waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('push.finished, push.opened, device.gone').waitFor()

      await page.getByRole('button', { name: 'Change…' }).click()
      await page.getByLabel('push.opened').uncheck()
      await page.getByRole('button', { name: 'Save webhook' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      expect(await page.getByRole('region', { name: 'Webhook secret' }).count()).toBe(0)
      await page.getByText('push.finished, device.gone').waitFor()

      await page.getByRole('button', { name: 'Remove…' }).click()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    },
  )

  browse('shows of the service log what is about one application', async ({ page, at }) => {
    await page.goto(at('/service-log'))
    const start = page.getByRole('list', { name: 'Lines' }).getByText('serving')
    await start.waitFor()
    await page.getByLabel('Application', { exact: true }).selectOption('shop')
    await start.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('application')).toBe(application)
    await page.getByLabel('Application', { exact: true }).selectOption('')
    await start.waitFor()
  })

  browse('asks for no preview of an empty push', async ({ page, at }) => {
    const asked: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/push/preview')) asked.push(request.postDataJSON())
    })
    await page.goto(at(`/applications/${application}/send`))
    const msg = page.getByLabel('Message')
    await msg.fill('Hello')
    await page.getByText('To 3 devices').waitFor()
    await msg.fill('')
    await page.getByText('To 3 devices').waitFor({ state: 'detached' })
    await msg.fill('World')
    await page.getByText('To 3 devices').waitFor()
    expect(asked).toMatchObject([{ msg: 'Hello' }, { msg: 'World' }])
  })

  browse('lists the devices that nobody searched for, and leads to each', async ({ page, at }) => {
    await page.goto(at(`/applications/${application}/devices`))
    const list = page.getByRole('table', { name: 'Devices' })
    await list.waitFor()
    expect(await list.getByRole('row').count()).toBe(4)
    await list.getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: /^(iOS|Android) .{8}…$/ }).waitFor()
    await page.goto(at(`/applications/${application}/devices?before=1`))
    await page.getByRole('link', { name: 'First page' }).click()
    await list.waitFor()
  })

  browse(
    'reaches all pages in a narrow window, and says where a table goes on; no date is on two lines',
    async ({ page, at }) => {
      await page.setViewportSize({ width: 390, height: 800 })
      await page.goto(at(`/applications/${application}/credentials`))
      await page.getByRole('heading', { name: 'Add a key' }).waitFor()
      for (const tab of await page.getByRole('navigation', { name: 'Application' }).getByRole('link').all()) {
        const { x, width } = (await tab.boundingBox()) ?? { x: -1, width: 0 }
        expect([x >= 0, x + width <= 390]).toEqual([true, true])
      }
      const menu = page.getByRole('button', { name: 'Menu' })
      const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')
      expect(await links.count()).toBe(0)
      await menu.press('Enter')
      for (const link of await links.all()) {
        const { x, width } = (await link.boundingBox()) ?? { x: -1, width: 0 }
        expect([x >= 0, width > 0, x + width <= 390]).toEqual([true, true, true])
      }
      await menu.press('Escape')
      expect(await links.count()).toBe(0)
      await menu.click()
      await links.filter({ hasText: 'Audit log' }).click()
      const table = page.getByRole('table', { name: 'Log' })
      await table.waitFor()
      expect(await links.count()).toBe(0)
      const more = page.getByText('More columns')
      await more.waitFor()
      await page.getByRole('region', { name: 'Log' }).evaluate((region) => region.scrollTo(10_000, 0))
      await more.waitFor({ state: 'detached' })
      const lines = await page.evaluate<number[]>(
        '[...document.querySelectorAll("td:first-child")].map((cell) => { const text = document.createRange(); text.selectNodeContents(cell); return text.getClientRects().length })',
      )
      expect(new Set(lines)).toEqual(new Set([1]))
    },
  )

  browse('changes the webhook of an application where it is shown', async ({ page, at, ask, makeApplication }) => {
    const { path } = await makeApplication()
    await page.goto(at(path))
    await page.getByRole('button', { name: 'Add webhook…' }).click()
    await page.getByLabel('URL').fill('https://shop.example/hooks')
    await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Change webhook…' }).click()
    expect(await page.getByLabel('URL').inputValue()).toBe('https://shop.example/hooks')
    // Another test expects that there are no webhooks.
    await ask('DELETE', `/api${path}/webhook`)
  })

  browse('says why a list cannot be read, and reads it when asked again', async ({ page, at }) => {
    await page.route('**/api/webhooks', (route) => route.fulfill({ status: 502, body: 'no answer' }), { times: 1 })
    await page.goto(at('/webhooks'))
    expect(await page.getByRole('alert').innerText()).toContain('The server answered with 502.')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  browse(
    'lists each application with what it sent today and its problems',
    async ({ page, at, ask, makeApplication }) => {
      const { name, path } = await makeApplication([
        { token: '8'.repeat(64), platform: '0' },
        { token: '9'.repeat(64), platform: '0' },
      ])
      const content = { msg: 'Hello', sound: '', badge: '' }
      const { id } = await ask('POST', `/api${path}/v1/push/all`, { platform: '0', ...content })
      // The page reloads the list only after ten seconds.
      const status = () => ask<{ readonly state: string }>('GET', `/api${path}/v1/push/${id}`)
      await until(async () => (await status()).state === 'finished')
      await page.goto(at('/applications'))
      await page.getByRole('row', { name: new RegExp(`^${name} 2 2 0 simulated`) }).waitFor()
    },
  )

  browseAlone('counts while somebody looks', async ({ page, at, ask, makeApplication }) => {
    const { path } = await makeApplication()
    await page.clock.install()
    await page.goto(at(path))
    const devices = page.locator('dt', { hasText: 'Devices' }).locator('+ dd')
    await devices.getByText('0', { exact: true }).waitFor()
    await ask('PUT', `/api${path}/v1/deviceToken`, { token: '7'.repeat(64), platform: '0' })
    await page.clock.fastForward(11_000)
    await devices.getByText('1', { exact: true }).waitFor()
  })

  browse(
    'asks before an application changes between the simulator and real gateways',
    async ({ page, at, ask, makeApplication }) => {
      const { path } = await makeApplication([{ token: 'a1'.repeat(32), platform: '0' }], false)
      await page.goto(at(path))
      await page.getByRole('button', { name: 'Use the simulator…' }).click()
      await page.getByRole('button', { name: 'Use the simulator', exact: true }).click()
      await page.getByRole('button', { name: 'Switch to real gateways…' }).click()
      expect((await ask<{ readonly simulated: boolean }>('GET', `/api${path}`)).simulated).toBe(true)
      await page.getByRole('button', { name: 'Switch', exact: true }).click()
      await page.getByRole('button', { name: 'Use the simulator…' }).waitFor()
    },
  )

  browseAlone('keeps typed limits while others change', async ({ page, at, ask, makeApplication }) => {
    const { path } = await makeApplication()
    await page.clock.install()
    await page.goto(at(path))
    await page.getByText('Show limits').click()
    const quota = page.getByLabel('Quota', { exact: true })
    const hold = page.getByLabel('Hold')
    await quota.fill('500')
    await ask('PATCH', `/api${path}`, { holdSeconds: 7 })
    await page.clock.fastForward(11_000)
    await until(async () => (await hold.inputValue()) === '7')
    expect(await quota.inputValue()).toBe('500')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Limits saved.').waitFor()
    expect(await focused(page)).toBe('Save limits')
    await ask('PATCH', `/api${path}`, { quota: 900 })
    await page.clock.fastForward(11_000)
    await until(async () => (await quota.inputValue()) === '900')
    expect(await hold.isVisible()).toBe(true)
  })

  browse('knows no page whose address cannot be read', async ({ page, at }) => {
    await page.goto(at('/applications'))
    await page.evaluate("history.pushState(null, '', '/applications/%zz'); dispatchEvent(new Event('popstate'))")
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Applications' }).click()
    await page.getByRole('table', { name: 'Applications' }).waitFor()
  })

  browse(
    'lists the devices that a push failed for, and what became of it in each language',
    async ({ page, at, ask }) => {
      // The simulator answers "unregistered" for this prefix, so three devices remain.
      const token = 'bad41000'.padEnd(64, '1')
      await ask('PUT', pathOf('/deviceToken'), { token, platform: '0', locale: 'de-AT' })
      const content = { msg: 'Hello', sound: '', badge: '', languages: { de: { msg: 'Hallo' } } }
      const { id } = await ask('POST', pathOf('/push/one'), { token, platform: '0', ...content })
      await page.goto(at(`/applications/${application}/pushes/${id}`))
      const list = page.getByRole('table', { name: 'Failed devices' })
      expect(await list.getByRole('row').nth(1).innerText()).toMatch(
        /^bad4100011111111…\s+iOS\s+gone\s+Unregistered\s+1\s/,
      )
      const languages = page.getByRole('table', { name: 'Languages' }).getByRole('row')
      const rows = (await languages.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim())
      expect(rows.slice(1)).toEqual(['Default text 0 0 0 – 0 – 0', 'de 0 1 0 – 0 – 0'])
      await list.getByRole('link').click()
      await page.getByRole('heading', { name: 'Found by token' }).waitFor()
    },
  )

  browse('erases a user whose name is typed again', async ({ page, at, ask }) => {
    for (const digit of ['1', '2']) {
      await ask('PUT', pathOf('/deviceToken'), { token: digit.repeat(64), platform: '0', user: 'ann@shop.example' })
    }
    await page.goto(at(`/applications/${application}/devices?q=ann@shop.example`))
    await page.getByRole('link', { name: '1111111111111111…' }).click()
    await page.getByRole('button', { name: /^Erase user ann@shop\.example/ }).click()
    const typed = page.getByRole('textbox', { name: 'Type the user ID to confirm' })
    await typed.fill('ann')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(
      /^Error:\s+The user ID does not match\. Nothing was erased/,
    )
    await typed.fill('ann@shop.example')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('table', { name: 'Devices' }).waitFor()
    await page.goto(at(`/applications/${application}/devices?q=ann@shop.example`))
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  })

  browse(
    'lists users with the number of their devices, and leads to those and to erasing',
    async ({ page, makeApplication, at }) => {
      // One device's alias is another's user.
      const { path } = await makeApplication([
        { token: '3'.repeat(64), platform: '0', user: 'bob' },
        { token: '4'.repeat(64), platform: '1', user: 'bob' },
        { token: '5'.repeat(64), platform: '0', user: 'bobby', alias: 'bob' },
      ])
      await page.goto(at(path))
      await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: 'Users' }).click()
      const rows = page.getByRole('table', { name: 'Users' }).getByRole('row')
      await rows.nth(2).waitFor()
      const texts = async () => (await rows.allInnerTexts()).slice(1).map((row) => row.split(/\s+/).slice(0, 3))
      expect(await texts()).toEqual([
        ['bob', '2', '0'],
        ['bobby', '1', '0'],
      ])
      expect(await page.title()).toBe('Users · Bellhop')
      await page.setViewportSize({ width: 360, height: 800 })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
      await page.setViewportSize({ width: 1280, height: 720 })
      await rows.getByRole('link', { name: 'bob', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'bob', exact: true }).waitFor()
      const devices = page.getByRole('table', { name: 'Devices' }).getByRole('row')
      await devices.nth(2).waitFor()
      expect(await devices.count()).toBe(3)

      await page.goBack()
      await page.getByLabel('User ID').fill('bobb')
      await page.getByRole('button', { name: 'Search' }).click()
      await rows.nth(2).waitFor({ state: 'detached' })
      await rows.nth(1).waitFor()
      expect(await texts()).toEqual([['bobby', '1', '0']])
      await page.getByRole('button', { name: /^Erase user bobby/ }).click()
      await page.getByRole('textbox', { name: 'Type the user ID to confirm' }).fill('bobby')
      await page.getByRole('button', { name: 'Erase', exact: true }).click()
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    },
  )

  browse('leaves the focus on the page when what had it goes away', async ({ page, at, ask, makeApplication }) => {
    const { name, path } = await makeApplication([{ token: '6'.repeat(64), platform: '0', user: 'carl' }])
    await page.goto(at(`${path}/send?alias=desk`))
    await page.getByRole('button', { name: 'Remove filter: Has this alias' }).click()
    await page.getByLabel('Has this alias').waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Has any of these tags')

    await page.goto(at(path))
    await page.getByRole('button', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused(page)).toBe(name)

    const later = { msg: 'Later', sound: '', badge: '', send_at: '3600' }
    const { id } = await ask('POST', `/api${path}/v1/push/all`, { platform: '0', ...later })
    await page.goto(at(`${path}/pushes/${id}`))
    const cancel = page.getByRole('button', { name: 'Cancel the rest' })
    await cancel.click()
    await cancel.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Later')

    await page.goto(at(`${path}/users`))
    await page.getByRole('button', { name: 'Erase user carl' }).click()
    await page.getByRole('textbox', { name: 'Type the user ID to confirm' }).fill('carl')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('heading', { name: 'No users yet' }).waitFor()
    expect(await focused(page)).toBe('Users')
  })

  browse('asks who is there when the session is over, and is then where it was', async ({ page, context, at }) => {
    await page.goto(at('/backups'))
    // From the page's only call: a later refusal would take the link away.
    await page.getByRole('heading', { name: 'Backups are off' }).waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Name').fill('ann')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('Name or password is wrong.')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('table', { name: 'Log' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/log')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  browse('takes a link that is opened again after a reload', async ({ page, at, ask, context }) => {
    const { link } = await ask<{ readonly link: string }>('POST', '/api/administrators')
    const opened = at(`/setup#${link}`)
    await context.clearCookies()
    await page.goto(opened)
    await page.getByLabel('Your name').waitFor()
    await page.reload()
    await page.getByText('After a reload, open your link again').waitFor()
    expect(page.url()).not.toContain('#')
    await page.goto(opened)
    await page.getByLabel('Your name').waitFor()
    expect(page.url()).not.toContain('#')
  })

  browse('keeps the push that was being written when the session ends', async ({ page, context, at }) => {
    await page.goto(at(`/applications/${application}/send`))
    await page.getByLabel('Message').fill('Hello')
    await page.getByText('To 3 devices').waitFor()
    await context.clearCookies()
    await page.getByRole('button', { name: 'Review and send…' }).click()
    await page.getByLabel('Name').fill('ann')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByLabel('Message').inputValue()).toBe('Hello')
  })

  browse(
    'asks for a code where an authenticator app was set up, until it is turned off',
    async ({ page, context, at }) => {
      const code = page.getByRole('textbox', { name: 'Code' })
      await page.goto(at('/administrators'))
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
      await page.getByRole('img', { name: 'QR code of the key' }).waitFor()
      const secret = (await page.getByRole('region', { name: 'Key', exact: true }).innerText()).trim()
      await code.fill(authenticator(secret, systemClock)())
      await page.getByRole('button', { name: 'Turn it on' }).click()
      const codes = await page.getByRole('region', { name: 'Recovery codes' }).innerText()
      const [recovery = '', second = ''] = codes.trim().split('\n')
      await page.getByText('Recovery codes left: 10.').waitFor()

      await context.clearCookies()
      await page.goto(at('/log'))
      await page.getByLabel('Name').fill('ann')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await code.waitFor()
      expect(await focused(page)).toBe('Code')
      await code.fill('000000')
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(await page.getByRole('alert').innerText()).toContain('Code is wrong or was already used.')
      await code.fill(recovery)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('table', { name: 'Log' }).waitFor()

      await page.goto(at('/administrators'))
      await code.fill(second)
      await page.getByRole('button', { name: 'Turn it off' }).click()
      await page.getByText('Off: the password alone signs you in.').waitFor()
    },
  )

  browse('says that the server went away, and goes on when it is back', async ({ page, context, at }) => {
    await page.goto(at('/applications'))
    await page.getByRole('table', { name: 'Applications' }).waitFor()
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Administrators' }).click()
    await page.getByText('The server doesn’t answer. Trying again').waitFor()
    await context.setOffline(false)
    await page.getByRole('table', { name: 'Administrators' }).waitFor()
    await page.getByText('The server doesn’t answer. Trying again').waitFor({ state: 'detached' })
  })

  browse('needs no mouse from signing in to a sent push', async ({ page, context, at }) => {
    await context.clearCookies()
    const keys = page.keyboard
    await page.goto(at(`/applications/${application}/send`))
    await page.getByLabel('Name').waitFor()
    await tabTo(page, 'Name')
    await keys.type('ann')
    await tabTo(page, 'Password')
    await keys.type(PASSWORD)
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Send' }).waitFor()
    await tabTo(page, 'Title')
    await keys.type('By hand')
    await tabTo(page, 'Message')
    await keys.type('Without a mouse')
    await tabTo(page, 'Review and send…')
    await keys.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Send to 3 devices')
    await keys.press('Enter')
    await page.getByText('Finished: 3 of 3 devices accepted').first().waitFor()
    // Tells screen readers where they are.
    expect(await focused(page)).toBe('By hand')
  })

  browse(
    'has no page with a serious finding of axe, in either scheme, and none that scrolls sideways',
    async ({ page, at }) => {
      const found: string[] = []
      /** `run`: the rules. */
      const examine = async (name: string, run: object): Promise<void> => {
        const options = JSON.stringify({ runOnly: run, resultTypes: ['violations'] })
        const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(${options})`)
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        found.push(...serious.map(({ id, nodes }) => `${name}: ${id} ${nodes[0]?.html}`))
        expect(passes.length).toBeGreaterThan(0)
      }
      await page.goto(at('/'))
      await page.evaluate(axe)
      for (const [name, [path, ready, open]] of Object.entries(places())) {
        const [role = '', text = ''] = ready.split(':')
        // Text that fades in has too little contrast at first.
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
        // Like a link: axe stays loaded.
        await page.evaluate(
          `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('popstate'))`,
        )
        await page
          .getByRole(role as 'table', { name: text })
          .first()
          .waitFor()
        if (open !== undefined) await page.getByRole('button', { name: open }).click()
        await examine(`${name}, light`, {
          type: 'tag',
          values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        })
        // No other rule depends on colours.
        await page.emulateMedia({ colorScheme: 'dark' })
        await examine(`${name}, dark`, { type: 'rule', values: ['color-contrast'] })
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 })
          const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
          if (wide !== width) found.push(`${name} at ${width}: ${wide} wide`)
        }
      }
      expect(found).toEqual([])
    },
  )
})

/** `api`: URL of the public API. */
async function sendFirstPush(page: Page, api: string, wrongs: readonly string[]) {
  // The secret after the `#` grants an account.
  expect(page.url()).not.toContain('#')
  await page.getByLabel('What is your app called?').fill('shop')
  await page.getByRole('button', { name: 'Try it with three simulated phones' }).click()
  await page.getByLabel('Title').fill('On its way')
  await page.getByLabel('Message').fill('Your parcel comes today.')
  const previews = page.getByRole('group', { name: 'About how it looks' })
  await previews.getByText('Your parcel comes today.').nth(4).waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Finished: 3 of 3 devices accepted').waitFor()
  const phones = page.getByRole('group', { name: 'Simulated phones' })
  for (const nth of [0, 1, 2]) await phones.getByText('Your parcel comes today.').nth(nth).waitFor()
  const curl = await page.getByRole('region', { name: 'The same as curl' }).innerText()
  const codeFor = async (kind: string): Promise<string> => {
    await page.getByRole('radio', { name: kind, exact: true }).check()
    return (await page.getByRole('region', { name: new RegExp(`^${kind}`) }).allInnerTexts()).join('\n')
  }
  const kotlin = await codeFor('Android')
  const swift = await codeFor('iOS')
  const policy = await page.evaluate(() => fetch('/').then(({ headers }) => headers.get('content-security-policy')))
  return { api, curl, swift, kotlin, policy, wrongs: [...wrongs] }
}

/** The label or text of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    '(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim() ?? ""',
  )
}

async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    const now = await focused(page)
    if (now === name) return
    passed.push(now.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  throw new Error(`no way to ${name} by the keyboard: ${passed.join(' | ')}`)
}
