import { Elysia } from 'elysia'
import { failure } from '../failure.ts'
import { MANUAL_POLICY, contentsHtml, pageHtml } from '../manual/page-html.ts'
import { PAGES } from '../manual/pages.ts'
import { httpStatusOf } from './failures.ts'
import { fixedContent } from './fixed-content.ts'

const TYPE = 'text/html; charset=utf-8'

const HEADERS = { 'content-security-policy': MANUAL_POLICY, 'referrer-policy': 'no-referrer' }

/** /manual and its pages. */
export function manual() {
  const hidden = { detail: { hide: true } }
  const pages = new Map(PAGES.map((page) => [page.topic, shown(() => pageHtml(page))]))
  return new Elysia({ name: 'manual' })
    .get(
      '/manual',
      shown(() => contentsHtml()),
      hidden,
    )
    .get(
      '/manual/:topic',
      ({ params: { topic }, request }) => pages.get(topic)?.({ request }) ?? unknownTopic(topic),
      hidden,
    )
}

function shown(make: () => string) {
  return fixedContent(() => new Blob([make()]), { type: TYPE, headers: HEADERS })
}

function unknownTopic(topic: string): Response {
  const status = httpStatusOf(failure('ResourceNotFound', `There is no page ${topic}.`))
  return new Response(contentsHtml(topic), { status, headers: { ...HEADERS, 'content-type': TYPE } })
}
