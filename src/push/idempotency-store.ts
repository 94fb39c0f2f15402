import type { Database } from '../database/database.ts'
import type { StoredRow, idempotency } from '../database/schema.ts'
import type { Sweep } from '../database/sweep.ts'
import { KEEP_KEYS_MS } from './idempotency-schema.ts'

/** `push` is `push.number`, `answer` the JSON body. */
export type Remembered = Pick<StoredRow<typeof idempotency>, 'digest' | 'push' | 'answer'>

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>

const SWEEP_LIMIT = 100

/** Answers by Idempotency-Key, for 30 days. `keep` runs in a transaction of the caller. */
export function createIdempotencyStore({ database }: { database: Pick<Database, 'statement'> }) {
  const find = database.statement<Remembered, [number, string, number]>(
    'SELECT digest, push, answer FROM idempotency WHERE application = ? AND key = ? AND created_at > ?',
  )
  const keep = database.statement<never, [number, string, Uint8Array, number, string, number]>(
    `INSERT INTO idempotency (application, key, digest, push, answer, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET digest = excluded.digest, push = excluded.push, answer = excluded.answer,
       created_at = excluded.created_at`,
  )
  const erase = database.statement<{ push: number }, [before: number, limit: number]>(
    `DELETE FROM idempotency WHERE (application, key) IN (
       SELECT application, key FROM idempotency WHERE created_at < ? LIMIT ?) RETURNING push`,
  )
  const sweep: Sweep = (now) => (erase.all(now - KEEP_KEYS_MS, SWEEP_LIMIT).length < SWEEP_LIMIT ? null : 0)

  return {
    sweep,

    find: (application: number, key: string, now: number): Remembered | null =>
      find.get(application, key, now - KEEP_KEYS_MS),

    keep(application: number, key: string, { digest, push, answer }: Remembered, now: number): void {
      keep.run(application, key, digest, push, answer, now)
    },
  }
}
