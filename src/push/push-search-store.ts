import type { Database } from '../database/database.ts'

/** A push that somebody names without saying whose it is. */
export interface NamedPush {
  /** `application.number` */
  readonly application: number
  /** Whether it is for many devices. */
  readonly many: boolean
  /** When its deliveries came into being, ms since the Unix epoch; `null`: not yet. */
  readonly releasedAt: number | null
}

interface Row {
  readonly application: number
  readonly audience: string
  readonly releasedAt: number | null
}

/** Finds pushes of all applications. */
export function createPushSearch({ database }: { database: Pick<Database, 'reading'> }) {
  const find = database.reading<Row, [string]>(
    'SELECT application, audience, released_at AS releasedAt FROM push WHERE id = ? AND parent IS NULL',
  )

  return {
    /** By the id that callers know, in any case. */
    find(id: string): NamedPush | null {
      const row = find.get(id.toLowerCase())
      if (row === null) return null
      return { application: row.application, many: 'filter' in JSON.parse(row.audience), releasedAt: row.releasedAt }
    },
  }
}
