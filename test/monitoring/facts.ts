import type { readinessOf } from '../../src/monitoring/readiness.ts'

export type Facts = Parameters<typeof readinessOf>[0]
export type Sender = Facts['senders'][number]

export const NOW = Date.UTC(2026, 10, 20, 12)
export const MEBIBYTE = 1024 * 1024

/** With one push under way to iPhones. */
export const SENDER: Sender = {
  name: 'shop',
  application: 7,
  platform: 0,
  state: 'ready',
  reason: null,
  inFlight: 0,
  open: 1,
  recipients: 1,
  dueSince: NOW,
  stillSince: null,
  pausedServices: [],
}

/** Nothing is wrong. */
export const FINE: Facts = {
  now: NOW,
  databaseProblem: null,
  senders: [SENDER],
  disk: null,
  backups: null,
  moved: [],
  nearlyUsed: [],
  earlyEnds: null,
}
