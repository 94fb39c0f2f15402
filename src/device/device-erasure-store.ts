import type { Database } from '../database/database.ts'
import type { StoredRow, device } from '../database/schema.ts'
import type { EraseRows } from '../database/sweep.ts'
import { packToken, unpackToken } from './device.ts'
import type { Platform } from './device.ts'

/** A device of a user who is to be forgotten, in whatever state; its alias also where it has left with it. */
export interface ForgottenDevice extends Pick<StoredRow<typeof device>, 'id' | 'platform' | 'alias'> {
  /** What gateways were sent for it: its token, and the one that it came with by an import. */
  readonly tokens: readonly string[]
}

/** Erases devices, in whatever state, of a user or of an application. To be called inside a transaction. */
export function createDeviceErasure({ database }: { database: Pick<Database, 'statement'> }) {
  type Row = Omit<ForgottenDevice, 'tokens'> & Pick<StoredRow<typeof device>, 'token'>
  const some = database.statement<Row, [application: number, user: string, limit: number]>(
    `SELECT id, platform, token, coalesce(d.alias, (SELECT alias FROM left_device WHERE device = d.id)) AS alias
     FROM device d INDEXED BY device_by_user WHERE application = ? AND user = ? LIMIT ?`,
  )
  const adopted = database.statement<{ token: string | Uint8Array }, [device: number]>(
    'SELECT token FROM adopted_token WHERE device = ?',
  )
  const forget = database.statement<never, [application: number, platform: number, token: string | Uint8Array]>(
    'DELETE FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const isOf = database.statement<object, [device: number, user: string]>(
    'SELECT 1 FROM device WHERE id = ? AND user = ?',
  )
  const erase = database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?')
  // Triggers take labels and what was kept along: only what is returned is counted.
  const steps = [
    'DELETE FROM device WHERE id IN (SELECT id FROM device INDEXED BY device_by_token WHERE application = ? LIMIT ?)',
    'DELETE FROM label WHERE id IN (SELECT id FROM label WHERE application = ? LIMIT ?)',
    `DELETE FROM feedback WHERE (application, platform, token) IN (
       SELECT application, platform, token FROM feedback WHERE application = ? LIMIT ?)`,
  ].map((sql) => database.statement<{ one: 1 }, [application: number, limit: number]>(`${sql} RETURNING 1 AS one`))

  return {
    /** Of an application that is to go, in this order. */
    ofApplication: steps.map(
      (step): EraseRows =>
        (application, limit) =>
          step.all(application, limit).length,
    ),

    /** At most `limit` devices of a user. */
    some: (application: number, user: string, limit: number): ForgottenDevice[] =>
      some.all(application, user, limit).map(({ id, platform, token, alias }) => {
        const tokens = [token, ...adopted.all(id).map((one) => one.token)].map(unpackToken)
        return { id, platform, alias, tokens }
      }),

    /** Whether the user still has the device. */
    isOf: (device: number, user: string): boolean => isOf.get(device, user) !== null,

    /** What gateways have said of a token. */
    forgetFeedback: (application: number, platform: Platform, token: string): void =>
      void forget.run(application, platform, packToken(token, platform)),

    /** With labels, and what was kept of it. */
    erase: (device: number): void => void erase.run(device),
  }
}
