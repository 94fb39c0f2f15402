import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { command, serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** `null`: not installed. The tests download nothing. */
export const CHROMIUM = Bun.which('chromium')

/** Long, since it only limits how long a hanging page takes to fail. */
const PATIENCE_MS = 60_000

export function openBrowser(): Promise<Browser> {
  // CI runs as root, where Chromium has no sandbox. It opens only our own pages.
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** In CSS pixels. */
const WINDOW = { width: 1280, height: 720 }

interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  /** Policy violations and errors of the page. */
  readonly wrongs: string[]
}

type ContextOptions = Parameters<Browser['newContext']>[0]

/** In a new context. */
export async function openPage(browser: Browser, options: ContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENCE_MS)
  const wrongs: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => wrongs.push(error.message))
  page.on('console', (message) => {
    // The browser also logs answers such as 401, which are no fault of the page.
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
  readonly setupLink: string
}

/** With its own data directory. `args`: of `bellhop serve`. */
async function startDashboard(args: readonly string[] = []): Promise<Dashboard> {
  const own = temporaryDirectory('bellhop-dashboard')
  const data = own.path
  const service = await serve(data, {}, args)
  const { stdout } = await command(['admin', 'link', `--data=${data}`, `--url=${service.adminUrl}`])
  const setupLink = /http\S+#\S+/.exec(stdout)?.[0] ?? ''
  return {
    service,
    setupLink,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      own[Symbol.dispose]()
    },
  }
}

export const PASSWORD = 'correct horse battery'

async function becomeAdministrator(page: Page, { setupLink }: Pick<Dashboard, 'setupLink'>): Promise<void> {
  await page.goto(setupLink)
  await page.getByLabel('Your name').fill('ann')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
}

type Ask = <Answer = { readonly id: string }>(method: string, path: string, body?: object) => Promise<Answer>

interface Browsed extends Opened {
  /** The URL of a path of the dashboard. */
  readonly at: (path: string) => string
  /** Calls the admin API as `ann`, without the browser. */
  readonly ask: Ask
  readonly service: ServiceProcess
  /** `simulate`: default true. `path`: of its page. */
  readonly makeApplication: (
    devices?: readonly object[],
    simulate?: boolean,
  ) => Promise<{ readonly id: string; readonly name: string; readonly path: string }>
}

type Run = (browsed: Browsed) => Promise<void>

export interface World {
  /**
   * A test in a page where `ann` is signed in. It fails if the page breaks or violates its policy. Tests share the
   * page, since a new context costs a second of processor time: start with `goto`.
   */
  readonly browse: (name: string, run: Run) => void
  /** The same in a context of its own, for a test that installs a clock, a permission or a script. */
  readonly browseAlone: (name: string, run: Run) => void
  /** Runs before the tests, in the page that `ann` sees first. */
  readonly first: (run: Run) => void
}

/** With its own service. Skipped without Chromium. */
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
    /** `null`: the last test failed in it, or is running in it. */
    let shared: Opened | null = null
    let made = 0
    let runFirst: Run = () => Promise.resolve()

    const at = (path: string): string => dashboard.service.adminUrl + path
    const ask: Ask = async <Answer>(method: string, path: string, body?: object) => {
      const cookie = signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const headers = { cookie, origin: at(''), ...(body !== undefined && { 'content-type': 'application/json' }) }
      const response = await fetch(at(path), {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return (await response.json()) as Answer
    }
    const browsed = (opened: Opened): Browsed => ({
      ...opened,
      at,
      ask,
      service: dashboard.service,
      async makeApplication(devices = [], simulate = true) {
        const name = `shop ${++made}`
        const { id } = await ask('POST', '/api/applications', { name, simulate })
        for (const device of devices) await ask('PUT', `/api/applications/${id}/v1/deviceToken`, device)
        return { id, name, path: `/applications/${id}` }
      },
    })

    beforeAll(async () => {
      browser = stack.adopt(await openBrowser(), (one) => one.close())
      dashboard = stack.use(await startDashboard(await argsOf(stack)))
      shared = await openPage(browser)
      await becomeAdministrator(shared.page, dashboard)
      await shared.page.getByLabel('What is your app called?').waitFor()
      signedIn = await shared.context.storageState()
      await runFirst(browsed(shared))
    }, 180_000)

    afterAll(() => stack.disposeAsync())

    const runIn = async (opened: Opened, run: Run): Promise<void> => {
      await run(browsed(opened))
      expect(opened.wrongs).toEqual([])
    }
    define({
      browse(title, run) {
        test(title, async () => {
          const opened = shared ?? (await openPage(browser, { storageState: signedIn }))
          shared = null
          opened.wrongs.length = 0
          await opened.context.addCookies(signedIn.cookies)
          await opened.page.setViewportSize(WINDOW)
          await opened.page.emulateMedia({ colorScheme: null, reducedMotion: null })
          await runIn(opened, run)
          shared = opened
        })
      },
      browseAlone(title, run) {
        test(title, async () => {
          const opened = await openPage(browser, { storageState: signedIn })
          await runIn(opened, run)
          await opened.context.close()
        })
      },
      first: (run) => void (runFirst = run),
    })
  })
}
