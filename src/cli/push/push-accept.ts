import type { Application } from '../../application/application.ts'
import { createAudienceCount } from '../../audience/audience-count.ts'
import type { Filter } from '../../audience/filter.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { Commit } from '../../database/group-commit.ts'
import { createDeviceStore } from '../../device/device-store.ts'
import type { Device } from '../../device/device.ts'
import { failure, Refused } from '../../failure.ts'
import { createAcceptance } from '../../push/accept.ts'
import { createIdempotencyStore } from '../../push/idempotency-store.ts'
import { createPushStore } from '../../push/push-store.ts'
import { createScheduleStore } from '../../push/schedule-store.ts'
import type { PushWanted } from './push-request.ts'

/** Whom a push is for: found, where it is one. */
export type PushTo = { readonly filter: Filter } | { readonly device: Pick<Device, 'id' | 'platform' | 'token'> }

interface Wanted extends Pick<PushWanted, 'notification' | 'when' | 'confirm'> {
  readonly to: PushTo
  /** Whoever says yes has said the number too. */
  readonly yes: boolean
}

/** Accepts a push into the database as the API does, whether or not a server runs on it. Throws `Refused`. */
export function acceptPush(
  application: Application,
  { notification, when, confirm, to, yes }: Wanted,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
) {
  const commit: Commit = async (operation) => database.transact(operation)
  const devices = createDeviceStore({ database, clock })
  const accept = createAcceptance({
    commit,
    clock,
    pushes: createPushStore({ database }),
    schedule: createScheduleStore({ database }),
    idempotency: createIdempotencyStore({ database }),
    count: createAudienceCount({ database }),
    // A running server looks by itself for what others have committed.
    wake: () => undefined,
    look: () => undefined,
  })
  const find = ({ platform, token }: Pick<Device, 'platform' | 'token'>) => {
    const device = devices.idOf(application.number, platform, token)
    if (device === null) throw new Refused(failure('ResourceNotFound', 'The device is not registered any more.'))
    return { device, platform }
  }
  const limits = yes ? { ...application.limits, confirmAbove: 0 } : application.limits
  return accept(
    { ...application, limits },
    {
      notification,
      when,
      repeat: null,
      to: 'filter' in to ? { kind: 'many', filter: to.filter, confirm } : { kind: 'one', find: () => find(to.device) },
    },
  )
}
