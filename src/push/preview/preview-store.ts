import { audiencePages } from '../../audience/audience.ts'
import type { Audience } from '../../audience/filter.ts'
import type { Database } from '../../database/database.ts'
import { CEILING, fcmPlatformOf } from '../../device/device-row.ts'
import { unpackToken } from '../../device/device.ts'
import type { FcmPlatform, Platform } from '../../device/device.ts'

export interface SampleDevice {
  readonly id: number
  readonly token: string
  readonly platform: Platform
  readonly alias: string | null
  readonly locale: string | null
  readonly badge: number
  readonly fcmPlatform: FcmPlatform | null
}

/** Reads the first devices of audiences, in parts, so that other work isn't held up. */
export function createSampler({ database }: { database: Database }) {
  const highest = database.reading<{ id: number }, []>(`SELECT ${CEILING} AS id`)
  const more = database.reading<Pick<SampleDevice, 'alias' | 'locale'>, [number]>(
    'SELECT alias, locale FROM device WHERE id = ?',
  )

  /** Throws the reason of `signal`. */
  return async (
    application: number,
    audience: Audience,
    platform: Platform,
    limit: number,
    signal?: AbortSignal,
  ): Promise<SampleDevice[]> => {
    const ceiling = highest.get()?.id ?? 0
    const pages = audiencePages(database, audience, application, platform)
    const found: SampleDevice[] = []
    for (let after = 0; after < ceiling && found.length < limit;) {
      const { rows, last } = pages.page(after, ceiling, limit - found.length)
      for (const { id, token, badge, fcm_platform = null } of rows) {
        const { alias = null, locale = null } = more.get(id) ?? {}
        found.push({
          id,
          token: unpackToken(token),
          platform,
          alias,
          locale,
          badge,
          fcmPlatform: fcmPlatformOf(fcm_platform),
        })
      }
      after = last
      if (found.length < limit) await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    }
    return found
  }
}
