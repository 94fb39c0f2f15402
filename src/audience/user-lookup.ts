import type { Prepare } from './audience-labels.ts'
import type { Scope } from './audience-plan.ts'
import { listedByUser } from './listed-devices.ts'
import type { ListedDevices } from './listed-devices.ts'

/** Users looked up first, whose devices are sent to while the others are looked up. */
const FIRST_USERS = 32

/** Users looked up before the event loop gets a turn: 0.4 ms. */
const USERS_AT_ONCE = 200

/** The most devices of users that are listed: of more each device is asked for its user, as it takes about as long. */
const MAX_LISTED = 50_000

/** The devices that users have, found in parts: of 10,000 users it takes 10 ms. */
export interface UserLookup {
  /** Whether all users were looked up, or their devices are too many. */
  readonly isOver: boolean
  /** Looks up some more of them; gives the devices that were found. */
  goOn(): ListedDevices
  /** All that were found; `null`: too many. */
  listed(): ListedDevices | null
}

export function lookUpUsers(prepare: Prepare, users: readonly string[], { application, platform }: Scope): UserLookup {
  const find = prepare<{ ids: string; names: string }>(
    `SELECT json_group_array(id) AS ids, json_group_array(user) AS names FROM (
       SELECT d.id, d.user FROM json_each(?1) u CROSS JOIN device d INDEXED BY device_by_user
       WHERE d.application = ?2 AND d.user = u.value AND d.platform = ?3 AND d.state = 0 LIMIT ?4)`,
  )
  /** By device: one that has changed its user meanwhile may be met twice. */
  const userOf = new Map<number, string>()
  const parts = partsOf(users)
  /** To be looked up; `null` where the one before was. */
  let part: ReturnType<typeof parts.next> | null = null
  let isOver = false

  const isTooMany = () => userOf.size > MAX_LISTED

  return {
    get isOver() {
      return isOver || isTooMany()
    },

    goOn() {
      // The same again where the database could not be read.
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
 * Yields the parts, and returns the last one. None names a user twice: their devices would count twice against the most.
 * The first are as they come: to put 10,000 in order takes 1 ms, in which nothing would be sent.
 */
function* partsOf(users: readonly string[]): Generator<readonly string[], readonly string[]> {
  const first = [...new Set(users.slice(0, FIRST_USERS))]
  if (users.length <= FIRST_USERS) return first
  yield first
  // In order they are found faster: their entries of the index lie beside each other.
  let others = [...new Set(users.slice(FIRST_USERS))].sort()
  for (; others.length > USERS_AT_ONCE; others = others.slice(USERS_AT_ONCE)) yield others.slice(0, USERS_AT_ONCE)
  return others
}
