import type { Audience } from '../audience/filter.ts'
import { storedAudience } from '../audience/stored-audience.ts'
import type { WaveAudience } from '../audience/stored-audience.ts'
import type { Database } from '../database/database.ts'
import { createNewDeliveryStore } from '../delivery/store/new-delivery-store.ts'
import { CEILING } from '../device/device-row.ts'
import type { Notification } from '../notification/notification.ts'
import { OWN_TEXT } from '../text/language-tag.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import { createPushTexts } from './push-text-store.ts'

export interface NewPush {
  readonly id: string
  readonly notification: Notification
  readonly audience: Audience
  readonly createdAt: number
  /** From when it is sent. */
  readonly timeToLiveMs: number
  /** `null`: now. */
  readonly sendAt: number | null
  /** Held by its application's setting: until when, by the clock at the commit. */
  readonly heldUntil?: number
  /** `push.number` of the push that this one resends. */
  readonly resendOf?: number
  /** `push.number` of the push that this one withdraws; 0: what one user's other devices show. */
  readonly takesBack?: number
  /** By local time; `sendAt` is that of the first wave. */
  readonly waves: readonly { readonly id: string; readonly sendAt: number }[]
}

/** Without waves, and without what a tap on one device has removed from others. */
export const IN_LISTS = 'parent IS NULL AND takes_back IS NOT 0'

/** The condition of the index `push_scheduled`: waits for its time. A push by local time is in it with its waves. */
export const SCHEDULED = 'released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL'

export type PushStore = ReturnType<typeof createPushStore>

export function createPushStore({ database }: { database: Database }) {
  type NewRow = [string, number, string, string, number, number, ...(number | null)[]]
  const insert = database.statement<never, NewRow>(
    `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at, send_at, released_at, parent, resend_of, takes_back, held_until)
     VALUES (?, ?, ?, ?, ${CEILING}, ?, ?, ?, ?, ?, ?, ?, ? - ${WALL_AHEAD})`,
  )
  const deliveries = createNewDeliveryStore({ database })
  const named = database.statement<{ number: number }, [id: string, application: number]>(
    'SELECT number FROM push WHERE id = ? AND application = ?',
  )
  const resentAs = database.statement<{ id: string }, [push: number]>(
    `SELECT id FROM push WHERE resend_of = ? AND (released_at IS NOT NULL OR cancelled_at IS NULL) LIMIT 1`,
  )
  const { languagesOf, actionsOf } = createPushTexts((sql) => database.statement(sql))

  return {
    numberOf: (application: number, id: string): number | null => named.get(id, application)?.number ?? null,

    /** The id of the push that resent this one, unless it was cancelled before it went out. */
    resentAs: (push: number): string | null => resentAs.get(push)?.id ?? null,

    /** A tag or `OWN_TEXT`; `null`: the push has one text. */
    textFor(push: number, locale: string | null): string | null {
      const languages = languagesOf(push)
      return languages === null ? null : (languages.choose(locale) ?? OWN_TEXT)
    },

    actionsOf,

    /** Returns `push.number`. A push for now gets its deliveries here, others from `schedule-store.ts`. */
    accept(application: number, push: NewPush): number {
      const { notification, audience, createdAt, timeToLiveMs, waves } = push
      const { resendOf = null, takesBack = null, heldUntil = null } = push
      const expiresAt = (sendAt: number | null) => (sendAt ?? createdAt) + timeToLiveMs
      const add = (
        id: string,
        sendAt: number | null,
        parent: number | null,
        stored: Audience | WaveAudience,
      ): number => {
        const texts = [JSON.stringify(notification), storedAudience(stored)] as const
        const times = [createdAt, expiresAt(sendAt), sendAt, sendAt === null ? createdAt : null] as const
        return Number(
          insert.run(id, application, ...texts, ...times, parent, resendOf, takesBack, heldUntil).lastInsertRowid,
        )
      }
      const number = add(push.id, push.sendAt, null, audience)
      if (push.sendAt === null) deliveries.add(application, number, audience, expiresAt(null))
      for (const { id, sendAt } of waves) add(id, sendAt, number, { turn: {} })
      return number
    },
  }
}
