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

/** What was said of a push, `push.number`, with all its waves. */
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
    /** By everybody: a few rows, whatever the size of the push. */
    of: (push: number): ReceiptCounts => countsIn(counts.all(push)),

    /** The same by language, as the table has it: `''` for who is not known. */
    byLanguage(push: number): ReadonlyMap<string, ReceiptCounts> {
      const groups = Map.groupBy(byText.all(push), ({ language }) => language)
      return new Map([...groups].map(([language, rows]) => [language, countsIn(rows)]))
    },

    /** By one device, `device.id`, in the order of time. */
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
