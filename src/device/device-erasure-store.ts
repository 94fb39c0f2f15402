import type { Database } from '../database/database.ts'
import type { StoredRow, device } from '../database/schema.ts'
import type { EraseRows } from '../database/sweep.ts'
import { packToken, unpackToken } from './device.ts'
import type { PackedToken, Platform } from './device.ts'
import { createFeedbackWriter } from './feedback-store.ts'

/** In any state. `alias`: also the one it had when it left. */
export interface ForgottenDevice extends Pick<StoredRow<typeof device>, 'id' | 'platform' | 'alias'> {
  /** Its token, and the token that an import gave it. */
  readonly tokens: readonly string[]
}

/** Covers devices in every state. */
export function createDeviceErasure({ database }: { database: Pick<Database, 'statement'> }) {
  type Row = Omit<ForgottenDevice, 'tokens'> & Pick<StoredRow<typeof device>, 'token'>
  const some = database.statement<Row, [application: number, user: string, limit: number]>(
    `SELECT id, platform, token, coalesce(d.alias, (SELECT alias FROM left_device WHERE device = d.id)) AS alias
     FROM device d INDEXED BY device_by_user WHERE application = ? AND user = ? LIMIT ?`,
  )
  const adopted = database.statement<{ token: PackedToken }, [device: number]>(
    'SELECT token FROM adopted_token WHERE device = ?',
  )
  const feedback = createFeedbackWriter({ database })
  const isOf = database.statement<object, [device: number, user: string]>(
    'SELECT 1 FROM device WHERE id = ? AND user = ?',
  )
  const erase = database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?')
  // RETURNING, because `changes` also counts rows that triggers erase.
  const steps = [
    'DELETE FROM device WHERE id IN (SELECT id FROM device INDEXED BY device_by_token WHERE application = ? LIMIT ?)',
    'DELETE FROM label WHERE id IN (SELECT id FROM label WHERE application = ? LIMIT ?)',
    `DELETE FROM feedback WHERE (application, platform, token) IN (
       SELECT application, platform, token FROM feedback WHERE application = ? LIMIT ?)`,
  ].map((sql) => database.statement<{ one: 1 }, [application: number, limit: number]>(`${sql} RETURNING 1 AS one`))

  return {
    ofApplication: steps.map(
      (step): EraseRows =>
        (application, limit) =>
          step.all(application, limit).length,
    ),

    some: (application: number, user: string, limit: number): ForgottenDevice[] =>
      some.all(application, user, limit).map(({ id, platform, token, alias }) => {
        const tokens = [token, ...adopted.all(id).map((one) => one.token)].map(unpackToken)
        return { id, platform, alias, tokens }
      }),

    isOf: (device: number, user: string): boolean => isOf.get(device, user) !== null,

    forgetFeedback: (application: number, platform: Platform, token: string): void =>
      feedback.forget(application, platform, packToken(token, platform)),

    /** Triggers erase its labels and its row in `left_device`. */
    erase: (device: number): void => void erase.run(device),
  }
}
