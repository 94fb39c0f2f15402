import type { Audience, Filter, Missed } from '../../audience/filter.ts'
import { filterOf } from '../../audience/filter-schema.ts'
import { audienceFrom } from '../../audience/stored-audience.ts'
import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, delivery, push } from '../../database/schema.ts'
import { nextGap } from '../../delivery/open/progress.ts'
import type { Range } from '../../delivery/open/progress.ts'
import type { Platform } from '../../device/device.ts'
import type { Notification } from '../../notification/notification.ts'

export interface Resendable {
  readonly number: number
  readonly notification: Notification
  /** The devices it failed for, if they are still in its audience. */
  readonly filter: Filter
  readonly state: 'open' | 'finished' | 'cancelled'
  /** The id of the push that was already sent to them. */
  readonly resentAs: string | null
}

type PushRow = Pick<StoredRow<typeof push>, 'number' | 'notification' | 'audience'> & {
  readonly cancelled: 0 | 1
  readonly open: 0 | 1
  readonly resentAs: string | null
}

type PartRow = Pick<StoredRow<typeof delivery>, 'push' | 'progress' | 'ahead'> &
  Pick<StoredRow<typeof push>, 'audience' | 'ceiling'> & {
    readonly platform: Platform
    /** It ended before everybody had been looked at. */
    readonly cutShort: 0 | 1
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
  const parts = database.reading<PartRow, [push: number]>(
    `SELECT d.push, d.platform, d.progress, d.ahead, p.audience, p.ceiling,
       d.refused IS NOT NULL OR d.finished_at >= coalesce(d.expires_at, p.expires_at) AS cutShort
     FROM push p JOIN delivery d ON d.push = p.number WHERE p.number = ?1 OR p.parent = ?1
     ORDER BY d.push, d.platform`,
  )

  return {
    /** `null`: the application has no such push. */
    find(application: number, id: string): Resendable | null {
      const row = find.get(id, application)
      if (row === null) return null
      const { number, notification, audience, cancelled, open, resentAs } = row
      const missed = missedBy(parts.all(number), audience)
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

function missedBy(parts: readonly PartRow[], whole: string): Missed {
  const unsent = parts.flatMap(({ platform, progress, ahead, audience, ceiling, cutShort }) => {
    const ranges = cutShort === 1 ? unsettled(progress, storedJson(ahead) as Range[], ceiling) : []
    if (ranges.length === 0) return []
    const own = audienceFrom(audience, whole)
    const { zones, stayedSince } = 'filter' in own ? own.filter : {}
    const turn = { ...(zones !== undefined && { zones }), ...(stayedSince !== undefined && { stayedSince }) }
    return [{ platform, ranges, turn }]
  })
  const pushes = [...new Set(parts.map(({ push }) => push))]
  return { pushes, ...(unsent.length > 0 && { unsent }) }
}

function unsettled(upTo: number, ahead: readonly Range[], ceiling: number): Range[] {
  const gaps: Range[] = []
  for (let gap = nextGap({ upTo, ahead }, 0, ceiling); gap !== null;) {
    gaps.push(gap)
    gap = nextGap({ upTo, ahead }, gap[1], ceiling)
  }
  return gaps
}

function filterFrom(audience: Audience): Filter {
  if ('filter' in audience) return audience.filter
  return { ...filterOf({ platform: [audience.platform] }), devices: [audience.device] }
}
