import { describe, expect, test } from 'bun:test'
import { pushOfEvent, templateProblems } from '../../src/hook/push-of-event.ts'
import type { SignatureName } from '../../src/hook/sender-proof.ts'
import { PAGES } from '../../src/manual/pages.ts'

interface Sample {
  readonly signature?: SignatureName
  readonly body: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly push: object
  readonly event: string
}

/** For each template of the page, in order: a documented call, and its result. */
const SAMPLES: readonly (readonly [name: string, Sample])[] = [
  [
    'the first',
    {
      body: { type: 'INSERT', table: 'orders', record: { id: 'o1', user_id: 'ann', number: 17, total: 1950 } },
      push: {
        users: ['ann'],
        title: 'Thank you, friend',
        msg: 'Order 17 of 19.50 € has arrived.',
        payload: { order: 'o1' },
      },
      event: 'order o1',
    },
  ],
  [
    'Stripe',
    {
      signature: 'stripe',
      // docs.stripe.com, "The Event object" and "The Checkout Session object".
      body: {
        id: 'evt_1',
        object: 'event',
        type: 'checkout.session.completed',
        data: { object: { id: 'cs_1', amount_total: 259_900, currency: 'eur', client_reference_id: 'ann' } },
      },
      push: { users: ['ann'], msg: 'Your payment of 2,599.00 EUR has arrived.' },
      event: 'evt_1',
    },
  ],
  [
    'GitHub',
    {
      signature: 'github',
      headers: { 'x-github-event': 'workflow_run', 'x-github-delivery': '72d3162e' },
      // docs.github.com, "Webhook events and payloads", workflow_run.
      body: {
        action: 'completed',
        workflow_run: {
          name: 'CI',
          head_branch: 'main',
          display_title: 'Fix the build',
          conclusion: 'failure',
          html_url: 'https://github.com/a/b/actions/runs/1',
        },
        repository: { full_name: 'a/b' },
      },
      push: {
        tags: ['developer'],
        title: 'a/b: CI failed',
        msg: 'main: Fix the build',
        link: 'https://github.com/a/b/actions/runs/1',
      },
      event: '72d3162e',
    },
  ],
  [
    'Grafana',
    {
      // grafana.com/docs, "Configure the webhook notifier", body.
      body: {
        receiver: 'bellhop',
        status: 'firing',
        alerts: [
          {
            status: 'firing',
            labels: { alertname: 'High load' },
            startsAt: '2026-11-27T14:05:00Z',
            fingerprint: 'c6eadffa33fcdf37',
          },
        ],
        commonLabels: { alertname: 'High load' },
        commonAnnotations: {},
        externalURL: 'https://grafana.example/',
      },
      push: {
        tags: ['oncall'],
        title: 'FIRING: High load',
        msg: 'Open Grafana for details.',
        link: 'https://grafana.example/',
        collapse: 'c6eadffa33fcdf37',
      },
      event: 'firing c6eadffa33fcdf37 2026-11-27T14:05:00Z',
    },
  ],
  [
    'Supabase',
    {
      // supabase.com/docs, "Database Webhooks", payload.
      body: {
        type: 'INSERT',
        table: 'messages',
        schema: 'public',
        record: { id: 7, recipient: 'ann', text: 'Hello' },
        old_record: null,
      },
      push: { users: ['ann'], msg: 'Hello' },
      event: '7',
    },
  ],
]

const page = PAGES.find(({ topic }) => topic === 'hooks')
const templates = Array.from(
  (page?.text ?? '').matchAll(/```json\n(\{\n {2}"where".*?)\n```/gs),
  ([, text = '']) => text,
)

describe('the templates of the manual', () => {
  test('are all tried', () => {
    expect(templates).toHaveLength(SAMPLES.length)
  })

  test.each(SAMPLES.map(([name, sample], index) => [name, sample, templates[index] ?? ''] as const))(
    '%s makes the push that the page tells of',
    (name, { signature = null, body, headers = {}, push, event }, template) => {
      expect(templateProblems(template)).toEqual([])
      const came = { body, header: (one: string) => headers[one] ?? null }
      expect(pushOfEvent({ name, template, signature }, came)).toMatchObject({ kind: 'push', body: push, event })
      expect(pushOfEvent({ name, template, signature }, { ...came, body: {} })).toMatchObject({ kind: 'ignored' })
    },
  )
})
