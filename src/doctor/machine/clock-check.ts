import { MINUTE_MS } from '../../clock.ts'
import { failing, ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** A gateway's `Date` header, and our time when it arrived. */
export interface ToldTime {
  readonly header: string
  readonly at: number
}

const WARN_MS = MINUTE_MS
const FAIL_MS = 5 * MINUTE_MS

export function judgeClock(told: readonly ToldTime[]): Finding {
  const skews = told.map(({ header, at }) => at - Date.parse(header)).filter((skew) => !Number.isNaN(skew))
  // One gateway may be wrong or late.
  const skew = skews.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]
  if (skew === undefined) return skipped('No gateway has answered with its time.')
  const off = `${spell(Math.abs(skew))} ${skew > 0 ? 'fast' : 'slow'}`
  if (Math.abs(skew) <= WARN_MS) return ok(`The clock agrees with the gateways' to ${spell(Math.abs(skew))}.`)
  if (Math.abs(skew) <= FAIL_MS) return warning(`The clock is ${off}.`, SET_CLOCK)
  return failing(
    `The clock is ${off}: gateways refuse signatures of another time, and pushes go at the wrong one.`,
    SET_CLOCK,
  )
}

const SET_CLOCK = 'Let the network set it: timedatectl set-ntp true.'

function spell(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
