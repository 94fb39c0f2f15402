import type { Database } from '../database/database.ts'

export interface NamedPush {
  readonly id: string
  /** `application.number` */
  readonly application: number
}

export function createPushSearch({ database }: { database: Pick<Database, 'reading'> }) {
  const between = database.reading<NamedPush, [string, string, number]>(
    'SELECT id, application FROM push WHERE id BETWEEN ? AND ? AND parent IS NULL ORDER BY id LIMIT ?',
  )

  return {
    /** By id, or its start, in lower case. `g` sorts after every hex digit. */
    named: (start: string, limit: number): NamedPush[] => between.all(start, `${start}g`, limit),
  }
}
