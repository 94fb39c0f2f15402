import { MAX_BADGE } from '../device/badge.ts'
import type { JsonObject } from '../text/json-object.ts'
import type { Notification } from './notification.ts'

/* Requests are rendered once a push, as text in which only what differs by recipient is missing. */

/** The JSON of an object without its braces. */
export function inside(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}

/** The same, to continue after another field. */
export function following(object: JsonObject): string {
  const fields = inside(object)
  return fields === '' ? '' : `,${fields}`
}

/** The longest badge a recipient can get; `null`: it is left alone. For the size of the largest request. */
export function largestBadge({ badge }: Notification): number | null {
  return badge === null ? null : 'set' in badge ? badge.set : MAX_BADGE
}
