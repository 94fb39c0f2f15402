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

/** Times are ms since the Unix epoch. */
export interface NewPush {
  /** UUID v7. */
  readonly id: string
  readonly notification: Notification
  readonly audience: Audience
  readonly createdAt: number
  /** From when it is sent. */
  readonly timeToLiveMs: number
  /** `null`: at once. */
  readonly sendAt: number | null
  /** Where it only waits for the hold of its application: until when, by the clock as it is in the commit. */
  readonly heldUntil?: number
  /** `push.number` of the push that it goes out for once more, to those that one failed for. Default: for none. */
  readonly resendOf?: number
  /** Of a push by local time, each with a UUID of its own; `sendAt` is the first of them. */
  readonly waves: readonly { readonly id: string; readonly sendAt: number }[]
}

export type PushStore = ReturnType<typeof createPushStore>

/**
 * Accepts pushes; `delivery/store/delivery-store.ts` records what becomes of them. Runs in transactions of the
 * caller.
 */
export function createPushStore({ database }: { database: Database }) {
  type NewRow = [string, number, string, string, number, number, ...(number | null)[]]
  const insert = database.statement<never, NewRow>(
    `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at, send_at, released_at, parent, resend_of, held_until)
     VALUES (?, ?, ?, ?, ${CEILING}, ?, ?, ?, ?, ?, ?, ? - ${WALL_AHEAD})`,
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
    /** The `push.number`, `null` where the application has no push with this id. */
    numberOf: (application: number, id: string): number | null => named.get(id, application)?.number ?? null,

    /** The id of the push by which this one, `push.number`, was sent again; `null`: by none that has gone out or will. */
    resentAs: (push: number): string | null => resentAs.get(push)?.id ?? null,

    /**
     * Which text of the push, `push.number`, a device with this locale gets: a tag, or `OWN_TEXT`; `null`: the push has
     * one text.
     */
    textFor(push: number, locale: string | null): string | null {
      const languages = languagesOf(push)
      return languages === null ? null : (languages.choose(locale) ?? OWN_TEXT)
    },

    /** Names of the buttons that the push, `push.number`, has itself. */
    actionsOf,

    /**
     * Stores a push, and gives its number. A push for now gets its deliveries, others get them from
     * `schedule-store.ts`. From its commit on a push is not lost.
     */
    accept(application: number, push: NewPush): number {
      const { notification, audience, createdAt, timeToLiveMs, waves, resendOf = null, heldUntil = null } = push
      const expiresAt = (sendAt: number | null) => (sendAt ?? createdAt) + timeToLiveMs
      const add = (
        id: string,
        sendAt: number | null,
        parent: number | null,
        stored: Audience | WaveAudience,
      ): number => {
        const texts = [JSON.stringify(notification), storedAudience(stored)] as const
        const times = [createdAt, expiresAt(sendAt), sendAt, sendAt === null ? createdAt : null] as const
        return Number(insert.run(id, application, ...texts, ...times, parent, resendOf, heldUntil).lastInsertRowid)
      }
      const number = add(push.id, push.sendAt, null, audience)
      if (push.sendAt === null) deliveries.add({ application, push: number, audience, expiresAt: expiresAt(null) })
      for (const { id, sendAt } of waves) add(id, sendAt, number, { turn: {} })
      return number
    },
  }
}
