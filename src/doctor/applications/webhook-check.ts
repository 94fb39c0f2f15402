import type { FoundWebhook } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted, dayOf } from '../quantity.ts'

/** Events that wait for a receiver; the oldest are erased when there are 100,000. */
const MANY = 1000

/** `application`: `Application.id`. */
export function judgeWebhook({ disabledAt, waiting }: FoundWebhook, application: string): Finding {
  if (disabledAt !== null) {
    return warning(
      `The webhook is disabled since ${dayOf(disabledAt)}, when its receiver answered 410 Gone.`,
      `Set it again, or remove it: bellhop app webhook ${application}.`,
    )
  }
  if (waiting >= MANY) {
    return warning(
      `${counted(waiting, 'event waits', 'events wait')} for the receiver of the webhook.`,
      'See that the receiver answers with 2xx within 15 seconds.',
    )
  }
  return ok(
    waiting === 0
      ? 'The webhook has had every event.'
      : `${counted(waiting, 'event waits', 'events wait')} for the webhook.`,
  )
}
