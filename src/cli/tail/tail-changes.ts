import type { ChangeLog } from '../../database/change-log-store.ts'
import type { DeviceChange } from '../../device/device-changes-store.ts'
import { unpackToken } from '../../device/device.ts'
import type { PushChange } from '../../push/push-changes-store.ts'
import type { StatusStore } from '../../push/status/status-store.ts'
import { finishedAtOf, totalOf } from '../../push/status/status.ts'
import type { Opens } from '../../stats/open-changes-store.ts'
import { tokenPart } from '../../text/format.ts'
import type { TailEvent } from './tail-event.ts'

interface Dependencies {
  readonly pushes: ChangeLog<PushChange>
  readonly devices: ChangeLog<DeviceChange>
  readonly opens: ChangeLog<Opens>
  readonly statuses: Pick<StatusStore, 'find' | 'reach'>
}

/** What the server has written since the last look, as events. */
export function createChangesTail({ pushes, devices, opens, statuses }: Dependencies) {
  function begun({ event, at, application, id, sendAt }: PushChange): TailEvent[] {
    if (event === 'ended') return []
    const type = `push.${event}` as const
    return [
      type === 'push.accepted' ? { at, application, type, push: id, sendAt } : { at, application, type, push: id },
    ]
  }

  function finished({ application, id, number }: PushChange): TailEvent[] {
    const stored = statuses.find(application, id)
    const reach = statuses.reach(number)
    const at = stored && finishedAtOf(stored, reach)
    if (at === null) return []
    const { t, s, failed } = totalOf(reach)
    const type = stored?.cancelledAt === null ? 'push.finished' : 'push.cancelled'
    return [{ at, application, type, push: id, t, s, failed }]
  }

  function pushEvents(): TailEvent[] {
    const changes = pushes.take()
    // A push to nobody finishes as it is released.
    const touched = new Map(changes.map((change) => [change.number, change]))
    return [...changes.flatMap(begun), ...[...touched.values()].flatMap(finished)]
  }

  function deviceEvent({ at, application, platform, reason, quarantined, ...device }: DeviceChange): TailEvent {
    const token = tokenPart(unpackToken(device.token))
    if (reason === null) return { at, application, type: 'device.registered', token, platform }
    const type = quarantined ? 'device.quarantined' : 'device.gone'
    return { at, application, type, token, platform, reason }
  }

  return {
    look: (now: number): TailEvent[] => [
      ...pushEvents(),
      ...devices.take().map(deviceEvent),
      ...opens
        .take()
        .map(({ application, count, push }) => ({ at: now, application, type: 'opened', count, push }) as const),
    ],
  }
}
