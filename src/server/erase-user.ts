import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import { createResultErasure } from '../delivery/store/result-erasure-store.ts'
import { unpackToken } from '../device/device.ts'
import { createUserErasure } from '../device/user-erasure-store.ts'
import { createNameErasure } from '../push/name-erasure-store.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'
import { createEventErasure } from '../webhook/event-erasure-store.ts'

/** Devices erased at a time: a user has a few. */
const DEVICES = 20

/** Pushes looked through in one transaction: 3 ms, for nobody is to wait long. */
const PUSHES = 100

/**
 * Makes what forgets a user: the devices, and what is stored about them in every room. In small transactions, the devices
 * themselves last, so that what is cut off is found again. Who registers meanwhile is erased too. Gives how many devices
 * there were.
 */
export function createForgetUser({ database }: { database: Database }, inTransaction: Commit) {
  const users = createUserErasure({ database })
  const results = createResultErasure({ database })
  const receipts = createReceiptStore({ database })
  const events = createEventErasure({ database })
  const names = createNameErasure({ database })

  async function eraseTraces(application: number, user: string, ids: readonly number[], aliases: readonly string[]) {
    for (let after: number | null = 0; after !== null;) {
      const from: number = after
      after = await inTransaction(() => {
        const next = names.step(application, from, PUSHES)
        const upTo = next ?? Number.MAX_SAFE_INTEGER
        results.forgetDevices(application, ids, from, upTo)
        receipts.eraseOfDevices(application, ids, from, upTo)
        names.erase(application, user, aliases, from, upTo)
        return next
      })
    }
  }

  return async function forgetUser(application: number, user: string): Promise<number> {
    let erased = 0
    for (;;) {
      const devices = await inTransaction(() => users.some(application, user, DEVICES))
      await eraseTraces(
        application,
        user,
        devices.map(({ id }) => id),
        devices.flatMap(({ alias }) => alias ?? []),
      )
      if (devices.length === 0) return erased
      erased += await inTransaction(() => {
        for (const { token } of devices) events.eraseOfToken(application, unpackToken(token))
        return users.erase(application, user, devices)
      })
    }
  }
}
