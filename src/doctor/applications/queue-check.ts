import { MINUTE_MS } from '../../clock.ts'
import { PLATFORM } from '../../platform.ts'
import type { Platform } from '../../device/device.ts'
import { counted, dayOf } from '../../text/format.ts'
import type { FoundWebhook, OpenDeliveryCount } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** `paused`: platforms whose credential is paused. */
export function judgePushes(open: readonly OpenDeliveryCount[], paused: readonly Platform[], now: number): Finding {
  const count = open.reduce((sum, each) => sum + each.open, 0)
  const expired = open.reduce((sum, each) => sum + each.expired, 0)
  if (paused.length > 0) {
    const names = paused.map((platform) => PLATFORM[platform].gateway).join(' and ')
    return warning(
      `Sending to ${names} is paused, because its credential was refused; ${counted(count, 'push waits', 'pushes wait')}.`,
      'Fix the credential as its check says: the server then continues by itself.',
    )
  }
  if (expired > 0) {
    return warning(
      `${counted(expired, 'push has', 'pushes have')} not gone out within the time to live.`,
      'See that a server runs on this data directory and that it reaches the gateways; it then closes them.',
    )
  }
  if (count === 0) return ok('No push waits.')
  const minutes = Math.max(Math.round((now - Math.min(...open.map(({ oldest }) => oldest))) / MINUTE_MS), 0)
  return ok(`${counted(count, 'push is', 'pushes are')} on the way, the oldest since ${counted(minutes, 'minute')}.`)
}

/** Waiting events; the oldest are erased beyond 100,000. */
const MANY = 1000

export function judgeWebhook(
  { disabledAt, waiting }: Pick<FoundWebhook, 'disabledAt' | 'waiting'>,
  application: string,
): Finding {
  if (disabledAt !== null) {
    return warning(
      `The webhook has been disabled since ${dayOf(disabledAt)}, when its receiver answered 410 Gone.`,
      `Set it again, or remove it: bellhop app webhook ${application}.`,
    )
  }
  if (waiting >= MANY) {
    return warning(
      `${counted(waiting, 'event waits', 'events wait')} for the receiver of the webhook.`,
      'Make sure the receiver answers with 2xx within 15 seconds.',
    )
  }
  return ok(
    waiting === 0
      ? 'The webhook received every event.'
      : `${counted(waiting, 'event waits', 'events wait')} for the webhook.`,
  )
}
