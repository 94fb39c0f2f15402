import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { EVENT_CODES } from './receipt.ts'
import type { DeviceReceipt, ReceiptCounts, ReceiptEvent } from './receipt.ts'

const WHOLE = '(SELECT number FROM push WHERE number = ?1 OR parent = ?1)'

const EVENTS = new Map(Object.entries(EVENT_CODES).map(([event, code]) => [code, event as ReceiptEvent]))

interface CountRow {
  readonly event: 0 | 1 | 2
  readonly action: string
  readonly count: number
}

/** With all waves of a push. */
export function createReceiptCounts({ database }: { database: Pick<Database, 'reading'> }) {
  const counts = database.reading<CountRow, [push: number]>(
    `SELECT event, action, sum(count) AS count FROM push_receipt WHERE push IN ${WHOLE}
     GROUP BY event, action ORDER BY 3 DESC, action`,
  )
  const ofDevice = database.reading<{ event: 0 | 1 | 2; action: string; at: number }, [push: number, device: number]>(
    `SELECT event, action, min(at) AS at FROM receipt WHERE push IN ${WHOLE} AND device = ?2
     GROUP BY event, action ORDER BY 3, event, action`,
  )

  const byText = database.reading<CountRow & { language: string }, [push: number]>(
    `SELECT language, event, action, sum(count) AS count FROM push_receipt WHERE push IN ${WHOLE}
     GROUP BY language, event, action ORDER BY 4 DESC, action`,
  )

  return {
    of: (push: number): ReceiptCounts => countsIn(counts.all(push)),

    /** As stored: `''` if the device is not known. */
    byLanguage(push: number): ReadonlyMap<string, ReceiptCounts> {
      const groups = Map.groupBy(byText.all(push), ({ language }) => language)
      return new Map([...groups].map(([language, rows]) => [language, countsIn(rows)]))
    },

    /** In order of time. */
    ofDevice: (push: number, device: number): DeviceReceipt[] =>
      ofDevice.all(push, device).map(({ event, action, at }) => ({
        event: EVENTS.get(event) ?? 'opened',
        action: event === EVENT_CODES.action ? action : null,
        at,
      })),
  }
}

function countsIn(rows: readonly CountRow[]): ReceiptCounts {
  const countOf = (code: number) => rows.find(({ event }) => event === code)?.count ?? 0
  const actions = rows.filter(({ event }) => event === EVENT_CODES.action)
  return {
    opened: countOf(EVENT_CODES.opened),
    received: countOf(EVENT_CODES.received),
    actions: Object.fromEntries(actions.map(({ action, count }) => [action, count])),
  }
}

/** Counts of one language in the pushes of one day. */
export interface LanguageDay {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  /** A tag, or `OWN_TEXT`; `''`: unknown, as in `GET /push/{id}`. */
  readonly language: string
  readonly s: number
  /** Reported since then. */
  readonly o: number
  readonly received: number
}

/** As long as pushes are kept. Reads all pushes in several languages. */
export function createLanguageDays({ database }: { database: Pick<Database, 'reading'> }) {
  const days = database.reading<LanguageDay, [application: number, since: number, until: number]>(
    `WITH part (push) AS MATERIALIZED (SELECT DISTINCT push FROM delivery_language),
       -- Reports name the whole push.
       whole (push) AS (SELECT coalesce(parent, number) FROM push WHERE number IN (SELECT push FROM part)),
       counted (push, language, s, o, received) AS (
         SELECT push, language, accepted, 0, 0 FROM delivery_language
         UNION ALL
         SELECT d.push, '', max(sum(d.accepted) - (SELECT sum(accepted) FROM delivery_language WHERE push = d.push), 0), 0, 0
         FROM delivery d WHERE d.push IN (SELECT push FROM part) GROUP BY d.push
         UNION ALL
         SELECT push, language, 0, iif(event = ${EVENT_CODES.opened}, count, 0), iif(event = ${EVENT_CODES.received}, count, 0)
         FROM push_receipt WHERE push IN (SELECT push FROM whole))
     SELECT coalesce(p.released_at, p.created_at) / ${DAY_MS} AS day, c.language, sum(c.s) AS s, sum(c.o) AS o,
       sum(c.received) AS received
     FROM counted c CROSS JOIN push p ON p.number = c.push
     WHERE p.application = ?1 AND coalesce(p.released_at, p.created_at) >= ?2 AND coalesce(p.released_at, p.created_at) < ?3
     GROUP BY day, c.language HAVING sum(c.s + c.o + c.received) > 0 ORDER BY day, s DESC, c.language`,
  )

  return {
    /** The most accepted language first. */
    days: (application: number, first: number, last: number): LanguageDay[] =>
      days.all(application, first * DAY_MS, (last + 1) * DAY_MS),
  }
}
