import { PAGES, placeOf } from './pages.ts'
import type { ManualPage, MissingPage } from './pages.ts'

const STYLE = `
:root { color-scheme: light dark; --soft: #8883; --faint: #8881 }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 78rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: light-dark(#0550ae, #79b8ff) }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .75rem }
h1 { margin-top: .5rem }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--faint); border-radius: .25rem }
code { padding: .1em .3em }
pre { padding: .75rem 1rem; overflow-x: auto; overflow-wrap: normal }
pre code { padding: 0; background: none; font-size: 1em }
table { display: block; overflow-x: auto; border-collapse: collapse; overflow-wrap: normal }
th, td { padding: .35rem .75rem; border: 1px solid var(--soft); vertical-align: top; min-width: 4rem }
th { text-align: start; background: var(--faint) }
nav { border-top: 1px solid var(--soft); margin-top: 3rem; font-size: .9375rem }
nav ul { list-style: none; padding: 0; columns: 10rem }
dt { font-weight: 600; margin-top: .75rem }
dd { margin: 0 }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2.5rem }
  nav { order: -1; border: 0; margin: 0 }
  nav ul { columns: 1 }
}
`.trim()

/** Allows only the page and its inline style (CSP level 3, hash of an inline style). */
export const MANUAL_POLICY = [
  "default-src 'none'",
  // The empty icon.
  'img-src data:',
  `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function pageHtml({ title, text }: ManualPage): string {
  const html = Bun.markdown.html(text, { headings: { ids: true } })
  return documentOf(
    title,
    html.replaceAll(/(?<=<a href=")[^"]*/g, (href) => {
      const place = placeOf(href)
      return place === null || place.topic === null ? href : `/manual/${place.topic}${place.anchor}`
    }),
  )
}

/** `missing`: an unknown topic that was asked for. */
export function contentsHtml(missing: MissingPage | null = null): string {
  const lead =
    missing === null
      ? '<p>How to run Bellhop. The same pages are printed by <code>bellhop manual</code>. Every endpoint with its fields is in the <a href="/docs">API documentation</a>.</p>'
      : `<p><code>${Bun.escapeHTML(missing.topic)}</code> is not a page in the manual.${nearHtml(missing)} These are:</p>`
  const rows = PAGES.map(
    ({ topic, title, summary }) =>
      `<dt><a href="/manual/${topic}">${Bun.escapeHTML(title)}</a></dt><dd>${inline(summary)}</dd>`,
  )
  return documentOf('The manual', `<h1>The manual</h1>\n${lead}\n<dl>\n${rows.join('\n')}\n</dl>\n`)
}

function nearHtml({ near }: MissingPage): string {
  return near === null ? '' : ` Did you mean <a href="/manual/${near}">${near}</a>?`
}

function documentOf(title: string, main: string): string {
  const links = PAGES.map(({ topic }) => `<li><a href="/manual/${topic}">${topic}</a></li>`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)} · Bellhop</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>
${main}</main>
<nav>
<p><a href="/manual">Manual</a> · <a href="/docs">API</a></p>
<ul>
${links.join('\n')}
</ul>
</nav>
</html>
`
}

/** Without the paragraph around it. */
function inline(sentence: string): string {
  return Bun.markdown.html(sentence).replaceAll(/^<p>|<\/p>\n$/g, '')
}
