import type { Application } from '../application/application.ts'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { JsonObject } from '../text/json-object.ts'
import type { OptionValues } from './options.ts'

/** These are `null` where nothing is given; every other option is absent, which keeps stored pushes small. */
type AlwaysStored = { readonly [Name in 'msg' | 'sound' | 'badge' | 'payload']: OptionValues[Name] | null }

/** The content of a push, as read from a request and stored: what each option means is said in `options/`. */
export interface Notification extends AlwaysStored, Partial<Omit<OptionValues, keyof AlwaysStored>> {
  /** The push's id goes along as `bellhop.push`, for the app to report the open with. */
  readonly carriesId?: true
  /** The app removes an earlier notification, and shows nothing. */
  readonly withdraws?: {
    /** UUID of the push that showed it. */
    readonly withdrawn: string
    /** Its apns-collapse-id, or tag. */
    readonly tag: string
  }
}

/** The part of a push that is the same for all its recipients. */
export interface Message {
  /** UUID v7 of the push; repeats of it carry the same collapse id, so that a phone shows it once. */
  readonly push: string
  readonly notification: Notification
  /** Milliseconds since the Unix epoch after which the gateway need not deliver it. */
  readonly expiresAt: number
}

/** The notification as an application sends it. */
export function sentBy({ limits }: Pick<Application, 'limits'>, notification: Notification): Notification {
  return limits.pushId ? { ...notification, carriesId: true } : notification
}

/** What is sent beside the payload. A payload with this key takes precedence. `push`: its UUID. */
export function idAlong(push: string, { carriesId, withdraws }: Notification): { readonly bellhop?: JsonObject } {
  if (withdraws !== undefined) return { bellhop: withdraws }
  return carriesId === true ? { bellhop: { push } } : {}
}

/** In place of a push's id, and as long. */
export const NO_ID = '00000000-0000-7000-8000-000000000000'

const DEFAULT_TTL_MS = DAY_MS

/** With a `ttl` of 0 no gateway keeps it: it only has to reach them. */
const NOW_OR_NEVER_MS = MINUTE_MS

/** Milliseconds for which a push is tried, and kept by the gateway for a phone that is off. */
export function timeToLiveMs({ ttl }: Notification): number {
  if (ttl === undefined) return DEFAULT_TTL_MS
  return ttl === 0 ? NOW_OR_NEVER_MS : ttl * 1000
}
