import type { Platform } from '../../device/device.ts'
import { DEVICE_REMOVED } from '../../gateway/gateway.ts'
import {
  count,
  listOf,
  objectSchema,
  oneOf,
  orNull,
  platformSchema as platformWritten,
  text,
  time,
} from '../../http/answer-schema.ts'
import { wholeNumber } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import { isoTime } from '../../text/format.ts'
import { VERDICTS } from '../explain/explain.ts'
import type { Explanation, ExplainVerdict } from '../explain/explain.ts'
import type { FailedRecipient } from './status-store.ts'
import { finishedAtOf, pushStateOf, rateOf, startedAtOf, totalOf } from './status.ts'
import type { PauseOf, PlatformProgress, StoredPush } from './status.ts'

const MAX_PUSHES = 1000

const PUSHES = 100

/** The part of a status that a list has too. `now` in ms since the Unix epoch. */
export function pushStatusOf(push: StoredPush, reach: readonly PlatformProgress[], pauseOf: PauseOf, now: number) {
  const startedAt = startedAtOf(reach)
  const finishedAt = finishedAtOf(push, reach)
  const { t, s, failed, waiting } = totalOf(reach)
  return {
    id: push.id,
    ...pushStateOf(push, reach, pauseOf),
    t,
    s,
    o: push.opened,
    failed: { total: failed },
    waiting,
    created_at: isoTime(push.createdAt),
    send_at: isoOrNull(push.sendAt),
    started_at: isoOrNull(startedAt),
    finished_at: isoOrNull(finishedAt),
    rate: rateOf(s, startedAt, finishedAt, now),
  }
}

/** What each platform has a part in, by `"0"` and `"1"`. */
export function platformsOf(push: StoredPush, reach: readonly PlatformProgress[], pauseOf: PauseOf) {
  const entries = reach.map((one) => {
    const { t, s, failed, waiting, retrying } = one
    return [one.platform, { ...pushStateOf(push, [one], pauseOf), t, s, failed, waiting, retrying }]
  })
  return Object.fromEntries(entries) as Record<string, object>
}

/**
 * `failed` with its reasons. Devices that were never sent to have none written down: they were removed meanwhile, or
 * the push was over before. What is open may have failed for more than was read with its reasons.
 */
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

/** On the wire. `device` is its id, `null` where there is none. */
export function explanationOf(
  explained: Explanation,
  platform: Platform | null,
  apnsIdOf: (device: number) => string,
  device: number | null,
) {
  const { verdict, explanation, reason = null, at = null, attempts = null, nextAttemptAt = null } = explained
  const { excludedBy = [], judgedNow = false } = explained
  const wasSent = SENT.has(verdict) || (attempts ?? 0) > 0
  return {
    verdict,
    explanation,
    platform: platform === null ? null : String(platform),
    excluded_by: excludedBy,
    reason,
    at: isoOrNull(at),
    attempts,
    next_attempt_at: isoOrNull(nextAttemptAt),
    apns_id: wasSent && platform === 0 && device !== null ? apnsIdOf(device) : null,
    judged_now: judgedNow,
  }
}

const SENT: ReadonlySet<ExplainVerdict> = new Set(['opened', 'accepted'])

export function failureOf({ token, platform, state, reason, attempts, at }: FailedRecipient) {
  // What is called off is stored as expired.
  const shown = reason === CANCELLED ? 'cancelled' : state
  return { token, platform: String(platform), state: shown, reason, attempts, at: isoTime(at) }
}

/** The reason stored with recipients that waited for another attempt when the push was called off. */
const CANCELLED = 'cancelled'

/** Query parameters are strings; a wrong one is refused like a wrong field. */
export function readPushLimit(value: string | undefined): number {
  return value === undefined ? PUSHES : wholeNumber(1, MAX_PUSHES).read(value, 'limit')
}

/** `after` is the cursor of a page's Link header: opaque to callers, a push's number here. */
export function readPushCursor(value: string | undefined): number {
  return value === undefined ? Number.MAX_SAFE_INTEGER : wholeNumber(0, Number.MAX_SAFE_INTEGER).read(value, 'after')
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}

const EXAMPLE_ID = '019a9f7e-3c1b-7000-8000-000000000000'

export const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id that the push was answered with.',
  schema: { type: 'string', format: 'uuid' },
  example: EXAMPLE_ID,
}

