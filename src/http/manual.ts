import { Elysia } from 'elysia'
import { failure } from '../failure.ts'
import { llmsText, missingMarkdown } from '../manual/llms.ts'
import { MANUAL_POLICY, contentsHtml, pageHtml } from '../manual/page-html.ts'
import { PAGES, nearestPage } from '../manual/pages.ts'
import { httpStatusOf } from './failures.ts'
import { fixedContent } from './fixed-content.ts'

const HTML = 'text/html; charset=utf-8'
/** RFC 7763. */
const MARKDOWN = 'text/markdown; charset=utf-8'

const HEADERS = { 'content-security-policy': MANUAL_POLICY, 'referrer-policy': 'no-referrer' }

const CLIENT_LIBRARIES = '/manual/app#client-libraries'

export function manual() {
  const hidden = { detail: { hide: true } }
  const pages = new Map(
    PAGES.flatMap((page) => [
      [page.topic, shown(HTML, () => pageHtml(page))],
      [`${page.topic}.md`, shown(MARKDOWN, () => page.text)],
    ]),
  )
  return new Elysia({ name: 'manual' })
    .get('/docs/client', () => new Response(null, { status: 302, headers: { location: CLIENT_LIBRARIES } }), hidden)
    .get('/llms.txt', shown('text/plain; charset=utf-8', llmsText), hidden)
    .get(
      '/manual',
      shown(HTML, () => contentsHtml()),
      hidden,
    )
    .get(
      '/manual/:topic',
      ({ params: { topic }, request }) => pages.get(topic)?.({ request }) ?? unknownTopic(topic),
      hidden,
    )
}

function shown(type: string, make: () => string) {
  return fixedContent(() => new Blob([make()]), { type, headers: HEADERS })
}

function unknownTopic(name: string): Response {
  const status = httpStatusOf(failure('ResourceNotFound', `There is no page ${name}.`))
  const topic = name.replace(/\.md$/, '')
  const near = nearestPage(topic)
  const [type, text] =
    topic === name ? [HTML, contentsHtml({ topic, near })] : [MARKDOWN, missingMarkdown({ topic, near })]
  return new Response(text, { status, headers: { ...HEADERS, 'content-type': type } })
}
