import type { Database } from '../../database/database.ts'
import type { Commit } from '../../database/group-commit.ts'
import { createAcceptanceStore } from '../../delivery/store/acceptance-store.ts'
import { createBadgeLeaseStore } from '../../delivery/store/badge-lease-store.ts'
import { createDeliveryErasure } from '../../delivery/store/delivery-erasure-store.ts'
import { createDeviceErasure } from '../../device/device-erasure-store.ts'
import type { ForgottenDevice } from '../../device/device-erasure-store.ts'
import { createNameErasure } from '../../push/name-erasure-store.ts'
import { createReceiptStore } from '../../stats/receipt-store.ts'
import { createEventErasure } from '../../webhook/webhook-erasure-store.ts'
import type { ErasedBy } from './erasure.ts'

const DEVICES = 20

const PUSHES = 100

/** `push.number` over `after`, up to `upTo`. */
interface Pushes {
  readonly application: number
  readonly user: string
  readonly devices: readonly ForgottenDevice[]
  readonly after: number
  readonly upTo: number
}

/**
 * Erases a user's devices and data, by `ERASURE`. In small transactions, the devices last, so that an interrupted run
 * can be repeated. Also erases devices registered meanwhile. Returns the number of devices.
 */
export function createForgetUser({ database }: { database: Database }, inTransaction: Commit) {
  const users = createDeviceErasure({ database })
  const results = createDeliveryErasure({ database })
  const badges = createBadgeLeaseStore({ database })
  const acceptance = createAcceptanceStore({ database })
  const receipts = createReceiptStore({ database })
  const events = createEventErasure({ database })
  const names = createNameErasure({ database })

  const inPushes: Readonly<Record<ErasedBy<'pushes'>, (pushes: Pushes, ids: readonly number[]) => void>> = {
    receipt: ({ application, after, upTo }, ids) => receipts.eraseOfDevices(application, ids, after, upTo),
    push_exception: ({ application, after, upTo }, ids) => results.forgetDevices(application, ids, after, upTo),
    badge_lease: ({ application, after, upTo }, ids) => badges.forget(application, ids, after, upTo),
    push: ({ application, user, devices, after, upTo }, ids) => {
      const aliases = devices.flatMap(({ alias }) => alias ?? [])
      names.erase(application, { user, devices: ids, aliases }, after, upTo)
    },
  }
  const ofDevices: Readonly<Record<ErasedBy<'devices'>, (application: number, device: ForgottenDevice) => void>> = {
    event(application, { tokens }) {
      for (const token of tokens) events.eraseOfToken(application, token)
    },
    feedback(application, { platform, tokens }) {
      for (const token of tokens) users.forgetFeedback(application, platform, token)
    },
    accepted_device: (application, { platform, id }) => acceptance.forgetAccepted(application, platform, id),
    refused_token: (application, { platform, id }) => acceptance.forgetRefused(application, platform, id),
    device: (_application, { id }) => users.erase(id),
  }

  async function eraseFromPushes(application: number, user: string, devices: readonly ForgottenDevice[]) {
    const ids = devices.map(({ id }) => id)
    for (let next: number | null = 0; next !== null;) {
      const after: number = next
      next = await inTransaction(() => {
        const last = names.step(application, after, PUSHES)
        const pushes = { application, user, devices, after, upTo: last ?? Number.MAX_SAFE_INTEGER }
        for (const erase of Object.values(inPushes)) erase(pushes, ids)
        return last
      })
    }
  }

  return async function forgetUser(application: number, user: string): Promise<number> {
    let erased = 0
    for (;;) {
      const devices = await inTransaction(() => users.some(application, user, DEVICES))
      await eraseFromPushes(application, user, devices)
      if (devices.length === 0) return erased
      erased += await inTransaction(() => {
        const theirs = devices.filter(({ id }) => users.isOf(id, user))
        for (const device of theirs) for (const erase of Object.values(ofDevices)) erase(application, device)
        return theirs.length
      })
    }
  }
}
