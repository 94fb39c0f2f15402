import type { Application } from '../application/application.ts'
import { narrowed } from '../audience/named-devices.ts'
import type { DeviceStore } from '../device/device-store.ts'
import type { AcceptPush, PushRequest } from './accept.ts'
import type { Pushing } from './pushing.ts'
import type { PushBodies } from './push-schema.ts'

interface Dependencies {
  readonly devices: Pick<DeviceStore, 'idsOf'>
  readonly pushing: Pick<Pushing, 'accept' | 'prepared' | 'reach'>
}

export type PushToAll = ReturnType<PushBodies['toAll']['~standard']['validate']>['value']

/** Accepts what `/push/all` does. Throws `Refused`. */
export function createPushToAll({ devices, pushing }: Dependencies) {
  return (
    application: Application,
    body: PushToAll,
    { repeat, caller }: Pick<PushRequest, 'repeat' | 'caller'>,
  ): ReturnType<AcceptPush> => {
    const { tokens, when, confirm } = body
    const filter = narrowed(devices, application.number, pushing.reach(application, body.filter), tokens)
    const notification = pushing.prepared(application, body.notification, filter.platforms)
    const to = { kind: 'many', filter, confirm } as const
    return pushing.accept(application, { notification, when, to, repeat, ...(caller !== undefined && { caller }) })
  }
}
