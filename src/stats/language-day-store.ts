import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { EVENT_CODES } from './receipt.ts'

/** What became of the pushes in several languages that went out on one day, of one of their texts. */
export interface LanguageDay {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  /** A tag, or `OWN_TEXT`. */
  readonly language: string
  /** Taken by a gateway. */
  readonly s: number
  /** Opens reported, since then. */
  readonly o: number
  /** Arrivals reported, since then. */
  readonly received: number
}

/** Counts by language and day, for people: of pushes as long as these are kept. Reads all pushes in several languages. */
export function createLanguageDays({ database }: { database: Pick<Database, 'reading'> }) {
  const days = database.reading<LanguageDay, [application: number, since: number, until: number]>(
    `WITH sent AS MATERIALIZED (
       SELECT l.push, l.language, sum(l.accepted) AS s FROM delivery_language l GROUP BY l.push, l.language
     )
     SELECT coalesce(p.released_at, p.created_at) / ${DAY_MS} AS day, sent.language, sum(sent.s) AS s,
       sum((SELECT coalesce(sum(r.count), 0) FROM push_receipt r
            WHERE r.push = p.number AND r.event = ${EVENT_CODES.opened} AND r.language = sent.language)) AS o,
       sum((SELECT coalesce(sum(r.count), 0) FROM push_receipt r
            WHERE r.push = p.number AND r.event = ${EVENT_CODES.received} AND r.language = sent.language)) AS received
     FROM sent CROSS JOIN push p ON p.number = sent.push
     WHERE p.application = ?1 AND coalesce(p.released_at, p.created_at) >= ?2 AND coalesce(p.released_at, p.created_at) < ?3
     GROUP BY day, sent.language ORDER BY day, s DESC, sent.language`,
  )

  return {
    /** Those of the days `first` to `last` that have any, most accepted first. */
    days: (application: number, first: number, last: number): LanguageDay[] =>
      days.all(application, first * DAY_MS, (last + 1) * DAY_MS),
  }
}
