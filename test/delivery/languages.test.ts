import { expect, test } from 'bun:test'
import { ActiveDelivery } from '../../src/delivery/active-delivery.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { EVERYBODY } from '../audience/population.ts'
import { openRegistry } from '../support/registry.ts'
import { storedBadges } from '../support/stored-badges.ts'

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
  const [open] = store.open(1, 0, 'many', { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 1)
  if (open === undefined) throw new Error('the push has no delivery')
  let aheadMs = 0
  const wallAt = (moment: number) => moment + aheadMs
  const delivery = new ActiveDelivery(open, store.recipients(open), null, storedBadges(registry, store), { wallAt })

  const sent = locales.map(() => {
    const task = delivery.take(clock.now(), null)
    if (task !== null) delivery.recordOutcome({ kind: 'accepted' })
    return task && delivery.messageIn(task.recipient.language)
  })
  expect(sent.map((message) => message?.notification.msg)).toEqual(['Hallo', 'Hello', 'Hallo', 'Hello', 'Hallo', 'Olá'])
  expect(new Set(sent).size).toBe(3)

  aheadMs = 60_000
  const later = delivery.messageIn('de')
  expect(later).not.toBe(sent[0])
  expect(later.expiresAt).toBe((sent[0]?.expiresAt ?? 0) + aheadMs)
})
