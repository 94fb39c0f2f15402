import type { Value } from '../database/database.ts'
import type { Prepare } from './audience-labels.ts'

/** Devices that are known one by one, in the order of their ids: a page reads those of its range, and nothing else. */
export interface ListedDevices {
  /** The id that the next `count` of them come to, from behind `after`; `ceiling` where fewer are left up to there. */
  reach(after: number, ceiling: number, count: number): number
  /** What `listedCheck` has for values, for those with `after` < id <= `upTo`. */
  between(after: number, upTo: number): readonly Value[]
}

/** The most devices of users that are listed: of more each device is asked for its user, as it takes about as long. */
const MAX_LISTED = 50_000

/** By `device.id`. */
export function listedById(ids: readonly number[]): ListedDevices {
  const list = sorted(ids)
  return { ...list, between: (after, upTo) => [JSON.stringify(list.range(after, upTo))] }
}

/**
 * The devices that users have now, from an index alone; `null`: more than `MAX_LISTED`. Whoever has another user by the
 * time it is read is not among them any more. `users` in order are found faster: their entries lie beside each other.
 */
export function listedByUser(
  prepare: Prepare,
  users: readonly string[],
  { application, platform }: { readonly application: number; readonly platform: number },
): ListedDevices | null {
  const found = prepare<{ ids: string; names: string }>(
    `SELECT json_group_array(id) AS ids, json_group_array(user) AS names FROM (
       SELECT d.id, d.user FROM json_each(?1) u CROSS JOIN device d INDEXED BY device_by_user
       WHERE d.application = ?2 AND d.user = u.value AND d.platform = ?3 AND d.state = 0 LIMIT ?4)`,
  ).get(JSON.stringify(users), application, platform, MAX_LISTED + 1)
  const ids = JSON.parse(found?.ids ?? '[]') as readonly number[]
  if (ids.length > MAX_LISTED) return null
  const names = JSON.parse(found?.names ?? '[]') as readonly string[]
  const userOf = new Map(ids.map((id, at) => [id, names[at]]))
  const list = sorted(ids)
  return {
    ...list,
    between(after, upTo) {
      const listed = list.range(after, upTo)
      return [JSON.stringify(listed), JSON.stringify([...new Set(listed.map((id) => userOf.get(id)))])]
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
