import { expect } from 'bun:test'
import type { Route } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser } from './browser.ts'

describeInBrowser('sending from the dashboard', ({ browse }) => {
  browse(
    'writes a push in two languages, and says of each how it looks, to how many it goes and what is sent',
    async ({ page, at, makeApplication }) => {
      const { path } = await makeApplication([
        { token: 'a1'.repeat(32), platform: '0', locale: 'de-AT' },
        { token: 'b2'.repeat(32), platform: '0' },
        { token: 'c3', platform: '1' },
      ])
      await page.goto(at(`${path}/send`))
      const [title, msg] = [page.getByRole('textbox', { name: 'Title', exact: true }), page.getByLabel('Message')]
      await title.fill('On its way')
      await msg.fill('Your parcel comes today.')
      await page.getByText('Translations').click()
      const language = page.getByLabel('Language', { exact: true })
      await language.fill('no tag at all')
      await language.press('Enter')
      expect(await page.getByText('Not a language tag.').isVisible()).toBe(true)
      await language.fill('de')
      await language.press('Enter')
      await msg.fill('Dein Paket kommt heute.')
      const looks = page.getByRole('group', { name: 'About how it looks' })
      // The title is not translated.
      expect(await looks.getByText('On its way').count()).toBe(6)
      expect(await looks.getByText('Dein Paket kommt heute.').count()).toBe(6)
      const rows = page.getByRole('table', { name: 'By language' }).getByRole('row')
      await rows.nth(2).waitFor()
      // Apple, Google and browsers.
      const sizes = Array.from({ length: 3 }, () => expect.stringMatching(/^\d+ B$/))
      expect((await rows.allInnerTexts()).slice(1).map((row) => row.split(/\s*\t\s*/))).toEqual([
        ['Everybody else', '2', ...sizes],
        ['German (de)', '1', ...sizes],
      ])
      const payload = page.getByRole('region', { name: "Apple's payload" })
      await page.getByText(/^Sent to Apple: \d+ of 4,096 bytes$/).click()
      await payload.getByText('"body": "Dein Paket kommt heute."').waitFor()
      await rows.getByRole('button', { name: 'Everybody else' }).click()
      await payload.getByText('"body": "Your parcel comes today."').waitFor()
      expect(await msg.inputValue()).toBe('Your parcel comes today.')

      // Errors appear at their field, even in a folded section.
      await page.getByRole('radio', { name: 'German (de)' }).check()
      await page.getByText('Subtitle, picture, link').click()
      await page.getByLabel('Picture').fill('http://shop.example/parcel.png')
      const wrong = page.locator('[aria-invalid]')
      expect(await wrong.getAttribute('aria-describedby')).not.toBeNull()
      expect(await page.locator('p.problem').innerText()).toMatch(/^Picture must be an https URL/)
      await page.getByLabel('Picture').fill('')
      await wrong.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Review and send…' }).click()
      await page.getByRole('dialog').waitFor()
      expect(await page.getByRole('dialog').getByRole('listitem').allInnerTexts()).toEqual([
        'Everybody else: 2',
        'German (de): 1',
      ])
      await page.getByRole('button', { name: 'Send to 3 devices' }).click()
      await page.getByText('Finished: 3 of 3 devices accepted').waitFor()
      await page.goto(at(`${path}/phones`))
      const phones = page.getByRole('group', { name: 'Simulated phones' })
      await phones.getByText('Dein Paket kommt heute.').waitFor()
      expect(await phones.getByText('Your parcel comes today.').count()).toBe(2)

      await page.goBack()
      await page.goBack()
      await page.getByRole('radio', { name: 'German (de)' }).check()
      await page.getByRole('button', { name: 'Remove German (de)' }).click()
      await page.getByRole('table', { name: 'By language' }).waitFor({ state: 'detached' })
      expect(new URL(page.url()).search).not.toContain('languages')
    },
  )

  browse(
    'says at the message that it is missing beside a title, unless the push is to some or shows nothing',
    async ({ page, at, makeApplication }) => {
      const { path } = await makeApplication([{ token: 'a1'.repeat(32), platform: '0', tag: ['bread'] }])
      await page.goto(at(`${path}/send`))
      await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Only a title')
      const missing = page
        .locator('.field')
        .filter({ has: page.getByLabel('Message') })
        .locator('p.problem')
      expect(await missing.innerText()).toMatch(/^The message is missing\./)
      await page.getByLabel('Has any of these tags').fill('bread')
      await missing.waitFor({ state: 'detached' })
      await page.getByText('To 1 device').waitFor()
      await page.getByLabel('Has any of these tags').fill('')
      await missing.waitFor()
      await page.getByText('More options').click()
      await page.getByLabel('Silent').check()
      await page.getByText('To 1 device').waitFor()
      expect(await page.getByLabel('Message').count()).toBe(0)
    },
  )
  browse('sends to one device from its page, or by its token', async ({ page, at, makeApplication }) => {
    const token = 'b2'.repeat(32)
    const { path } = await makeApplication([
      { token: 'a1'.repeat(32), platform: '0' },
      { token, platform: '0' },
      { token, platform: '1' },
    ])
    await page.goto(at(`${path}/devices?q=${token}`))
    await page.getByRole('row', { name: 'iOS' }).getByRole('link').first().click()
    await page.getByRole('link', { name: 'Send to this device' }).click()
    await page.getByLabel('Message').fill('Only you')
    await page.getByText('To 1 device').waitFor()
    await page.getByRole('button', { name: 'Review and send…' }).click()
    await page.getByRole('button', { name: 'Send to 1 device' }).click()
    await page.getByText('Finished: 1 of 1 device accepted.').waitFor()

    await page.goto(at(`${path}/send?msg=Hello`))
    await page.getByText('Add a filter').click()
    await page.getByRole('button', { name: 'Only this device token' }).click()
    await page.getByLabel('Only this device token').fill(token)
    await page.locator('p.problem').getByText('Platform must be one, that of the device token.').waitFor()
    await page.getByLabel('iOS', { exact: true }).uncheck()
    await page.getByLabel('Web', { exact: true }).uncheck()
    await page.getByText('To 1 device: 0 iOS, 1 Android').waitFor()
  })

  browse('sends a push again to those it failed for', async ({ page, at, ask, makeApplication }) => {
    // The simulator refuses this token once.
    const token = 'bad41301'.padEnd(64, '0')
    const { path } = await makeApplication([
      { token, platform: '0' },
      { token: 'b2'.repeat(32), platform: '0' },
    ])
    const { id } = await ask('POST', `/api${path}/v1/push/all`, { platform: ['0'], ...SHOWN })
    await page.goto(at(`${path}/pushes/${id}`))
    await page.getByText('Finished: 1 of 2 devices accepted, 1 failed.').waitFor()
    await page.getByRole('button', { name: 'Resend to failed devices…' }).click()
    await page.getByText(/^Sent to Apple: \d+ of 4,096 bytes$/).waitFor()
    await page.getByRole('button', { name: 'Resend to 1 device' }).click()
    await page.getByText('Finished: 1 of 1 device accepted.').waitFor()
    expect(page.url()).not.toContain(id)
    await page.getByLabel('Device token').fill('b2b2')
    await page.getByRole('button', { name: 'Explain' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('No device has this token. Type 8 characters or more.')
    await page.goto(at(`${path}/pushes/${id}`))
    await page.getByRole('button', { name: 'Resend to failed devices…' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(/^Error:\s+The push was already resent as /)
  })

  browse('sends a push once, even if the first answer is lost', async ({ page, at, ask, makeApplication }) => {
    const { path } = await makeApplication([{ token: 'a1'.repeat(32), platform: '0' }])
    const lose = async (route: Route): Promise<void> => {
      await route.fetch()
      await route.abort()
    }
    const pushes = () => ask<{ readonly pushes: readonly object[] }>('GET', `/api${path}/pushes`)
    await page.route('**/v1/push/all', lose, { times: 1 })
    await page.goto(at(`${path}/send?msg=Hello`))
    await page.getByRole('button', { name: 'Review and send…' }).click()
    const send = page.getByRole('button', { name: 'Send to 1 device' })
    await send.click()
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await send.click()
    await page.getByText('Finished: 1 of 1 device accepted.').waitFor()
    expect((await pushes()).pushes).toHaveLength(1)

    await page.route('**/v1/push/all', lose, { times: 1 })
    await page.goto(at(path.replace('applications', 'welcome')))
    await page.getByLabel('Message').fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Finished: 1 of 1 device accepted.').waitFor()
    expect((await pushes()).pushes).toHaveLength(2)
    await page.getByRole('button', { name: 'Send another one' }).click()
    await until(async () => (await pushes()).pushes.length === 3)
  })

  browse('says that a push is held back, and cancels it', async ({ page, at, ask, makeApplication }) => {
    const { path } = await makeApplication([{ token: 'a1'.repeat(32), platform: '0' }])
    await ask('PATCH', `/api${path}`, { holdSeconds: 3600 })
    await ask('POST', `/api${path}/v1/push/all`, { platform: ['0'], ...SHOWN })
    await page.goto(at(`${path}/pushes`))
    await page.getByRole('cell', { name: 'held', exact: true }).waitFor()
    await page.getByRole('link', { name: 'On its way' }).click()
    await page.getByText(/^On hold until .+:\d\d:\d\d.+\. You can cancel it until then\.$/).waitFor()
    await page.getByRole('button', { name: 'Cancel the rest' }).click()
    await page.getByText('Cancelled: 0 of 0 devices accepted.').waitFor()
  })

  browse('says of a push by local time where it has passed, and by which clock it goes', async (browsed) => {
    const { page, at, makeApplication } = browsed
    const { path } = await makeApplication([
      { token: 'a1'.repeat(32), platform: '0', timezone: 'Asia/Tokyo' },
      { token: 'b2'.repeat(32), platform: '0', timezone: 'Europe/Berlin' },
    ])
    // It is that time in Samoa, and was elsewhere.
    const local = new Date(Date.now() - 11 * 3_600_000).toISOString().slice(0, 16)
    await page.goto(at(`${path}/send?msg=Hello&send_at_local=${local}`))
    await page.getByRole('button', { name: 'Review and send…' }).click()
    const passed = page.getByText('It is not sent where that time had passed: Asia/Tokyo, Europe/Berlin.')
    await page.getByRole('dialog').filter({ has: passed }).getByRole('button', { name: 'Schedule' }).click()
    await page.getByText(/^At .+ by the clock of each device: 0 of 0 devices accepted$/).waitFor()
    expect(await passed.count()).toBe(1)
    await page.goto(at(`${path}/pushes`))
    await page.getByRole('cell', { name: /, \d{4}, \d+:\d\d.+ local time$/ }).waitFor()
    await page.goto(at('/'))
    await page.getByRole('table', { name: 'Scheduled pushes' }).getByRole('link', { name: 'Hello' }).first().waitFor()
  })

  browse('shows a simulated phone that is added to many', async ({ page, at, ask, makeApplication }) => {
    const { id, path } = await makeApplication()
    const tokens = Array.from({ length: 30 }, (_, at) => `a${10 + at}`.padEnd(64, '0'))
    await ask('PUT', `/api/applications/${id}/v1/deviceToken/batch`, { platform: '0', tokens })
    const { id: push } = await ask('POST', `/api${path}/v1/push/all`, { platform: ['0'], ...SHOWN })
    await until(async () => (await ask<{ s: number }>('GET', `/api${path}/v1/push/${push}`)).s === 30)
    await page.goto(at(`${path}/phones`))
    const phones = page.getByRole('group', { name: 'Simulated phones' }).locator('figure')
    await phones.filter({ hasText: 'Your parcel' }).nth(23).waitFor()
    await page.getByLabel('A push to it').selectOption('is refused: the app is gone (Unregistered)')
    await page.getByRole('button', { name: 'Add phone' }).click()
    await phones.filter({ hasText: 'bad41000' }).waitFor()
  })

  browse(
    'shows on simulated phones what arrives but no picture, and counts a tap and a button',
    async ({ page, at, ask, makeApplication }) => {
      const { path } = await makeApplication([
        { token: 'a1'.repeat(32), platform: '0' },
        { token: 'b2'.repeat(32), platform: '0' },
        { token: 'c3', platform: '1' },
      ])
      const loaded: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(at('/'))) loaded.push(request.url())
      })
      await page.goto(at(`${path}/phones`))
      await page.getByLabel('A push to it').selectOption('is refused: the app is gone (Unregistered)')
      await page.getByRole('button', { name: 'Add phone' }).click()
      const phones = page.getByRole('group', { name: 'Simulated phones' }).locator('figure')
      const gone = phones.filter({ hasText: 'bad41000' })
      await gone.waitFor()
      const image = 'https://shop.example/parcel.png'
      const all = { platform: ['0', '1'], ...SHOWN, subtitle: 'At nine', category: 'order', image }
      const { id } = await ask('POST', `/api${path}/v1/push/all`, all)
      await gone.getByText('Refused by the gateway: Unregistered').waitFor()
      const android = phones.filter({ hasText: 'Android' })
      await android.getByRole('button', { name: 'On its way' }).click()
      await android.getByRole('button', { name: 'On its way', pressed: true }).waitFor()
      expect(await android.getByText('picture').count()).toBe(1)
      expect(await android.getByText('At nine').count()).toBe(0)
      const iphone = phones.filter({ hasText: 'At nine' }).first()
      await iphone.getByRole('button', { name: 'accept' }).click()
      await iphone.getByRole('button', { name: 'accept', pressed: true }).waitFor()
      await ask('POST', `/api${path}/v1/push/all`, { platform: '0', silent: true })
      await phones.getByText('1 silent').nth(1).waitFor()
      await page.goto(at(`${path}/pushes/${id}`))
      await page.getByText('1 33.3 %').waitFor()
      await page.getByRole('button', { name: 'Withdraw…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await page.getByText('Finished: 3 of 3 devices accepted.').waitFor()
      await page.goto(at(`${path}/phones`))
      await phones.getByText('2 silent').first().waitFor()
      expect(await phones.getByText('On its way').count()).toBe(0)
      await page.goto(at(`${path}/pushes/${id}`))
      expect(await page.getByRole('table', { name: 'Actions' }).getByRole('row').nth(1).innerText()).toMatch(
        /^accept\s+1$/,
      )
      expect(loaded).toEqual([])
    },
  )
})

const SHOWN = { title: 'On its way', msg: 'Your parcel comes today.', sound: '', badge: '' }
