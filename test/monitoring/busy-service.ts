import { createApplicationStore } from '../../src/application/application-store.ts'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import { loadSealingKey } from '../../src/sealing/sealing-key.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { makeCertificate } from '../support/certificate.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { readExposition } from './read-exposition.ts'
import type { ReadFamily } from './read-exposition.ts'

/** Tokens, aliases and texts in the registry and in pushes: none may leak. */
export const SECRETS = {
  good: 'a1'.repeat(32),
  gone: 'bad41000'.padEnd(64, '0'),
  rejected: 'bad40000'.padEnd(64, '1'),
  again: 'bad42901'.padEnd(64, '2'),
  android: 'a-token-of-android',
  alias: 'alice@example.com',
  tag: 'beta-testers',
  message: 'the text of a message',
}

export interface BusyService extends AsyncDisposable {
  readonly service: Service
  readonly clock: FakeClock
  /** Its name needs escaping. It has no FCM credential. */
  readonly paused: Credentials
  readonly certificateExpiresAt: number
  scrape(): Promise<{ readonly text: string; readonly families: ReadonlyMap<string, ReadFamily> }>
}

/** A service that has done some of everything it counts: sent, failed, refused, paused. */
export async function startBusyService(): Promise<BusyService> {
  const clock = createFakeClock()
  const service = await startService({ clock, random: () => 0.5, config: { webhookPrivate: true } })
  const paused = service.addApplication('a "quoted" name', {}, false)
  const limited = service.addApplication('limited', { quota: 4, backendRate: 0.001, backendBurst: 3 })
  const certificateExpiresAt = clock.now() + 10 * 24 * 60 * 60 * 1000
  equip()

  const { good, gone, rejected, again, android, alias, tag, message } = SECRETS
  for (const token of [good, gone, rejected, again]) {
    await service.put('/deviceToken', { token, platform: 0, tag: [tag], ...(token === good && { alias }) })
  }
  await service.put('/deviceToken', { token: android, platform: 1 })
  await service.put('/deviceToken', { token: android, platform: 1, tag: [tag] }, { application: paused })
  const { id } = (await service.post('/push/all', { platform: [0, 1], msg: message, sound: '', badge: '' })).body
  const one = await service.post('/push/one', { token: good, platform: 0, msg: message, sound: '', badge: '' })
  await service.post('/push/all', { platform: 0, msg: message, sound: '', badge: '', send_at: '3600' })
  await service.post('/push/all', { platform: 1, msg: message, tags: [tag] }, { application: paused })
  for (const event of ['received', 'opened', 'opened']) {
    await service.put('/stats', { platform: 0, id, token: good, event })
  }
  await service.get(`/push/${id}`)
  await service.get(`/push/${id}?token=${good}`)
  await service.get(`/nowhere/${good}`)
  await service.call('PATCH', '/push/all')
  await service.put('/deviceToken', { token: good, platform: 'x' })
  await service.get('/analytics', { application: { ...service.application, secret: 'wrong' } })
  for (let n = 0; n < 4; n++) await service.get('/analytics', { application: limited })
  const sent = (push: string, to: 0 | 1) =>
    service.logged((line) => line['event'] === 'push sent' && line['push'] === push && line['platform'] === to)
  await passing(service, clock, Promise.all([sent(id, 0), sent(id, 1), sent(one.body.id, 0)]))
  await passing(
    service,
    clock,
    service.logged(({ event }) => event === 'webhook event not delivered'),
  )

  return {
    service,
    clock,
    paused,
    certificateExpiresAt,
    async scrape() {
      // Renews the background counts.
      clock.advance(2000)
      const response = await fetch(`${service.adminUrl}/metrics`)
      const text = await response.text()
      return { text, families: readExposition(text) }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }

  /** An unanswered webhook, and a certificate. */
  function equip(): void {
    const { database, data } = service
    const applications = createApplicationStore({ database, clock })
    const loaded = loadSealingKey({ dataDirectory: data, hasCredentials: false })
    const application = applications.find(service.application.id)
    if (loaded.kind === 'problem' || application === null) throw new Error('no key, or no application')
    const { key } = loaded
    createWebhookStore({ database, clock, key }).put(application, {
      url: 'https://127.0.0.1:1/hook',
      events: ['push.finished'],
      secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    })
    createCredentialStore({ database, clock, key }).put(application, {
      kind: 'certificate',
      ...makeCertificate(),
      topic: 'com.example.shop',
      environment: 'auto',
      expiresAt: certificateExpiresAt,
    })
  }
}
