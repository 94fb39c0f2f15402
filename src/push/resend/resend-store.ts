import type { Audience, Filter } from '../../audience/filter.ts'
import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, push } from '../../database/schema.ts'
import type { Notification } from '../../notification/notification.ts'
import { createPushParts, filterFrom, missedBy } from '../push-parts-store.ts'

export interface Resendable {
  readonly number: number
  readonly notification: Notification
  /** Those it failed for that are still in its audience. */
  readonly filter: Filter
  readonly state: 'open' | 'finished' | 'cancelled'
  /** The push that was already sent to them. */
  readonly resentAs: string | null
}

type PushRow = Pick<StoredRow<typeof push>, 'number' | 'notification' | 'audience'> & {
  readonly cancelled: 0 | 1
  readonly open: 0 | 1
  readonly resentAs: string | null
}

export function createResendStore({ database }: { readonly database: Pick<Database, 'reading'> }) {
  const find = database.reading<PushRow, [id: string, application: number]>(
    `SELECT p.number, p.notification, p.audience, p.cancelled_at IS NOT NULL AS cancelled,
       (SELECT again.id FROM push again WHERE again.resend_of = p.number
         AND (again.released_at IS NOT NULL OR again.cancelled_at IS NULL) LIMIT 1) AS resentAs,
       EXISTS (SELECT 1 FROM push one WHERE (one.number = p.number OR one.parent = p.number)
         AND (one.released_at IS NULL
           OR EXISTS (SELECT 1 FROM delivery d WHERE d.push = one.number AND d.finished_at IS NULL))) AS open
     FROM push p WHERE p.id = ? AND p.application = ? AND p.parent IS NULL`,
  )
  const partsOf = createPushParts((sql) => database.reading(sql))

  return {
    find(application: number, id: string): Resendable | null {
      const row = find.get(id, application)
      if (row === null) return null
      const { number, notification, audience, cancelled, open, resentAs } = row
      const missed = missedBy(partsOf(number), audience)
      return {
        number,
        notification: storedJson(notification) as Notification,
        filter: { ...filterFrom(storedJson(audience) as Audience), missed },
        state: cancelled === 1 ? 'cancelled' : open === 1 ? 'open' : 'finished',
        resentAs,
      }
    },
  }
}
