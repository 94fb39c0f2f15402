import type { Database } from '../database/database.ts'
import { storedJson } from '../database/damage.ts'

export interface NamedPush {
  readonly id: string
  /** `application.number` */
  readonly application: number
  readonly many: boolean
  /** When it went out, ms since the Unix epoch; `null`: not yet. */
  readonly releasedAt: number | null
}

interface Row {
  readonly id: string
  readonly application: number
  readonly audience: string
  readonly releasedAt: number | null
}

/** Finds pushes in all applications. */
export function createPushSearch({ database }: { database: Pick<Database, 'reading'> }) {
  const between = database.reading<Row, [string, string, number]>(
    `SELECT id, application, audience, released_at AS releasedAt FROM push
     WHERE id BETWEEN ? AND ? AND parent IS NULL ORDER BY id LIMIT ?`,
  )

  return {
    /** By id, or the start of it, in lower case. */
    named(start: string, limit: number): NamedPush[] {
      // `g` sorts after every hex digit.
      const rows = between.all(start, `${start}g`, limit)
      return rows.map(({ id, application, audience, releasedAt }) => {
        return { id, application, many: 'filter' in (storedJson(audience) as object), releasedAt }
      })
    },
  }
}
