import { Elysia } from 'elysia'
import { DAY_MS } from '../../clock.ts'
import { CLIENT, WORKER } from '../../device/webpush/browser-scripts.ts'
import { failure, Refused } from '../../failure.ts'
import { noSuchPath, refuse } from '../../http/failures.ts'
import { fixedContent } from '../../http/fixed-content.ts'
import { pathOf } from '../../http/path-table.ts'
import { bundleDashboard } from './dashboard-bundle.ts'
import type { DashboardFile } from './dashboard-bundle.ts'

/** In the executable: the page's files, as JSON. */
declare const BELLHOP_DASHBOARD: string | undefined

/** Nothing loads from elsewhere, and no text of a push or name becomes script. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** File names change with the content. */
const YEAR_SECONDS = (365 * DAY_MS) / 1000

const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

/**
 * One document for everyone, and its files. Browsers get it at every path that has no other answer; dashboard/pages.tsx
 * knows the pages and says "not found".
 */
export function pageRoutes() {
  let prepared: Promise<Prepared> | null = null
  const ready = () => (prepared ??= prepare())
  const app = new Elysia({ name: 'page-routes' }).get('/assets/:name', async ({ request, params }) => {
    const asset = (await ready()).assets.get(params.name)
    if (asset === undefined) throw new Refused(failure('ResourceNotFound', 'The dashboard has no such file.'))
    return asset({ request })
  })
  // For "This browser": the public listener may be out of reach.
  app.get('/webpush/client.js', CLIENT).get('/webpush/worker.js', WORKER)
  return app
    .get('/', async ({ request }) => (await ready()).page({ request }))
    .all('*', async ({ request }) => {
      const path = pathOf(request.url)
      const isBrowsers = request.method === 'GET' && request.headers.get('accept')?.includes('text/html')
      return isBrowsers && !path.startsWith('/api/') ? (await ready()).page({ request }) : refuse(noSuchPath(path))
    })
}

type Content = ReturnType<typeof fixedContent>

interface Prepared {
  readonly page: Content
  readonly assets: ReadonlyMap<string, Content>
}

async function prepare(): Promise<Prepared> {
  const files = await dashboardFiles()
  return {
    page: fixedContent(() => new Blob([pageText(files)]), { type: 'text/html; charset=utf-8', headers: PAGE_HEADERS }),
    assets: new Map(
      files.map(({ name, text }) => [
        name,
        fixedContent(() => new Blob([text]), {
          type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
          maxAgeSeconds: YEAR_SECONDS,
          isImmutable: true,
          headers: { 'x-content-type-options': 'nosniff' },
        }),
      ]),
    ),
  }
}

/** Without an executable, bundles the sources on the first visit. */
async function dashboardFiles(): Promise<readonly DashboardFile[]> {
  if (typeof BELLHOP_DASHBOARD === 'string') return JSON.parse(BELLHOP_DASHBOARD) as DashboardFile[]
  return (await bundleDashboard('development')).files
}

/** Inline, since browsers ask for an icon. `#` is `%23` in a URL. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='%234f46e5' d='M12 2a2 2 0 0 0-2 2v.3A7 7 0 0 0 5 11v5l-2 2v1h18v-1l-2-2v-5a7 7 0 0 0-5-6.7V4a2 2 0 0 0-2-2m0 20a3 3 0 0 0 3-2H9a3 3 0 0 0 3 2'/></svg>"

function pageText(files: readonly DashboardFile[]): string {
  const named = (ending: string) => files.find(({ name }) => name.endsWith(ending))?.name ?? ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Bellhop</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/${named('.css')}">
<script type="module" src="/assets/${named('.js')}"></script>
</head>
<body><div id="app"></div><noscript>The dashboard needs JavaScript. Everything it does, bellhop does on the command line too.</noscript></body>
</html>
`
}
