import { Elysia } from 'elysia'
import type { ApplicationDirectory } from '../../application/application-directory.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import { failure, Refused } from '../../failure.ts'
import { fixedContent } from '../../http/fixed-content.ts'
import style from './browser/page.css' with { type: 'text' }
import { CLIENT, PAGE, WORKER } from './browser-scripts.ts'

/** No other origin and nothing inline: a push's content cannot run as a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
}

/** A bell. A URL needs `%23` for `#`. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='%234f46e5' d='M12 2a2 2 0 0 0-2 2v.3A7 7 0 0 0 5 11v5l-2 2v1h18v-1l-2-2v-5a7 7 0 0 0-5-6.7V4a2 2 0 0 0-2-2m0 20a3 3 0 0 0 3-2H9a3 3 0 0 0 3 2'/></svg>"

interface Dependencies {
  readonly directory: Pick<ApplicationDirectory, 'byId' | 'refresh'>
  readonly credentials: Pick<CredentialStore, 'summaries'>
}

const HTML = 'text/html; charset=utf-8'

/**
 * A page where a browser registers and shows pushes, and the two scripts, which other sites use too. All public, like
 * the application's ID and public key.
 */
export function browserRoutes({ directory, credentials }: Dependencies) {
  /** Throws if there is no such application, or it has no web push key. */
  function publicKeyOf(id: string): string {
    // A command may just have created it.
    directory.refresh()
    const application = directory.byId(id)
    if (application === null) throw notFound('There is no such application.')
    const summary = credentials.summaries(application).find(({ provider }) => provider === 'webpush')
    if (summary?.provider !== 'webpush') {
      throw notFound(
        'The application has no key for web push: create one in the dashboard or with bellhop app webpush.',
      )
    }
    return summary.publicKey
  }

  const hidden = { detail: { hide: true } }
  return new Elysia({ name: 'browser-routes' })
    .get('/webpush/client.js', CLIENT, hidden)
    .get('/webpush/worker.js', WORKER, hidden)
    .get('/webpush/page.js', PAGE, hidden)
    .get(
      '/webpush/page.css',
      fixedContent(() => new Blob([style]), { type: 'text/css; charset=utf-8' }),
      hidden,
    )
    .get('/webpush/:app/key', ({ params }) => ({ publicKey: publicKeyOf(params.app) }), hidden)
    .get('/webpush/:app/manifest.json', ({ params }) => manifestOf(known(params.app)), hidden)
    .get(
      '/webpush/:app',
      ({ params }) => new Response(pageOf(known(params.app)), { headers: { ...PAGE_HEADERS, 'content-type': HTML } }),
      hidden,
    )

  function known(id: string): string {
    publicKeyOf(id)
    return id
  }
}

function notFound(why: string): Refused {
  return new Refused(failure('ResourceNotFound', why))
}

/** `application`: its ID. */
function pageOf(application: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Push to this browser</title>
<link rel="icon" href="${ICON}">
<link rel="manifest" href="/webpush/${encodeURIComponent(application)}/manifest.json">
<link rel="stylesheet" href="/webpush/page.css">
<script type="module" src="/webpush/page.js"></script>
</head>
<body>
<h1>Push to this browser</h1>
<p><button id="register" type="button">Push to this browser</button></p>
<p id="state" role="status"></p>
<p id="ios" hidden>On an iPhone or iPad, tap Share, then Add to Home Screen, and open this page from there: Safari takes pushes only for what is installed.</p>
<ul id="arrivals" aria-label="What arrived" aria-live="polite"></ul>
<noscript>A browser registers by a script, which is turned off here.</noscript>
</body>
</html>
`
}

/** iOS needs an installable page for push (W3C, "Web Application Manifest"). */
function manifestOf(application: string): object {
  const place = `/webpush/${encodeURIComponent(application)}`
  return {
    name: 'Push to this browser',
    short_name: 'Push',
    id: place,
    start_url: place,
    scope: place,
    display: 'standalone',
    icons: [{ src: ICON, sizes: 'any', type: 'image/svg+xml' }],
  }
}
