import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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

interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page was forbidden, and what broke in it. */
  readonly wrongs: string[]
}

type ContextOptions = Parameters<Browser['newContext']>[0]

/** A page of a browser that knows nothing yet. */
export async function openPage(browser: Browser, options: ContextOptions = {}): Promise<Opened> {
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

interface Dashboard extends AsyncDisposable {
  readonly service: ServiceProcess
  /** A link to become an administrator. */
  readonly setupLink: string
}

/** The program with a data directory of its own. `args`: of `bellhop serve`. */
async function startDashboard(args: readonly string[] = []): Promise<Dashboard> {
  const data = mkdtempSync(join(tmpdir(), 'bellhop-dashboard-'))
  const service = await serve(data, {}, args)
  const { stdout } = await command(['admin', 'link', `--data=${data}`, `--url=${service.adminUrl}`])
  const setupLink = /http\S+#\S+/.exec(stdout)?.[0] ?? ''
  return {
    service,
    setupLink,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

export const PASSWORD = 'correct horse battery'

/** Opens the link, and becomes the administrator `ann`. */
async function becomeAdministrator(page: Page, { setupLink }: Pick<Dashboard, 'setupLink'>): Promise<void> {
  await page.goto(setupLink)
  await page.getByLabel('Your name').fill('ann')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
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

interface Browsed extends Opened {
  /** The address of a path of the dashboard. */
  readonly at: (path: string) => string
  readonly service: ServiceProcess
  /** Makes an application on the simulator, unless `simulate` says otherwise; the path of its page. */
  readonly makeApplication: (devices?: readonly object[], simulate?: boolean) => Promise<string>
}

export interface World {
  /**
   * A test with a page of a browser where `ann` is signed in, unless `storageState` says otherwise. It fails where the page
   * was forbidden something, or broke; one that is to break off empties `wrongs`.
   */
  readonly browse: (name: string, run: (browsed: Browsed) => Promise<void>, options?: ContextOptions) => void
  /** What is once done in the page that `ann` comes to first. */
  readonly first: (run: (browsed: Browsed) => Promise<void>) => void
}

/** Tests of the dashboard in a browser, with a service of their own; skipped where there is no Chromium. */
export function describeInBrowser(
  name: string,
  define: (world: World) => void,
  /** More arguments of `bellhop serve`. */
  argsOf: (stack: AsyncDisposableStack) => Promise<readonly string[]> = () => Promise.resolve([]),
): void {
  const suite = CHROMIUM === null ? describe.skip : describe
  suite(`${name}${CHROMIUM === null ? ' (no chromium in PATH)' : ''}`, () => {
    const stack = new AsyncDisposableStack()
    let browser: Browser
    let dashboard: Dashboard
    let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>
    let made = 0
    let runFirst: (browsed: Browsed) => Promise<void> = () => Promise.resolve()

    const at = (path: string): string => dashboard.service.adminUrl + path
    const browsed = (opened: Opened): Browsed => ({
      ...opened,
      at,
      service: dashboard.service,
      async makeApplication(devices = [], simulate = true) {
        await opened.page.goto(at('/backups'))
        const { id } = await ask(opened.page, 'POST', '/api/applications', { name: `shop ${++made}`, simulate })
        for (const device of devices) await ask(opened.page, 'PUT', `/api/applications/${id}/v1/deviceToken`, device)
        return `/applications/${id}`
      },
    })

    beforeAll(async () => {
      browser = stack.adopt(await openBrowser(), (one) => one.close())
      dashboard = stack.use(await startDashboard(await argsOf(stack)))
      const opened = await openPage(browser)
      await becomeAdministrator(opened.page, dashboard)
      await opened.page.getByLabel('What is your app called?').waitFor()
      await runFirst(browsed(opened))
      signedIn = await opened.context.storageState()
      await opened.context.close()
    }, 180_000)

    afterAll(() => stack.disposeAsync())

    define({
      browse(title, run, options = {}) {
        test(title, async () => {
          const opened = await openPage(browser, { storageState: signedIn, ...options })
          await run(browsed(opened))
          expect(opened.wrongs).toEqual([])
          await opened.context.close()
        })
      },
      first: (run) => void (runFirst = run),
    })
  })
}
