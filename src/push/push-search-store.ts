import type { Database } from '../database/database.ts'
import { storedJson } from '../database/damage.ts'

/** A push that is looked up without its application. */
export interface NamedPush {
  readonly id: string
  /** `application.number` */
  readonly application: number
  /** Whether the push is for many devices. */
  readonly many: boolean
  /** When its deliveries came into being, ms since the Unix epoch; `null`: not yet. */
  readonly releasedAt: number | null
}

interface Row {
  readonly id: string
  readonly application: number
  readonly audience: string
  readonly releasedAt: number | null
}

/** Finds pushes of all applications. */
export function createPushSearch({ database }: { database: Pick<Database, 'reading'> }) {
  const between = database.reading<Row, [string, string, number]>(
    `SELECT id, application, audience, released_at AS releasedAt FROM push
     WHERE id BETWEEN ? AND ? AND parent IS NULL ORDER BY id LIMIT ?`,
  )

  return {
    /** Pushes whose id is this or begins so, in lower case; `limit` at the most. */
    named(start: string, limit: number): NamedPush[] {
      // `g` stands behind every digit of an id.
      const rows = between.all(start, `${start}g`, limit)
      return rows.map(({ id, application, audience, releasedAt }) => {
        return { id, application, many: 'filter' in (storedJson(audience) as object), releasedAt }
      })
    },
  }
}
