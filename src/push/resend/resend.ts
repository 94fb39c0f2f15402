import type { Application } from '../../application/application.ts'
import { failure, Refused } from '../../failure.ts'
import type { Notification } from '../../notification/notification.ts'
import type { Platform } from '../../platform.ts'
import { alreadyResent } from '../accept.ts'
import type { AcceptPush, PushRequest } from '../accept.ts'
import type { createPreview } from '../preview/preview.ts'
import { noPush } from '../status/status-schema.ts'
import type { createResendStore, Resendable } from './resend-store.ts'

interface Dependencies {
  readonly store: ReturnType<typeof createResendStore>
  readonly accept: AcceptPush
  readonly preview: ReturnType<typeof createPreview>
  readonly prepared: (application: Application, wanted: Notification, platforms: readonly Platform[]) => Notification
}

export interface ResendWanted extends Pick<PushRequest, 'repeat' | 'caller'> {
  readonly id: string
  readonly confirm: number | null
}

const NOW = { kind: 'now' } as const

/**
 * Sends a finished push again, as a new push, to the devices it failed for: rejected, expired, or not sent to in time.
 * Throws `Refused` for a push that doesn't exist, hasn't finished, was cancelled or was resent before.
 */
export function createResend({ store, accept, preview, prepared }: Dependencies) {
  function found({ number }: Application, id: string): Resendable {
    const push = store.find(number, id)
    if (push === null) throw noPush()
    if (push.state === 'open') {
      throw new Refused(failure('ConflictError', 'The push has not finished: resend it then.'))
    }
    if (push.state === 'cancelled') {
      throw new Refused(failure('ConflictError', 'The push was cancelled: send a new one.'))
    }
    return push
  }

  function whole(application: Application, id: string): Resendable {
    const push = found(application, id)
    if (push.resentAs !== null) throw new Refused(alreadyResent(push.resentAs))
    return push
  }

  return {
    look(application: Application, id: string, signal?: AbortSignal): ReturnType<typeof preview> {
      const { filter, notification } = whole(application, id)
      return preview(application, { filter }, notification, NOW, signal)
    },

    /** A repeat by Idempotency-Key gets the same answer; of two other concurrent calls the second is refused. */
    send(application: Application, { id, confirm, repeat, caller }: ResendWanted): ReturnType<typeof accept> {
      const push = repeat === null ? whole(application, id) : found(application, id)
      const { number, filter } = push
      const notification = prepared(application, push.notification, filter.platforms)
      const to = { kind: 'many', filter, confirm, resendOf: number } as const
      return accept(application, { notification, to, when: NOW, repeat, ...(caller && { caller }) })
    },
  }
}

export type Resend = ReturnType<typeof createResend>
