import type { Audience, Filter, Missed } from '../audience/filter.ts'
import { filterOf } from '../audience/filter-schema.ts'
import { audienceFrom } from '../audience/stored-audience.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, delivery, push } from '../database/schema.ts'
import { nextGap } from '../delivery/open/progress.ts'
import type { Range } from '../delivery/open/progress.ts'
import type { Platform } from '../device/device.ts'

/** A delivery of a push or one of its waves. */
export interface PushPart
  extends
    Pick<StoredRow<typeof delivery>, 'push' | 'progress' | 'ahead' | 'accepted'>,
    Pick<StoredRow<typeof push>, 'audience' | 'ceiling'> {
  readonly platform: Platform
  readonly open: 0 | 1
  readonly cancelled: 0 | 1
  /** It ended before everybody had been looked at. */
  readonly cutShort: 0 | 1
}

/** `prepare` chooses the connection, as for `progress-store.ts`. */
export function createPushParts(prepare: Database['statement']): (push: number) => PushPart[] {
  const parts = prepare<PushPart, [push: number]>(
    `SELECT d.push, d.platform, d.progress, d.ahead, d.accepted, p.audience, p.ceiling,
       d.finished_at IS NULL AS open, p.cancelled_at IS NOT NULL AS cancelled,
       d.refused IS NOT NULL OR d.finished_at >= coalesce(d.expires_at, p.expires_at) AS cutShort
     FROM push p JOIN delivery d ON d.push = p.number WHERE p.number = ?1 OR p.parent = ?1
     ORDER BY d.push, d.platform`,
  )
  return (push) => parts.all(push)
}

/** `whole`: the stored audience of the push. */
export function missedBy(parts: readonly PushPart[], whole: string): Missed {
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

export function filterFrom(audience: Audience): Filter {
  if ('filter' in audience) return audience.filter
  return { ...filterOf({ platform: [audience.platform] }), devices: [audience.device] }
}
