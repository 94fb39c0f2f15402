import type { Value } from '../database/statement.ts'

/** Devices that are known one by one, in the order of their ids: a page reads those of its range, and nothing else. */
export interface ListedDevices {
  /** The id that the next `count` of them come to, from behind `after`; `ceiling` where fewer are left up to there. */
  reach(after: number, ceiling: number, count: number): number
  /** What `listedCheck` has for values, for those with `after` < id <= `upTo`. */
  between(after: number, upTo: number): readonly Value[]
}

/** By `device.id`. */
export function listedById(ids: readonly number[]): ListedDevices {
  const list = sorted(ids)
  return { ...list, between: (after, upTo) => [JSON.stringify(list.range(after, upTo))] }
}

/** By `device.id`, with the user that each had when it was listed: who has another one since is not among them any more. */
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

/** Devices `d` of a list as SQL; the parameters from `?first` on are what `between` gives. */
export function listedCheck(first: number, byUser: boolean): string {
  const ids = `d.id IN (SELECT value FROM json_each(?${first}))`
  return byUser ? `${ids} AND d.user IN (SELECT value FROM json_each(?${first + 1}))` : ids
}

function sorted(ids: readonly number[]) {
  const order = new Float64Array(ids).sort()

  /** How many ids are not greater. */
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
