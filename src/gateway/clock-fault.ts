import { MINUTE_MS } from '../clock.ts'
import type { Outcome } from './gateway.ts'

/** Google accepts assertions up to five minutes early. */
const TOLERANCE_MS = 5 * MINUTE_MS

/**
 * Blames this machine's clock for a refused token if the answer's `date` (RFC 9110, 6.6.1) shows that it is wrong.
 * Retrying would not help.
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
