// Takes README's pictures of a service with made-up data, in light and dark. Needs Chromium in PATH. Repeat when the
// pages change.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { createApplicationStore } from '../src/application/application-store.ts'
import { systemClock } from '../src/clock.ts'
import { openDatabase } from '../src/database/database.ts'
import { createDeviceStore } from '../src/device/device-store.ts'

const FOLDER = join(import.meta.dir, 'screenshots')
const PROGRAM = [process.execPath, join(import.meta.dir, '..', 'src', 'main.ts')]
const DEVICES = 2400
const VIEW = { width: 1200, height: 800 }

const MESSAGE = {
  title: 'Fresh bread at nine',
  msg: 'Rye, spelt and your favourite: walnut. Until it is gone.',
  link: 'shop:bread',
  tags: 'bread',
  sound: 'default',
  badge: '+1',
}

const data = mkdtempSync(join(tmpdir(), 'bellhop-screenshots-'))
const application = fillShop()
const service = Bun.spawn(
  [...PROGRAM, 'serve', `--data=${data}`, '--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0'],
  {
    stdout: 'pipe',
    stderr: 'ignore',
  },
)
const browser = await chromium.launch({ executablePath: Bun.which('chromium') ?? '', args: ['--no-sandbox'] })
try {
  const link = await setupLink(service.stdout)
  const admin = new URL(link).origin
  const first = await browser.newContext()
  await becomeAdministrator(await first.newPage(), link)
  const storageState = await first.storageState()
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: VIEW, colorScheme, storageState })
    const page = await context.newPage()
    await page.goto(`${admin}/applications/${application}/send?${new URLSearchParams(MESSAGE).toString()}`)
    await page
      .getByText(/\d+ devices/)
      .first()
      .waitFor()
    await page.waitForLoadState('networkidle')
    const chromiums = await context.newCDPSession(page)
    // Playwright itself has no WebP, which is a third of the size here.
    const { data: base64 } = await chromiums.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
    await Bun.write(join(FOLDER, `send-${colorScheme}.webp`), Buffer.from(base64, 'base64'))
    await context.close()
  }
} finally {
  await browser.close()
  service.kill()
  await service.exited
  rmSync(data, { recursive: true })
}

async function setupLink(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true })
    const [link] = /http\S+\/setup#\S+/.exec(text) ?? []
    if (link !== undefined) return link
  }
  throw new Error(`the service did not start: ${text}`)
}

async function becomeAdministrator(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Your name').fill('ann')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Creates an application on the simulator, with devices; returns its ID. */
function fillShop(): string {
  using database = openDatabase(data)
  const stores = { database, clock: systemClock }
  const applications = createApplicationStore(stores)
  const created = applications.create('Corner Shop')
  if (created.kind !== 'created') throw new Error(created.kind)
  const { id, number } = created.application
  applications.setSimulated(id, true)
  const devices = createDeviceStore(stores)
  database.transact(() => {
    for (let n = 0; n < DEVICES; n++) {
      const token = new Bun.CryptoHasher('sha256').update(`device ${n}`).digest('hex')
      devices.register(number, { platform: n % 5 < 3 ? 0 : 1, token, tag: [n % 9 < 5 ? 'bread' : 'cake'] })
    }
  })
  return id
}
