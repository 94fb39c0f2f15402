import { MAX_BADGE } from '../device/badge.ts'
import type { JsonObject } from '../text/json-object.ts'
import type { Notification } from './notification.ts'

/* Rendered once a push, as text that lacks only what differs by recipient. */

/** JSON without braces. */
export function inside(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}

/** To continue after another field. */
export function following(object: JsonObject): string {
  const fields = inside(object)
  return fields === '' ? '' : `,${fields}`
}

/** `null`: the badge stays. */
export function largestBadge({ badge }: Notification): number | null {
  return badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
}
