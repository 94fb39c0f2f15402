import type { PushStep } from '../steps/step.ts'
import type { Arrival, Whose } from '../world/gateways.ts'
import type { Reply } from '../world/answers.ts'
import type { Phone } from './phones.ts'

/** One request of a push for a phone. Times are `WorldClock.passedMs`. */
export interface Send {
  readonly arrival: Arrival
  /** What the gateway means to do; once the service has heard something, that. */
  reply: Reply
  readonly at: number
  /** When it was first sent, in the other environment perhaps. */
  readonly begunAt: number
  /** When Google had given a token last: with it, it may have waited for that. */
  readonly grantedAt: number
  /** Which run of the service sent it. */
  readonly life: number
  /** When the service heard the answer; `null`: not, or not yet. */
  answeredAt: number | null
}

/** What the world knows of a push that was asked for. */
export interface Push {
  readonly number: number
  readonly application: Whose
  readonly step: PushStep
  readonly body: object
  readonly path: string
  readonly key: string | null
  /** Times are `WorldClock.passedMs`. */
  readonly askedAt: number
  /** Ms since the Unix epoch. */
  readonly askedOn: number
  /** What the clocks of phones show when it is to arrive; `null`: it goes by no such clock. */
  readonly wall: string | null
  /** `asked`: no answer yet. `lost`: the process died before one came. */
  state: 'asked' | 'accepted' | 'refused' | 'lost'
  id: string | null
  cancel: 'no' | 'asked' | 'done'
  /** Whether time may have passed in which its time to live went on without us. */
  mayExpire: boolean
  /** Who must get it, unless something happens to them. */
  readonly owed: ReadonlySet<Phone>
  /** Who must not get it, unless their tags change. */
  readonly barred: ReadonlySet<Phone>
  readonly sends: Map<Phone, Send[]>
  /** The push that it sends again to those it failed for; `null`: none. */
  readonly resendOf: Push | null
  /** How long it is held back at least, in ms. */
  readonly heldMs: number
  /** As a look has shown it to be over. */
  end: { readonly t: number; readonly s: number; readonly failed: number } | null
}

/** The push that was asked for first, of one that was sent again: its texts are in all of them. */
export function rootOf(push: Push): Push {
  return push.resendOf === null ? push : rootOf(push.resendOf)
}

/** The last answer of a gateway about a phone that the service has heard. */
export function lastWord(sends: readonly Send[], phone: Phone): Send | null {
  return sends.findLast((send) => send.answeredAt !== null && isLast(send, phone)) ?? null
}

/** Whether nothing more is to be sent after it. A bad token is tried in the other environment, and may wait for a proof. */
function isLast({ reply: { says }, arrival }: Send, { token }: Phone): boolean {
  // What is said of a token is not said of the one that has taken its place.
  return says === 'accepted' || says === 'bad-push' || (says === 'gone' && arrival.token === token)
}

/** When the clocks of a zone, `''` for UTC, show `wall`, ms since the Unix epoch. */
export function momentIn(wall: string, zone: string): number {
  return Temporal.PlainDateTime.from(wall).toZonedDateTime(zone || 'UTC').epochMilliseconds
}
