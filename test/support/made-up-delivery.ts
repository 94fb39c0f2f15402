import { Delivery } from '../../src/delivery/open/delivery.ts'
import type { Recipients } from '../../src/delivery/open/audience-cursor.ts'
import type { DueRecipient, OpenDelivery, PageRow } from '../../src/delivery/store/open-delivery.ts'
import { EVERYBODY } from '../audience/population.ts'

/* A delivery without a database: what is stored of it, and its audience, are made up by the test. */

const HOUR_MS = 3_600_000

/** A recipient as it is read. */
export const recipientOf = (device: number): PageRow => ({
  device,
  token: `token ${device}`,
  environment: null,
  badge: null,
  language: null,
})

/** One who waited, after so many sends. */
export const dueOf = (device: number, attempt: number): DueRecipient => ({
  device,
  badge: null,
  language: null,
  attempt,
  reason: 'ServiceUnavailable',
})

/** As it is stored when nobody was sent to, and the audience is not counted. It lives for an hour from 0. */
export function recordOf(overrides: Partial<OpenDelivery> = {}): OpenDelivery {
  return {
    push: 1,
    pushId: '019a9f7e-3c1b-7000-8000-000000000000',
    application: 1,
    platform: 0,
    hasManyGateways: false,
    queue: 'many',
    notification: { msg: 'Hello', sound: null, badge: null, payload: null },
    audience: { filter: EVERYBODY },
    ceiling: 0,
    progress: 0,
    ahead: [],
    addressed: null,
    settled: 0,
    accepted: 0,
    retries: 0,
    expiresAt: HOUR_MS,
    waitsUntil: null,
    ...overrides,
  }
}

/** An audience of these devices, in order of their ids. */
export function audienceOf(devices: readonly number[]): Recipients {
  return {
    page(after, upTo, limit) {
      const behind = devices.filter((device) => device > after && device <= upTo)
      const found = behind.slice(0, limit)
      return { recipients: found.map(recipientOf), last: found.length < limit ? upTo : (found.at(-1) ?? upTo) }
    },
    early: () => [],
    count: () => ({ count: devices.length, last: devices.at(-1) ?? 0 }),
  }
}

/** By the clock of which the time of day is service time. */
export function deliveryOf(record: OpenDelivery, recipients: Recipients, nextDueAt: number | null = null): Delivery {
  return new Delivery(record, { wallAt: (moment) => moment }, recipients, nextDueAt)
}
