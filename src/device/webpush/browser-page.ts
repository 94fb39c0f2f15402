/** Nothing from elsewhere, nothing inline: what a push brings cannot become script. */
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

export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
}

/** A bell; `#` is `%23` in a URL. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='%234f46e5' d='M12 2a2 2 0 0 0-2 2v.3A7 7 0 0 0 5 11v5l-2 2v1h18v-1l-2-2v-5a7 7 0 0 0-5-6.7V4a2 2 0 0 0-2-2m0 20a3 3 0 0 0 3-2H9a3 3 0 0 0 3 2'/></svg>"

/** The page of an application, `application.id`. */
export function pageOf(application: string): string {
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

/** With it the page can be installed, which iOS asks for (W3C, "Web Application Manifest"). */
export function manifestOf(application: string): object {
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
