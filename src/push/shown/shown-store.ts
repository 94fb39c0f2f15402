import { audiencePages } from '../../audience/audience.ts'
import { audienceFrom } from '../../audience/stored-audience.ts'
import type { Audience, Filter, Missed } from '../../audience/filter.ts'
import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, push } from '../../database/schema.ts'
import { NO_ANSWER } from '../../delivery/store/open-delivery.ts'
import { packToken } from '../../device/device.ts'
import type { Platform } from '../../device/device.ts'
import type { Notification } from '../../notification/notification.ts'
import { createPushParts, filterFrom, missedBy } from '../push-parts-store.ts'
import type { PushPart } from '../push-parts-store.ts'

export interface ShownPush {
  readonly number: number
  readonly notification: Notification
  /** Its recipients, if still in its audience; without platforms: nobody. Includes all that an open part may reach. */
  readonly filter: Filter
  readonly state: 'scheduled' | 'open' | 'over'
  readonly isCancelled: boolean
  /** A part by local time waits. */
  readonly isToCome: boolean
  readonly openOn: readonly Platform[]
  /** The id of the push that withdraws it. */
  readonly withdrawnAs: string | null
}

/** Of an open part: whether notifications may have arrived that the database has no answer of. */
export type MayHaveReached = (part: Pick<PushPart, 'push' | 'platform'>) => boolean

interface OwnDevice {
  readonly id: number
  readonly platform: Platform
}

type PushRow = Pick<StoredRow<typeof push>, 'number' | 'notification' | 'audience'> & {
  readonly toCome: 0 | 1
  readonly cancelled: 0 | 1
  readonly withdrawnAs: string | null
}

/** Reads on the connection of the caller's transaction. */
export function createShownStore({ database }: { readonly database: Pick<Database, 'statement' | 'reading'> }) {
  const find = database.statement<PushRow, [id: string, application: number]>(
    `SELECT p.number, p.notification, p.audience, p.cancelled_at IS NOT NULL AS cancelled,
       (SELECT again.id FROM push again WHERE again.takes_back = p.number) AS withdrawnAs,
       EXISTS (SELECT 1 FROM push one WHERE (one.number = p.number OR one.parent = p.number)
         AND one.released_at IS NULL AND one.cancelled_at IS NULL) AS toCome
     FROM push p WHERE p.id = ? AND p.application = ? AND p.parent IS NULL`,
  )
  const partsOf = createPushParts((sql) => database.statement(sql))
  const unanswered = database.statement<object, [push: number, Platform]>(
    `SELECT 1 FROM push_exception WHERE push = ? AND platform = ? AND (state = 'leased' OR reason = '${NO_ANSWER}') LIMIT 1`,
  )
  const named = database.statement<{ id: number; user: string | null }, [number, Platform, string | Uint8Array]>(
    'SELECT id, user FROM device WHERE application = ? AND platform = ? AND token = ? AND state = 0',
  )
  const ofUser = database.statement<OwnDevice, [number, string, limit: number]>(
    `SELECT id, platform FROM device INDEXED BY device_by_user
     WHERE application = ? AND user = ? AND state = 0 ORDER BY seen_at DESC LIMIT ?`,
  )

  return {
    find(application: number, id: string, mayHaveReached: MayHaveReached): ShownPush | null {
      const row = find.get(id, application)
      if (row === null) return null
      const { number, notification, audience, toCome, cancelled, withdrawnAs } = row
      const parts = partsOf(number)
      const reached = parts.filter((part) => {
        const { push, platform, accepted, open } = part
        return accepted > 0 || (open === 1 && mayHaveReached(part)) || unanswered.get(push, platform) !== null
      })
      // Devices that were silent then may have come back because of the push.
      const { notSeenForMs: _, ...filter } = filterFrom(storedJson(audience) as Audience)
      const openOn = platformsOf(parts.filter(({ open }) => open === 1))
      return {
        number,
        notification: storedJson(notification) as Notification,
        filter: {
          ...filter,
          ...zonesOf(parts, audience),
          platforms: platformsOf(reached),
          reached: missedOf(parts, audience),
        },
        state: parts.length === 0 && toCome === 1 ? 'scheduled' : openOn.length > 0 || toCome === 1 ? 'open' : 'over',
        isCancelled: cancelled === 1,
        isToCome: toCome === 1,
        openOn,
        withdrawnAs,
      }
    },

    /** The device with this token, `own`, and its user's other registered devices, the last seen first. */
    devicesOf(application: number, platform: Platform, token: string, limit: number) {
      const { id, user } = named.get(application, platform, packToken(token, platform)) ?? { id: 0, user: null }
      const devices = user === null ? [] : ofUser.all(application, user, limit)
      return { own: { id, platform }, others: devices.filter((one) => one.id !== id) }
    },

    /** Devices that the filter selects, by `device.id`. */
    among(application: number, filter: Filter, devices: readonly OwnDevice[]): number[] {
      const ids = devices.map(({ id }) => id).filter((id) => filter.devices?.includes(id) ?? true)
      const platforms = new Set(devices.map(({ platform }) => platform))
      return Array.from(platforms).flatMap((platform) => {
        const pages = audiencePages(database, { filter: { ...filter, devices: ids } }, application, platform)
        return pages.page(0, Math.max(...ids, 0), ids.length).rows.map(({ id }) => id)
      })
    },
  }
}

function platformsOf(parts: readonly PushPart[]): Platform[] {
  return [...new Set(parts.map(({ platform }) => platform))]
}

/** Of a push by local time: those in which it has gone out. */
function zonesOf(parts: readonly PushPart[], whole: string): Pick<Filter, 'zones'> {
  const zones = parts.flatMap(({ audience }) => {
    return filterFrom(audienceFrom(audience, whole)).zones ?? []
  })
  return zones.length === 0 ? {} : { zones: [...new Set(zones)] }
}

/** Includes devices that registered later. What is open may still reach anybody. */
function missedOf(parts: readonly PushPart[], whole: string): Missed {
  const ended = parts.map((part) => {
    const { open, cancelled, cutShort } = part
    return { ...part, cutShort: open === 0 && (cutShort === 1 || cancelled === 1) ? 1 : 0 } as const
  })
  const { pushes, unsent = [] } = missedBy(ended, whole)
  const later = platformsOf(parts).map((platform) => {
    const ceiling = Math.max(...parts.filter((part) => part.platform === platform).map((part) => part.ceiling))
    return { platform, ranges: [[ceiling + 1, Number.MAX_SAFE_INTEGER]] as const }
  })
  return { pushes, except: [NO_ANSWER], unsent: [...unsent, ...later] }
}
