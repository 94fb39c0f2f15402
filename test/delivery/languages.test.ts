import { expect, test } from 'bun:test'
import { Delivery } from '../../src/delivery/open/delivery.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { OWN_TEXT } from '../../src/text/language-tag.ts'
import { EVERYBODY } from '../audience/population.ts'
import { ACCEPTED } from '../support/outbox.ts'
import { openRegistry } from '../support/registry.ts'

test('a delivery has one message for each language, by which it is rendered once, whoever gets it', () => {
  using registry = openRegistry()
  const { database, clock, devices } = registry
  const locales = ['de-DE', 'fr', 'de', '', 'de-CH', 'pt-BR']
  for (const [at, locale] of locales.entries()) {
    devices.register(1, { token: `${at}`.repeat(64), platform: 0, locale })
  }
  const push = {
    id: Bun.randomUUIDv7(),
    notification: {
      msg: 'Hello',
      sound: null,
      badge: null,
      payload: null,
      languages: { de: { msg: 'Hallo' }, 'pt-BR': { msg: 'Olá' } },
    },
    audience: { filter: { ...EVERYBODY, platforms: [0] } } as const,
    createdAt: clock.now(),
    timeToLiveMs: 3_600_000,
    sendAt: null,
    waves: [],
  }
  database.transact(() => createPushStore({ database }).accept(1, push))
  const store = createDeliveryStore({ database, clock })
  const [open] = store.open(1, 0, 'many', 0, Number.MAX_SAFE_INTEGER, 1)
  if (open === undefined) throw new Error('the push has no delivery')
  let aheadMs = 0
  const wallAt = (moment: number) => moment + aheadMs
  const delivery = new Delivery(open, { wallAt }, store.recipients(open), null)

  const sent = locales.map(() => {
    const task = delivery.take(clock.now(), null)
    return task && { task, message: delivery.messageIn(task.recipient.language) }
  })
  expect(sent.map((each) => each?.message.notification.msg)).toEqual([
    'Hallo',
    'Hello',
    'Hallo',
    'Hello',
    'Hallo',
    'Olá',
  ])
  expect(new Set(sent.map((each) => each?.message)).size).toBe(3)

  aheadMs = 60_000
  const later = delivery.messageIn('de')
  expect(later).not.toBe(sent[0]?.message)
  expect(later.expiresAt).toBe((sent[0]?.message.expiresAt ?? 0) + aheadMs)

  for (const each of sent) {
    if (each === null) continue
    const { task } = each
    const answered = { outcome: { kind: 'accepted' }, verdict: ACCEPTED, finding: null } as const
    delivery.on({ kind: 'answered', task, ...answered }, clock.now())
  }
  const [written] = delivery.takeEffects().flatMap((effect) => (effect.kind === 'write' ? effect.settlement : []))
  expect(Object.fromEntries(written?.acceptedIn ?? [])).toEqual({ de: 3, 'pt-BR': 1, [OWN_TEXT]: 2 })
})
