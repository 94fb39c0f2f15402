import { MINUTE_MS } from '../clock.ts'
import type { Outcome } from './gateway.ts'

/** A clock may be off by this much: Google takes an assertion that is five minutes early. In ms. */
const TOLERANCE_MS = 5 * MINUTE_MS

/**
 * A refusal of something that carries a time of issue, with the clock of this machine blamed if the answer's `date`
 * (RFC 9110, 6.6.1) shows that it is off: then nothing that is signed here will be taken, and no retry helps.
 */
export function blameClock(
  outcome: Exclude<Outcome, { kind: 'accepted' }>,
  { date, now, whose }: { readonly date: string | null; readonly now: number; readonly whose: 'Apple' | 'Google' },
): Outcome {
  const aheadMs = now - Date.parse(date ?? '')
  if (Number.isNaN(aheadMs) || Math.abs(aheadMs) <= TOLERANCE_MS) return outcome
  const off = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${whose}'s`
  const reason = `${outcome.reason.replace(/\.$/, '')}: this machine's clock is ${off}`
  return { kind: 'misconfigured', reason, certain: true }
}
