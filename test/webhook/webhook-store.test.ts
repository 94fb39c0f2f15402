import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { seal } from '../../src/sealing/seal.ts'
import { sealedRecordsOf } from '../../src/hook/sealed-records.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const KEY = new Uint8Array(32).fill(1)
const SECRET = `whsec_${'c2VjcmV0'.repeat(5)}`
const HOOK = { url: 'https://example.com/hooks', events: ['device.gone'], secret: SECRET } as const

function setUp() {
  const file = temporaryDatabase()
  const { database } = file
  const clock = createFakeClock()
  const made = createApplicationStore({ database, clock }).create('Shop')
  if (made.kind !== 'created') throw new Error(made.kind)
  const { application } = made
  return { file, database, clock, application, webhooks: createWebhookStore({ database, clock, key: KEY }) }
}

describe('a webhook', () => {
  test('is shown without its secret, which is on disk only sealed', () => {
    const { file, database, application, webhooks } = setUp()
    using _ = file
    expect(webhooks.find(application)).toBeNull()
    expect(sealedRecordsOf(database).records()).toEqual([])
    webhooks.put(application, HOOK)
    expect(webhooks.find(application)).toEqual({ url: HOOK.url, events: ['device.gone'], disabledAt: null })
    expect(webhooks.receiver(application.number)).toMatchObject({ application: application.id, secret: SECRET })
    expect(file.contains(SECRET)).toBe(false)
    expect(sealedRecordsOf(database).records()).toMatchObject([{ provider: 'webhook secret' }])
  })

  test('keeps its secret when it is changed without one', () => {
    const { file, application, webhooks } = setUp()
    using _ = file
    expect(() => webhooks.put(application, { ...HOOK, secret: null })).toThrow('has no webhook')
    webhooks.put(application, HOOK)
    webhooks.put(application, { url: 'https://other.test/', events: ['push.finished'], secret: null })
    expect(webhooks.receiver(application.number)).toMatchObject({ url: 'https://other.test/', secret: SECRET })
  })

  test('does not open with another key, nor sealed for another purpose or application', () => {
    const { file, database, clock, application, webhooks } = setUp()
    using _ = file
    webhooks.put(application, HOOK)
    const other = createWebhookStore({ database, clock, key: new Uint8Array(32).fill(2) })
    expect(other.receiver(application.number)).toMatchObject({ url: HOOK.url, secret: null })
    const put = database.statement<never, [Uint8Array]>('UPDATE webhook SET sealed = ?')
    for (const sealedFor of [
      { application: application.id, provider: 'apns' },
      { application: 'app_other', provider: 'webhook secret' },
    ] as const) {
      put.run(seal(KEY, sealedFor, SECRET))
      expect(webhooks.receiver(application.number)?.secret).toBeNull()
    }
  })

  test('that is disabled is no receiver until it is set again; a late 410 does not disable the next', () => {
    const { file, clock, application, webhooks } = setUp()
    using _ = file
    const { number } = application
    webhooks.put(application, HOOK)
    const first = webhooks.receiver(number)?.changedAt ?? 0
    expect(webhooks.disable(number, first, clock.now())).toBe(true)
    expect(webhooks.receiver(number)).toBeNull()
    expect(webhooks.find(application)?.disabledAt).toBe(clock.now())
    webhooks.put(application, { ...HOOK, secret: null })
    expect(webhooks.find(application)?.disabledAt).toBeNull()
    expect(webhooks.disable(number, first, clock.now())).toBe(false)
    expect(webhooks.receiver(number)).not.toBeNull()
  })

  test('goes with its application', () => {
    const { file, database, clock, application, webhooks } = setUp()
    using _ = file
    webhooks.put(application, HOOK)
    createApplicationStore({ database, clock }).remove(application.id)
    expect(webhooks.find(application)).toBeNull()
    expect(webhooks.remove(application)).toBe(false)
  })
})