export const PAGE_PARAMETERS: readonly JsonSchema[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Pushes in a page, 1 to ${MAX_PUSHES}.`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_PUSHES, default: PUSHES },
  },
  { name: 'after', in: 'query', description: 'The cursor of the Link header.', schema: { type: 'string' } },
]

/** What a failure says where no push has the id. */
export const NO_PUSH_FOUND = { ResourceNotFound: 'No push found' }

const state = oneOf(
  ['scheduled', 'sending', 'paused', 'finished', 'cancelled'],
  'Paused: all that is left waits; `reason` says for what.',
)
const id: JsonSchema = { type: 'string', format: 'uuid', description: 'The id that the push was answered with.' }
const reason = orNull(text('Why a paused push waits.'))
const t = count('Devices addressed, as far as they are counted.')
const s = count('Of them accepted by APNs or FCM.')
const waiting = count('Devices that have no outcome yet: `t` is always `s`, those it failed for, and these.')
const failedTotal = count('Devices that it failed for.')

const listed = {
  id,
  state,
  reason,
  t,
  s,
  o: count('Opens recorded.'),
  failed: { type: 'object', required: ['total'], properties: { total: failedTotal } },
  waiting,
  created_at: time('When it was accepted.'),
  send_at: orNull(time('When it was to go out; null: at once.')),
  started_at: orNull(time('When the first was sent.')),
  finished_at: orNull(time('When the last was answered for.')),
  rate: { type: 'number', minimum: 0, description: 'Accepted a second.' },
}

/** An entry of GET /pushes. */
export const LISTED = objectSchema('Push', listed)

/** What GET /push/{id} answers. */
export const STATUS = objectSchema('PushStatus', {
  ...listed,
  failed: {
    type: 'object',
    required: ['total', 'reasons'],
    properties: {
      total: failedTotal,
      reasons: {
        type: 'object',
        additionalProperties: count('Devices.'),
        description:
          'Devices by the reason that the gateway gave. `expired`, `cancelled`: not sent to before the time to live was over, or the push was called off. `DeviceRemoved`: unregistered, or declared gone, before it was sent to.',
      },
    },
  },
  platforms: {
    type: 'object',
    description: 'The same for each platform that it goes to, by "0" (iOS) and "1" (Android).',
    additionalProperties: objectSchema('PlatformStatus', {
      state,
      reason,
      t,
      s,
      failed: failedTotal,
      waiting,
      retrying: count('Of those that wait, tried before.'),
    }),
  },
})

/** An entry of GET /push/{id}/failures. */
export const FAILED = objectSchema('PushFailure', {
  token: orNull(text('null where the device was erased since.')),
  platform: platformWritten,
  state: oneOf(['rejected', 'gone', 'expired', 'cancelled'], 'How it ended.'),
  reason: text('The word of the gateway.'),
  attempts: count('How often it was sent.'),
  at: time('When it was decided.'),
})

/** What GET /push/{id}/device answers. */
export const EXPLANATION = objectSchema('DeviceVerdict', {
  verdict: oneOf(VERDICTS, 'What became of it.'),
  explanation: text('The same in a sentence or two.'),
  platform: orNull(platformWritten),
  excluded_by: { ...listOf({ type: 'string' }), description: 'The fields of the push that leave the device out.' },
  reason: orNull(text('The word of the gateway.')),
  at: orNull(time('When it was decided.')),
  attempts: orNull(count('How often it was sent.')),
  next_attempt_at: orNull(time('When it is tried again.')),
  apns_id: orNull(text('The apns-id of the notification, which Apple can look up.')),
  judged_now: { type: 'boolean', description: 'Whether the audience was held against the device as it is now.' },
})

/** What POST /push/{id}/cancel answers. */
export const CANCELLATION = objectSchema('Cancellation', {
  message: text('"Cancelled".'),
  state: oneOf(['scheduled', 'sending'], 'What it was before.'),
  t,
  s,
})

export const LISTED_EXAMPLE = {
  id: EXAMPLE_ID,
  state: 'sending',
  reason: null,
  t: 1200,
  s: 1100,
  o: 17,
  failed: { total: 12 },
  waiting: 88,
  created_at: '2026-11-20T09:00:00.000Z',
  send_at: null,
  started_at: '2026-11-20T09:00:00.004Z',
  finished_at: null,
  rate: 5500,
}

export const STATUS_EXAMPLE = {
  ...LISTED_EXAMPLE,
  failed: { total: 12, reasons: { Unregistered: 11, BadDeviceToken: 1 } },
  platforms: {
    '0': { state: 'sending', reason: null, t: 1200, s: 1100, failed: 12, waiting: 88, retrying: 3 },
  },
}

export const FAILURE_EXAMPLE = {
  token: '3f8a09c1'.repeat(8),
  platform: '0',
  state: 'gone',
  reason: 'Unregistered',
  attempts: 1,
  at: '2026-11-20T09:00:00.000Z',
}

export const EXPLANATION_EXAMPLE = {
  verdict: 'excluded',
  explanation:
    'The push left the device out: it has the tag "muted", which except_tags names. This is judged by the device as it is now.',
  platform: '0',
  excluded_by: ['except_tags'],
  reason: null,
  at: null,
  attempts: null,
  next_attempt_at: null,
  apns_id: null,
  judged_now: true,
}
