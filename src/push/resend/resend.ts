import type { Application } from '../../application/application.ts'
import { failure, Refused } from '../../failure.ts'
import { sentBy } from '../../notification/notification.ts'
import type { CheckSize } from '../../notification/rendered-size.ts'
import { alreadyResent } from '../accept.ts'
import type { createAcceptance, PushRequest } from '../accept.ts'
import type { createPreview } from '../preview/preview.ts'
import type { Resendable } from './resend-store.ts'

interface Dependencies {
  readonly store: { find(application: number, id: string): Resendable | null }
  readonly accept: ReturnType<typeof createAcceptance>
  readonly preview: ReturnType<typeof createPreview>
  readonly checkSize: CheckSize
}

/** A resend as it is asked for. */
export interface ResendWanted extends Pick<PushRequest, 'repeat' | 'caller'> {
  /** UUID of the push that is sent again. */
  readonly id: string
  /** How many devices it is to address, as far as the caller knows; `null`: not said. */
  readonly confirm: number | null
}

const NOW = { kind: 'now' } as const

/**
 * Sends a push that is over once more, as a new push with a time to live of its own, to the devices that the first has
 * failed for: rejected, expired, or not sent to in time. They must be registered and in its audience still. Throws
 * `Refused` for a push that is not there, is not over, was cancelled, or was sent again before.
 */
export function createResend({ store, accept, preview, checkSize }: Dependencies) {
  function found({ number }: Application, id: string): Resendable {
    const push = store.find(number, id)
    if (push === null) throw new Refused(failure('ResourceNotFound', 'No push found'))
    if (push.state === 'open') {
      throw new Refused(failure('ConflictError', 'The push is not over: it is sent again when it is.'))
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
    /** What it would be, and for whom; as `preview` has it. */
    look(application: Application, id: string, signal?: AbortSignal): ReturnType<typeof preview> {
      const { filter, notification } = whole(application, id)
      return preview(application, { filter }, notification, NOW, signal)
    },

    /** A repeat by its Idempotency-Key is answered as the first was; of two others at once the second is refused. */
    send(application: Application, { id, confirm, repeat, caller }: ResendWanted): ReturnType<typeof accept> {
      const push = repeat === null ? whole(application, id) : found(application, id)
      const { number, filter, notification: stored } = push
      const notification = sentBy(application, stored)
      const tooLarge = checkSize(notification, filter.platforms)
      if (tooLarge !== null) throw new Refused(tooLarge)
      const to = { kind: 'many', filter, confirm, resendOf: number } as const
      return accept(application, { notification, to, when: NOW, repeat, ...(caller && { caller }) })
    },
  }
}

export type Resend = ReturnType<typeof createResend>
