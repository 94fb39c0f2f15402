import type { Database } from '../database/database.ts'
import type { EraseRows } from '../database/sweep.ts'
import { packToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'
import { EVENT_CODES } from './receipt.ts'
import type { Receipt } from './receipt.ts'

interface ReportedPush {
  /** `push.number`. */
  readonly number: number
  /** As in `push_receipt`; `null`: the push has one text. */
  readonly textFor: (locale: string | null) => string | null
  readonly declared: () => readonly string[]
}

interface CountedReceipt {
  readonly isOfDevice: boolean
  /** `null` also if the device is unknown. */
  readonly text: string | null
}

interface Reporter {
  readonly application: number
  readonly platform: Platform
}

/** Besides the push's own: anybody who knows the application's id can send new ones. */
const MAX_ACTIONS = 20

const OTHER = 'other'

/** Reports by push and device, a row each: a push may have millions. */
export function createReceiptStore({ database }: { database: Pick<Database, 'statement'> }) {
  const findDevice = database.statement<{ id: number; locale: string | null }, [number, Platform, string | Uint8Array]>(
    'SELECT id, locale FROM device WHERE application = ? AND platform = ? AND token = ?',
  )
  const add = database.statement<never, [push: number, device: number, event: number, action: string, now: number]>(
    'INSERT INTO receipt (push, device, event, action, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const count = database.statement<never, [push: number, event: number, action: string, language: string]>(
    `INSERT INTO push_receipt (push, event, action, language, count) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  )
  const opened = database.statement<object, [push: number, devices: string]>(
    `SELECT 1 FROM json_each(?2) d JOIN receipt r ON r.push = ?1 AND r.device = d.value
       AND r.event IN (${EVENT_CODES.opened}, ${EVENT_CODES.action}) LIMIT 1`,
  )
  const named = database.statement<{ names: number; known: 0 | 1 | null }, [string, push: number, declared: string]>(
    `SELECT count(DISTINCT action) AS names, max(action = ?1) AS known FROM push_receipt
     WHERE push = ?2 AND event = ${EVENT_CODES.action} AND action <> '${OTHER}'
       AND action NOT IN (SELECT value FROM json_each(?3))`,
  )
  const ofPush = database.statement<never, [push: number, limit: number]>(
    `DELETE FROM receipt WHERE (push, device, event, action) IN (
       SELECT push, device, event, action FROM receipt WHERE push = ? LIMIT ?)`,
  )
  const ofApplication = database.statement<never, [application: number, limit: number]>(
    `DELETE FROM receipt WHERE (push, device, event, action) IN (
       SELECT push, device, event, action FROM receipt
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  const countsOfApplication = database.statement<never, [application: number, limit: number]>(
    `DELETE FROM push_receipt WHERE (push, event, action, language) IN (
       SELECT push, event, action, language FROM push_receipt
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  // By key: these pushes may have millions of receipts.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `DELETE FROM receipt WHERE (push, device) IN (
       SELECT p.number, d.value FROM push p CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )

  function nameFor(push: number, action: string, declared: readonly string[]): string {
    if (declared.includes(action)) return action
    const { names, known } = named.get(action, push, JSON.stringify(declared)) ?? { names: 0, known: 0 }
    return known === 1 || names < MAX_ACTIONS ? action : OTHER
  }

  const eraseOf: EraseRows = (application, limit) => ofApplication.run(application, limit).changes
  const eraseCountsOf: EraseRows = (application, limit) => countsOfApplication.run(application, limit).changes
  return {
    /** `null`: the device has reported the same before. Without a token all are counted. */
    add(
      { number, textFor, declared }: ReportedPush,
      { application, platform }: Reporter,
      receipt: Omit<Receipt, 'push'>,
      now: number,
    ): CountedReceipt | null {
      const { action, token } = receipt
      const event = EVENT_CODES[receipt.event]
      const name = action === null ? '' : nameFor(number, action, declared())
      const device = token === null ? null : findDevice.get(application, platform, packToken(token, platform))
      if (device !== null && add.run(number, device.id, event, name, now).changes === 0) return null
      const text = device === null ? null : textFor(device.locale)
      count.run(number, event, name, text ?? '')
      return { isOfDevice: device !== null, text }
    },

    /** Whether any of these, by `device.id`, has reported a tap. */
    isOpenedBy: (push: number, devices: readonly number[]): boolean =>
      opened.get(push, JSON.stringify(devices)) !== null,

    /** Returns how many. */
    eraseOfPush: (push: number, limit: number): number => ofPush.run(push, limit).changes,
    eraseOf,
    eraseCountsOf,

    /** `devices`: by `device.id`; in pushes with `after` < number <= `upTo`. */
    eraseOfDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
