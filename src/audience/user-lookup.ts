import type { Prepare } from './audience-labels.ts'
import type { Scope } from './audience-plan.ts'
import { listedByUser } from './listed-devices.ts'
import type { ListedDevices } from './listed-devices.ts'

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

/** `users` in order are found faster: their entries of the index lie beside each other. */
export function lookUpUsers(prepare: Prepare, users: readonly string[], { application, platform }: Scope): UserLookup {
  const find = prepare<{ ids: string; names: string }>(
    `SELECT json_group_array(id) AS ids, json_group_array(user) AS names FROM (
       SELECT d.id, d.user FROM json_each(?1) u CROSS JOIN device d INDEXED BY device_by_user
       WHERE d.application = ?2 AND d.user = u.value AND d.platform = ?3 AND d.state = 0 LIMIT ?4)`,
  )
  /** By device: one that has changed its user meanwhile may be met twice. */
  const userOf = new Map<number, string>()
  let done = 0

  const isTooMany = () => userOf.size > MAX_LISTED

  return {
    get isOver() {
      return done >= users.length || isTooMany()
    },

    goOn() {
      const some = JSON.stringify(users.slice(done, done + USERS_AT_ONCE))
      const found = find.get(some, application, platform, MAX_LISTED + 1)
      const ids = JSON.parse(found?.ids ?? '[]') as readonly number[]
      const names = JSON.parse(found?.names ?? '[]') as readonly string[]
      const more = new Map(ids.map((id, at) => [id, names[at] ?? '']))
      for (const [id, user] of more) userOf.set(id, user)
      done += USERS_AT_ONCE
      return listedByUser(more)
    },

    listed: () => (isTooMany() ? null : listedByUser(userOf)),
  }
}
