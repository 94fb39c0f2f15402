import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import { retryAfterMs } from '../../network/retry-after.ts'
import type { Outcome } from '../gateway.ts'
import { isWebPage, readAnswer, wnsStatus } from './answer.ts'
import type { Said, WebPushAnswer } from './answer.ts'
import { ANSWERS, isOn } from './answer-table.ts'
import type { AnswerRow } from './answer-table.ts'

/** A longer Retry-After counts as an hour. */
const MAX_PAUSE_MS = HOUR_MS

/**
 * Per browser. A window (delivery/lane/lanes.ts) protects an overloaded push service, so one browser need not wait
 * long.
 */
export const WEBPUSH_RETRY: RetryPolicy = { firstMs: 2 * SECOND_MS, longestMs: 30 * MINUTE_MS }

export function judgeWebPush(answer: WebPushAnswer, now: number): Outcome {
  // The usual case: the body is not read.
  if (answer.status === 201 && wnsStatus(answer) === null && !isWebPage(answer)) return ACCEPTED
  const said = readAnswer(answer)
  const row = ANSWERS.find((each) => isOn(each, said.status) && each.fits?.(said) !== false)
  // HTTP has no such status (RFC 9110, 15).
  return outcomeBy(row ?? UNKNOWN, said, now)
}

const UNKNOWN: Pick<AnswerRow, 'means' | 'note' | 'word'> = { means: 'device' }
const ACCEPTED: Outcome = { kind: 'accepted' }

function outcomeBy(row: typeof UNKNOWN, said: Said, now: number): Outcome {
  const reason = reasonBy(row, said)
  const later = { kind: 'deferred', afterMs: askedMs(said, now), reason } as const
  switch (row.means) {
    case 'taken':
      return ACCEPTED
    case 'gone':
      return { kind: 'unregistered', since: null, reason }
    case 'mismatch':
      return { kind: 'rejected', blame: 'mismatch', reason }
    case 'device':
      return { ...later, scope: 'device' }
    case 'either':
      return { ...later, scope: 'either' }
    case 'strain':
      return { ...later, scope: 'device', strain: true }
    case 'credential':
      return { kind: 'misconfigured', reason }
    case 'push':
      return { kind: 'rejected', blame: 'push', reason }
    case 'failed':
      return { kind: 'rejected', blame: 'push', reason, certain: true }
  }
}

function askedMs({ header }: Said, now: number): number | null {
  const asked = retryAfterMs(header('retry-after'), now)
  return asked === null ? null : Math.min(asked, MAX_PAUSE_MS)
}

/** Results are counted by reason, so there must be few. */
function reasonBy({ note, word }: typeof UNKNOWN, said: Said): string {
  const { status, isPage, reason, errno, code } = said
  if (word !== undefined) return `HTTP ${status} ${word}`
  const noted = typeof note === 'function' ? note(said) : note
  if (noted !== undefined) return `HTTP ${status}: ${noted}`
  if (isPage) return `HTTP ${status} with a web page`
  if (reason !== null && /^[A-Za-z]{1,40}$/.test(reason)) return `HTTP ${status} ${reason}`
  if (errno !== null) return `HTTP ${status} errno ${errno}`
  return code === null ? `HTTP ${status}` : `HTTP ${status} code ${code}`
}
