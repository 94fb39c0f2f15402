import type { Prepare, Scope } from './audience-plan.ts'
import { listedByUser } from './listed-devices.ts'
import type { ListedDevices } from './listed-devices.ts'

/** Looked up first, so that sending can begin. */
const FIRST_USERS = 32

/** Users before the event loop gets a turn: 0.4 ms. */
const USERS_AT_ONCE = 200

/** Beyond this, checking each device's user takes about as long. */
const MAX_LISTED = 50_000

/** In parts: 10,000 users take 10 ms. */
export interface UserLookup {
  /** All users are found, or they have too many devices. */
  readonly isOver: boolean
  /** Returns the devices of the next users. */
  goOn(): ListedDevices
  /** All devices; `null`: too many. */
  listed(): ListedDevices | null
}

export function lookUpUsers(prepare: Prepare, users: readonly string[], { application, platform }: Scope): UserLookup {
  const find = prepare<{ ids: string; names: string }>(
    `SELECT json_group_array(id) AS ids, json_group_array(user) AS names FROM (
       SELECT d.id, d.user FROM json_each(?1) u CROSS JOIN device d INDEXED BY device_by_user
       WHERE d.application = ?2 AND d.user = u.value AND d.platform = ?3 AND d.state = 0 LIMIT ?4)`,
  )
  /** By device: one that changes its user may be found twice. */
  const userOf = new Map<number, string>()
  const parts = partsOf(users)
  /** `null` after a successful lookup. */
  let part: ReturnType<typeof parts.next> | null = null
  let isOver = false

  const isTooMany = () => userOf.size > MAX_LISTED

  return {
    get isOver() {
      return isOver || isTooMany()
    },

    goOn() {
      // A failed read is repeated with the same part.
      part ??= parts.next()
      const found = find.get(JSON.stringify(part.value), application, platform, MAX_LISTED + 1)
      const ids = JSON.parse(found?.ids ?? '[]') as readonly number[]
      const names = JSON.parse(found?.names ?? '[]') as readonly string[]
      const more = new Map(ids.map((id, at) => [id, names[at] ?? '']))
      for (const [id, user] of more) userOf.set(id, user)
      isOver = part.done === true
      part = null
      return listedByUser(more)
    },

    listed: () => (isTooMany() ? null : listedByUser(userOf)),
  }
}

/**
 * Yields parts and returns the last one. A user comes once, or devices would count twice. The first users keep their
 * order: sorting 10,000 takes 1 ms, in which nothing would be sent.
 */
function* partsOf(users: readonly string[]): Generator<readonly string[], readonly string[]> {
  const first = [...new Set(users.slice(0, FIRST_USERS))]
  if (users.length <= FIRST_USERS) return first
  yield first
  // Sorted users are faster: their index entries are neighbours.
  let others = [...new Set(users.slice(FIRST_USERS))].sort()
  for (; others.length > USERS_AT_ONCE; others = others.slice(USERS_AT_ONCE)) yield others.slice(0, USERS_AT_ONCE)
  return others
}
