import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { command, serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'

/** Where a browser is; `null`: nowhere, and nothing is downloaded. */
export const CHROMIUM = Bun.which('chromium')

/** For whatever is awaited in a page: only how soon what hangs is given up. */
const PATIENCE_MS = 60_000

export function openBrowser(): Promise<Browser> {
  // As root, as which CI runs, Chromium has no sandbox; it sees nothing but our own pages.
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page was forbidden, and what broke in it. */
  readonly wrongs: readonly string[]
}

type ContextOptions = Parameters<Browser['newContext']>[0]

/** A page of a browser that knows nothing yet. */
export async function openPage(browser: Browser, options: ContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENCE_MS)
  const wrongs: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => wrongs.push(error.message))
  page.on('console', (message) => {
    // An answer that is no success is logged by the browser too, and is no fault of the page.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) wrongs.push(message.text())
  })
  await page.addInitScript(() => {
    const { document, console } = globalThis as unknown as { document: EventTarget; console: Console }
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI } = event as Event & { violatedDirective: string; blockedURI: string }
      console.error(`forbidden by ${violatedDirective}: ${blockedURI}`)
    })
  })
  return { context, page, wrongs }
}

export interface Dashboard extends AsyncDisposable {
  readonly service: ServiceProcess
  /** A link to become an administrator. */
  readonly setupLink: string
}

/** The program with a data directory of its own. `args`: of `bellhop serve`. */
export async function startDashboard(args: readonly string[] = []): Promise<Dashboard> {
  const data = mkdtempSync(join(tmpdir(), 'bellhop-dashboard-'))
  const service = await serve(data, {}, args)
  const { stdout } = await command(['admin', 'link', `--data=${data}`, `--url=${service.adminUrl}`])
  const setupLink = /http\S+#\S+/.exec(stdout)?.[0] ?? ''
  return {
    service,
    setupLink,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      rmSync(data, { recursive: true })
    },
  }
}

export const PASSWORD = 'correct horse battery'

/** Opens the link, and becomes the administrator `ann`. */
export async function becomeAdministrator(page: Page, { setupLink }: Pick<Dashboard, 'setupLink'>): Promise<void> {
  await page.goto(setupLink)
  await page.getByLabel('Your name').fill('ann')
  await page.getByLabel('A password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Go on' }).click()
}

/** A call out of a page that is signed in. */
export function ask<Answer = { readonly id: string }>(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return page.evaluate(`fetch('${path}', ${JSON.stringify({ method, ...sent })}).then((answer) => answer.json())`)
}
