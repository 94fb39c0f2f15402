import type { Database } from '../database/database.ts'
import type { StoredRow, push } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'
import { createProgressStore } from './status/progress-store.ts'
import { totalOf } from './status/status.ts'
import type { PlatformProgress } from './status/status.ts'

type Reach = Pick<PlatformProgress, 't' | 's'>

type Cancelled =
  | { readonly kind: 'not-found' }
  | ({ readonly kind: 'finished' } & Reach)
  /** `open`: `push.number` of what still has deliveries to end. */
  | ({
      readonly kind: 'cancelled'
      readonly wasReleased: boolean
      readonly open: readonly number[]
    } & Reach)

type PushRow = Pick<StoredRow<typeof push>, 'number' | 'released_at' | 'cancelled_at'>

const WHOLE = 'number = ?1 OR parent = ?1'

const HAS_OPEN = 'EXISTS (SELECT 1 FROM delivery d WHERE d.push = push.number AND d.finished_at IS NULL)'

export type CancelStore = ReturnType<typeof createCancelStore>

/** Cancels pushes; `delivery/delivery-pool.ts` ends what is being sent. */
export function createCancelStore({ database }: { database: Database }) {
  const find = database.statement<PushRow, [string, number]>(
    'SELECT number, released_at, cancelled_at FROM push WHERE id = ? AND application = ? AND parent IS NULL',
  )
  const open = database.statement<{ number: number }, [number]>(
    `SELECT number FROM push WHERE (${WHOLE}) AND ${HAS_OPEN}`,
  )
  const waiting = database.statement<object, [number]>(
    `SELECT 1 FROM push WHERE (${WHOLE}) AND released_at IS NULL LIMIT 1`,
  )
  const progress = createProgressStore((sql) => database.statement(sql))
  const mark = database.statement<never, [number, number]>(
    `UPDATE push SET cancelled_at = ?2 WHERE (${WHOLE}) AND cancelled_at IS NULL
       AND (number = ?1 OR released_at IS NULL OR ${HAS_OPEN})`,
  )
  // Without single pushes, of which 100,000 may wait.
  const cancelledOpen = database.statement<{ push: number }, [number, Platform]>(
    `SELECT d.push FROM delivery d JOIN push p ON p.number = d.push
     WHERE d.application = ? AND d.platform = ? AND d.lane = 1 AND d.finished_at IS NULL AND p.cancelled_at IS NOT NULL`,
  )

  return {
    /** `push.number` of cancelled pushes to many that still have a delivery to end. */
    cancelledOpen: (application: number, platform: Platform): number[] =>
      cancelledOpen.all(application, platform).map(({ push }) => push),

    /** Idempotent. */
    cancel(application: number, id: string, now: number): Cancelled {
      const row = find.get(id, application)
      if (row === null) return { kind: 'not-found' }
      const { number } = row
      const { t, s } = totalOf(progress.of(number))
      const pushes = open.all(number).map((each) => each.number)
      if (row.cancelled_at === null) {
        if (pushes.length === 0 && waiting.get(number) === null) return { kind: 'finished', t, s }
        mark.run(number, now)
      }
      return { kind: 'cancelled', wasReleased: row.released_at !== null, open: pushes, t, s }
    },
  }
}
