import type { Value } from '../database/statement.ts'

/** Devices by id: a page reads only its range. */
export interface ListedDevices {
  /** The id `count` devices after `after`, or `ceiling`. */
  reach(after: number, ceiling: number, count: number): number
  /** Values for `listedCheck`, with `after` < id <= `upTo`. */
  between(after: number, upTo: number): readonly Value[]
}

/** By `device.id`. */
export function listedById(ids: readonly number[]): ListedDevices {
  const list = sorted(ids)
  return { ...list, between: (after, upTo) => [JSON.stringify(list.range(after, upTo))] }
}

/** Excludes a device that changed its user since. */
export function listedByUser(userOf: ReadonlyMap<number, string>): ListedDevices {
  const list = sorted([...userOf.keys()])
  return {
    ...list,
    between(after, upTo) {
      const ids = list.range(after, upTo)
      return [JSON.stringify(ids), JSON.stringify([...new Set(ids.map((id) => userOf.get(id)))])]
    },
  }
}

/** SQL on device `d`; `between` gives the parameters from `?first` on. */
export function listedCheck(first: number, byUser: boolean): string {
  const ids = `d.id IN (SELECT value FROM json_each(?${first}))`
  return byUser ? `${ids} AND d.user IN (SELECT value FROM json_each(?${first + 1}))` : ids
}

function sorted(ids: readonly number[]) {
  const order = new Float64Array(ids).sort()

  /** How many ids are <= `id`. */
  function rank(id: number): number {
    let [from, to] = [0, order.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((order[middle] ?? 0) <= id) from = middle + 1
      else to = middle
    }
    return from
  }

  return {
    range: (after: number, upTo: number): number[] => Array.from(order.subarray(rank(after), rank(upTo))),
    reach(after: number, ceiling: number, count: number): number {
      const last = order[rank(after) + count - 1] ?? ceiling
      return Math.min(last, ceiling)
    },
  }
}
