import type { Application } from '../application/application.ts'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { JsonObject } from '../text/json-object.ts'
import type { OptionValues } from './options.ts'

/** `null` if not given; every other option is then absent, which keeps stored pushes small. */
type AlwaysStored = { readonly [Name in 'msg' | 'sound' | 'badge' | 'payload']: OptionValues[Name] | null }

/** As read from a request and stored; `options/` describes each option. */
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

/** The same for all recipients. */
export interface Message {
  /** UUID v7; repeats carry the same collapse id, so that a phone shows the push once. */
  readonly push: string
  readonly notification: Notification
  /** The gateway need not deliver it later. */
  readonly expiresAt: number
}

export function sentBy({ limits }: Pick<Application, 'limits'>, notification: Notification): Notification {
  return limits.pushId ? { ...notification, carriesId: true } : notification
}

/** Sent beside the payload, whose own `bellhop` takes precedence. `push`: UUID. */
export function idAlong(push: string, { carriesId, withdraws }: Notification): { readonly bellhop?: JsonObject } {
  if (withdraws !== undefined) return { bellhop: withdraws }
  return carriesId === true ? { bellhop: { push } } : {}
}

/** As long as a push's id. */
export const NO_ID = '00000000-0000-7000-8000-000000000000'

const DEFAULT_TTL_MS = DAY_MS

/** With a `ttl` of 0 no gateway keeps it. */
const NOW_OR_NEVER_MS = MINUTE_MS

/** Milliseconds that a push is tried, and kept by the gateway. */
export function timeToLiveMs({ ttl }: Notification): number {
  if (ttl === undefined) return DEFAULT_TTL_MS
  return ttl === 0 ? NOW_OR_NEVER_MS : ttl * 1000
}
