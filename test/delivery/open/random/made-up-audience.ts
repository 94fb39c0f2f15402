import type { Recipients } from '../../../../src/delivery/open/audience-cursor.ts'
import type { Dice } from '../../../fuzz/dice.ts'
import { recipientOf } from '../../../support/made-up-delivery.ts'
import type { Circumstances } from './circumstances.ts'

export const READ_ERROR = 'disk I/O error'

/** Index of the first of the sorted `devices` behind `after`. */
export function firstBehind(devices: readonly number[], after: number): number {
  let [low, high] = [0, devices.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((devices[middle] ?? 0) > after) high = middle
    else low = middle + 1
  }
  return low
}

/** Reads like the database: some devices at a time, after the users are known, and with failures. */
export function madeUpAudience(is: Circumstances, dice: Dice, isRestless: () => boolean): Recipients {
  const { devices, reach } = is
  let { lookups } = is
  return {
    page(after, upTo, limit) {
      if (is.readsFail && isRestless() && dice.happens(20)) throw new Error(READ_ERROR)
      if (lookups > 0) {
        lookups--
        return { recipients: [], last: after }
      }
      const end = Math.min(upTo, after + reach)
      const found: number[] = []
      for (let at = firstBehind(devices, after); at < devices.length && found.length < limit; at++) {
        const device = devices[at] ?? 0
        if (device > end) break
        found.push(device)
      }
      return { recipients: found.map(recipientOf), last: found.length < limit ? end : (found.at(-1) ?? end) }
    },
    early: (after, upTo, limit) =>
      devices
        .filter((device) => device % 7 === 3 && device > after && device <= upTo)
        .slice(0, limit)
        .map(recipientOf),
    count: () => ({ count: devices.length, last: devices.at(-1) ?? 0 }),
  }
}
