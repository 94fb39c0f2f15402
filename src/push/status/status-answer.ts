import { DEVICE_REMOVED } from '../../gateway/gateway.ts'
import type { ReceiptCounts } from '../../stats/receipt.ts'
import { platformOnWire } from '../../device/device-record.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import type { EXPLANATION } from '../explain/explanation-schema.ts'
import type { FAILED, LISTED, STATUS } from './status-schema.ts'
import type { Found } from '../explain/explain-store.ts'
import { CANCELLED } from '../explain/explanation.ts'
import type { ExplainVerdict, Explanation } from '../explain/explanation.ts'
import { finishedAtOf, pushStateOf, rateOf, startedAtOf, totalOf } from './status.ts'
import type { FailedRecipient, PauseOf, PlatformProgress, StoredPush } from './status.ts'
import { PLATFORM } from '../../platform.ts'

export interface PushFacts {
  readonly push: StoredPush
  readonly reach: readonly PlatformProgress[]
  readonly receipts: ReceiptCounts
}

/** For lists too. */
export function pushStatusOf(
  { push, reach, receipts }: PushFacts,
  pauseOf: PauseOf,
  now: number,
): AnswerOf<typeof LISTED> {
  const startedAt = startedAtOf(reach)
  const finishedAt = finishedAtOf(push, reach)
  const { t, s, failed, waiting } = totalOf(reach)
  return {
    id: push.id,
    ...pushStateOf(push, reach, pauseOf),
    t,
    s,
    o: receipts.opened,
    received: receipts.received,
    failed: { total: failed },
    waiting,
    created_at: isoTime(push.createdAt),
    send_at: isoOrNull(push.sendAt),
    started_at: isoOrNull(startedAt),
    finished_at: isoOrNull(finishedAt),
    rate: rateOf(s, startedAt, finishedAt, now),
  }
}

/** Rates are relative to `accepted`. */
export function receiptsOf({ opened, received, actions }: ReceiptCounts, accepted: number) {
  const share = (count: number) => (accepted === 0 ? null : Math.round((count / accepted) * 10_000) / 10_000)
  return { opened_rate: share(opened), received_rate: share(received), actions }
}

/** By platform number as text. */
export function platformsOf(
  push: StoredPush,
  reach: readonly PlatformProgress[],
  pauseOf: PauseOf,
): AnswerOf<typeof STATUS>['platforms'] {
  const entries = reach.map((one) => {
    const { t, s, failed, waiting, retrying } = one
    return [platformOnWire(one.platform), { ...pushStateOf(push, [one], pauseOf), t, s, failed, waiting, retrying }]
  })
  return Object.fromEntries(entries)
}

/** Devices that were never sent to have no recorded reason: they were removed, or the push ended first. */
export function failedOf(
  total: number,
  reasons: ReadonlyMap<string, number>,
  push: StoredPush,
  reach: readonly PlatformProgress[],
) {
  const counts = new Map(reasons)
  const add = (reason: string, count: number) => {
    if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count)
  }
  const known = [...reasons.values()].reduce((sum, count) => sum + count, 0)
  const removed = reach.reduce((sum, one) => sum + one.removed, 0)
  add(DEVICE_REMOVED, removed)
  if (!reach.some((one) => one.open)) add(push.cancelledAt === null ? 'expired' : CANCELLED, total - known - removed)
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  return { total, reasons: Object.fromEntries(sorted) as Record<string, number> }
}

export function explanationOf(
  explained: Explanation,
  { platform, device, language }: Pick<Found, 'platform' | 'device' | 'language'>,
  apnsIdOf: (device: number) => string,
): AnswerOf<typeof EXPLANATION> {
  const { verdict, explanation, reason = null, at = null, attempts = null, nextAttemptAt = null } = explained
  const { excludedBy = [], judgedNow = false, receipts = [], adoptedAt } = explained
  const wasSent = SENT.has(verdict) || (attempts ?? 0) > 0
  return {
    verdict,
    explanation,
    platform: platform === null ? null : platformOnWire(platform),
    excluded_by: excludedBy,
    reason,
    at: isoOrNull(at),
    attempts,
    next_attempt_at: isoOrNull(nextAttemptAt),
    apns_id:
      wasSent && platform !== null && PLATFORM[platform].provider === 'apns' && device !== null
        ? apnsIdOf(device)
        : null,
    judged_now: judgedNow,
    receipts: receipts.map(({ event, action, at }) => ({ event, action, at: isoTime(at) })),
    ...(language !== undefined && { language }),
    ...(adoptedAt !== undefined && { adopted_at: isoTime(adoptedAt) }),
  }
}

const SENT: ReadonlySet<ExplainVerdict> = new Set(['opened', 'received', 'accepted'])

export function failureOf({ token, platform, state, reason, attempts, at }: FailedRecipient): AnswerOf<typeof FAILED> {
  const shown = reason === CANCELLED ? 'cancelled' : state
  return { token, platform: platformOnWire(platform), state: shown, reason, attempts, at: isoTime(at) }
}

/** By tag, or `OWN_TEXT`. */
export interface LanguageFacts {
  readonly tags: readonly string[]
  readonly accepted: ReadonlyMap<string, number>
  readonly failed: ReadonlyMap<string, number>
  /** `''`: reports that name no device. */
  readonly receipts: ReadonlyMap<string, ReceiptCounts>
}

interface Totals {
  readonly s: number
  readonly failed: number
}

const NOTHING: ReceiptCounts = { opened: 0, received: 0, actions: {} }

/**
 * The own text first. Reports without a device, and failures of devices that were never sent to, are apart, so that all
 * add up to the push's.
 */
export function languageStatusOf({ tags, accepted, failed, receipts }: LanguageFacts, totals: Totals) {
  const languages = [OWN_TEXT, ...tags].map((text) => {
    const said = receipts.get(text) ?? NOTHING
    const s = accepted.get(text) ?? 0
    const { opened_rate, received_rate, actions } = receiptsOf(said, s)
    return {
      language: text === OWN_TEXT ? null : text,
      s,
      failed: failed.get(text) ?? 0,
      o: said.opened,
      received: said.received,
      opened_rate,
      received_rate,
      actions,
    }
  })
  const known = (count: (one: (typeof languages)[number]) => number) =>
    languages.reduce((sum, one) => sum + count(one), 0)
  const { opened: o, received, actions } = receipts.get('') ?? NOTHING
  return {
    languages,
    language_unknown: {
      s: totals.s - known((one) => one.s),
      failed: totals.failed - known((one) => one.failed),
      o,
      received,
      actions,
    },
  }
}
