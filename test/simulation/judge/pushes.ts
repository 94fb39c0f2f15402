import type { PushStep } from '../steps/step.ts'
import type { Arrival, Whose } from '../world/gateways.ts'
import type { Reply } from '../world/answers.ts'
import type { Phone } from './phones.ts'

/** A request of a push for a phone. Times are `WorldClock.passedMs`. */
export interface Send {
  readonly arrival: Arrival
  /** The gateway's intention, then what the service heard. */
  reply: Reply
  readonly at: number
  /** First sent, perhaps to the other environment. */
  readonly begunAt: number
  /** Google's last token. If it equals `at`, the request may have waited for it. */
  readonly grantedAt: number
  /** The run that sent it. */
  readonly life: number
  /** `null`: not heard. */
  answeredAt: number | null
}

/** A push that was asked for. */
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
  /** Local time at which phones get it; `null`: no local time. */
  readonly wall: string | null
  /** `asked`: no answer yet. `lost`: the process died first. */
  state: 'asked' | 'accepted' | 'refused' | 'lost'
  id: string | null
  cancel: 'no' | 'asked' | 'done'
  /** Whether its time to live may have ended. */
  mayExpire: boolean
  /** Must get it unless something happens to them. */
  readonly owed: ReadonlySet<Phone>
  /** Must not get it unless their tags change. */
  readonly barred: ReadonlySet<Phone>
  readonly sends: Map<Phone, Send[]>
  /** The push that it resends to failed devices; `null`: none. */
  readonly resendOf: Push | null
  /** Least hold, in ms. */
  readonly heldMs: number
  /** As a look showed its end. */
  end: { readonly t: number; readonly s: number; readonly failed: number } | null
}

/** The first of a chain of resent pushes, which all have its texts. */
export function rootOf(push: Push): Push {
  return push.resendOf === null ? push : rootOf(push.resendOf)
}

/** The last answer about a phone that the service heard. */
export function lastWord(sends: readonly Send[], phone: Phone): Send | null {
  return sends.findLast((send) => send.answeredAt !== null && isLast(send, phone)) ?? null
}

/** Whether nothing more may be sent. A bad token is tried in the other environment, and may wait for a proof. */
function isLast({ reply: { says }, arrival }: Send, { token }: Phone): boolean {
  // A refusal of a token does not concern its successor.
  return says === 'accepted' || says === 'bad-push' || (says === 'gone' && arrival.token === token)
}

/** When a zone's clocks show `wall`, in ms since the Unix epoch. `''`: UTC. */
export function momentIn(wall: string, zone: string): number {
  return Temporal.PlainDateTime.from(wall).toZonedDateTime(zone || 'UTC').epochMilliseconds
}
