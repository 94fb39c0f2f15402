import type { Exclusion } from '../../audience/exclusion.ts'
import { MINUTE_MS } from '../../clock.ts'
import { NO_ANSWER } from '../../delivery/store/open-delivery.ts'
import { PLATFORM } from '../../platform.ts'
import { DEVICE_REMOVED } from '../../gateway/gateway.ts'
import type { DeviceReceipt } from '../../stats/receipt.ts'
import { isoTime } from '../../text/format.ts'
import type { DeviceFacts, ExceptionFacts, ExplainFacts, Explanation, ExplainVerdict } from './explanation.ts'

const AS_NOW = 'This is based on the device as it is now.'

/** Stored facts come before conclusions. */
export function explain(facts: ExplainFacts): Explanation {
  const explained = verdictOf(facts)
  const { adopted } = facts
  if (adopted === null) return explained
  const at = isoTime(adopted.at)
  const note = adopted.byFormerToken
    ? `The token was imported. Another token of its user replaced it at ${at}; later pushes go to that one.`
    : `The device was imported, and its app replaced it with another token at ${at}; earlier pushes went to the imported token.`
  return { ...explained, explanation: `${explained.explanation} ${note}`, adoptedAt: adopted.at }
}

function said(
  verdict: ExplainVerdict,
  explanation: string,
  known: Omit<Explanation, 'verdict' | 'explanation'> = {},
): Explanation {
  return { verdict, explanation, ...known }
}

const JUDGED_NOW = { judgedNow: true } as const

function verdictOf(facts: ExplainFacts): Explanation {
  const { device, receipts, exception, push, exclusions, delivery } = facts
  if (receipts.length > 0) return ofReceipts(receipts)
  if (device === null) {
    const sentence = 'No device of this application has this token: it was never registered, or has been deleted.'
    return said('not_registered', sentence)
  }
  const { gateway, device: kind } = PLATFORM[device.platform]
  if (exception !== null) {
    const unsent = exception.state === 'rejected' ? device.tokenWarning : null
    if (unsent !== null) return neverSent('rejected', unsent, exception)
    if (exception.state === 'expired' && exception.reason === NO_ANSWER) {
      const { reason, attempts, at } = exception
      const sentence = `The push ended at ${isoTime(at)}, before ${gateway} had answered: the device may have got it.`
      return said(push.cancelledAt === null ? 'expired' : 'cancelled', sentence, { reason, attempts, at })
    }
    return ofException(exception, gateway, facts)
  }
  if (facts.registeredSince) {
    const at = device.registeredAt
    const sentence = `The device registered at ${isoTime(at)}, after the push was sent, so it was not addressed.`
    return said('registered_later', sentence, { at })
  }
  if (device.state !== 'registered') return ofDeparted(device, push.releasedAt)
  if (push.releasedAt === null) return ofUnsent(facts)
  if (exclusions.length > 0) {
    return excluded(exclusions, `The push excluded the device: it ${whyOf(exclusions)}. ${AS_NOW}`)
  }
  if (delivery === null) return excluded([], `The push did not address the device. ${AS_NOW}`)
  if (delivery.nobody) {
    return excluded([], `The push addressed no ${kind} when it went out, so not this one either. ${AS_NOW}`)
  }
  if (delivery.passed) return accepted(device, push.releasedAt)
  if (delivery.refused !== null) {
    const sentence = `${gateway} refused the push for everybody whom it was sent to (${delivery.refused}), so it was not sent to this device.`
    return said('rejected', `${sentence} ${AS_NOW}`, { reason: delivery.refused, ...JUDGED_NOW })
  }
  return ofUnreached(facts, delivery)
}

/** Opening and choosing an action need a person who has seen the push, so both go before arrival. */
function ofReceipts(receipts: readonly DeviceReceipt[]): Explanation {
  const seen = receipts.find(({ event }) => event === 'opened') ?? receipts.find(({ event }) => event === 'action')
  const reports = receipts.map(({ event, action, at }) => {
    const what = event === 'action' ? `answered by the action ${JSON.stringify(action)}` : event
    return `was ${what}, at ${isoTime(at)}`
  })
  const at = (seen ?? receipts[0])?.at ?? 0
  const sentence = `The app reported that the push ${reports.join('; ')}.`
  return said(seen === undefined ? 'received' : 'opened', sentence, { at, receipts })
}

function ofException(exception: ExceptionFacts, gateway: string, { push, delivery, pause }: ExplainFacts): Explanation {
  const { state, cancelled, reason, attempts, at } = exception
  const known = { reason, attempts, at }
  const time = isoTime(at)
  if (cancelled) {
    const cancelledAt = isoTime(push.cancelledAt ?? at)
    return said('cancelled', `The push was cancelled at ${cancelledAt}, before the device could be reached.`, known)
  }
  switch (state) {
    case 'leased':
      return said('waiting', `The notification was sent, and ${gateway} has not answered yet.`, { reason, attempts })
    case 'retry': {
      const last = attempts === 0 ? 'It was not sent yet' : `${gateway} did not take it (${reason})`
      const paused = pause === null ? '' : `, but sending is paused: ${pause}`
      if (delivery !== null && at >= delivery.expiresAt) {
        const end = isoTime(delivery.expiresAt)
        const next = `would be due at ${time}, after the push's time to live, which ends at ${end}`
        return said('retrying', `${last}; the next attempt ${next}${paused}.`, { reason, attempts })
      }
      const sentence = `${last}; the next attempt is due at ${time}${paused}.`
      return said('retrying', sentence, { reason, attempts, nextAttemptAt: at })
    }
    case 'rejected':
      return said('rejected', `${gateway} refused the notification for this device at ${time}: ${reason}.`, known)
    case 'gone': {
      const sentence =
        reason === DEVICE_REMOVED
          ? `The device was unregistered while it waited for another attempt, as found at ${time}.`
          : `The app had been removed from the device when it was sent to, at ${time}: ${reason}.`
      return said('gone', sentence, known)
    }
    case 'expired':
      return said('expired', expiry(exception, gateway, delivery?.expiresAt ?? at), known)
  }
}

/** A gateway that leaves more than this unused has asked for a wait: Bellhop's own least waits are shorter. */
const LITTLE_LEFT_MS = MINUTE_MS

function expiry({ reason, attempts, at }: ExceptionFacts, gateway: string, expiresAt: number): string {
  const end = isoTime(expiresAt)
  if (attempts === 0) return `The push's time to live ended at ${end}, before the notification was sent to this device.`
  if (at >= expiresAt) {
    return `The push's time to live ended at ${end}, before an attempt succeeded. The last one failed with: ${reason}.`
  }
  const last = `${gateway} did not take it at ${isoTime(at)} (${reason})`
  return expiresAt - at > LITTLE_LEFT_MS
    ? `${last}, and asked for a wait beyond the push's time to live, which ends at ${end}. So it is not sent again.`
    : `${last}. The push's time to live, which ends at ${end}, leaves no time for another attempt.`
}

/** `warning`: what the token is not, and looks like. */
function neverSent(
  verdict: 'rejected' | 'quarantined',
  warning: string,
  { reason, at }: { readonly reason: string; readonly at: number },
): Explanation {
  const sentence = `The token is ${warning}. It was quarantined at ${isoTime(at)}; the app must register the token it gets from Apple.`
  return said(verdict, sentence, { reason, at })
}

function ofDeparted({ state, left, platform, tokenWarning }: DeviceFacts, releasedAt: number | null): Explanation {
  const [verdict, what] = state === 'gone' ? (['gone', 'gone'] as const) : (['quarantined', 'bad'] as const)
  if (verdict === 'quarantined' && left !== null && tokenWarning !== null) return neverSent(verdict, tokenWarning, left)
  const declared = `${PLATFORM[platform].gateway} has declared the token ${what}`
  if (left === null) return said(verdict, `${declared}; the device must register again.`)
  const { reason, at } = left
  const end =
    releasedAt === null || at <= releasedAt
      ? 'so it was not addressed; the device must register again.'
      : 'which was after the push had gone out: no failure of this push is on record for it.'
  return said(verdict, `${declared} at ${isoTime(at)} (${reason}), ${end}`, { reason, at })
}

function ofUnsent({ push: { cancelledAt, sendAt }, exclusions }: ExplainFacts): Explanation {
  if (cancelledAt !== null) {
    const sentence = `The push was cancelled at ${isoTime(cancelledAt)}, before it was sent.`
    return said('cancelled', sentence, { at: cancelledAt })
  }
  const when = sendAt === null ? 'The push has not been sent yet' : `The push goes out at ${isoTime(sendAt)}`
  if (exclusions.length === 0) return said('scheduled', `${when}, and addresses the device as it is now.`, JUDGED_NOW)
  return excluded(exclusions, `${when}, and leaves the device out as it is now: it ${whyOf(exclusions)}.`)
}

function excluded(exclusions: readonly Exclusion[], explanation: string): Explanation {
  return said('excluded', explanation, { excludedBy: exclusions.map(({ field }) => field), ...JUDGED_NOW })
}

function whyOf(exclusions: readonly Exclusion[]): string {
  return exclusions.map(({ why }) => why).join(', and ')
}

function accepted({ platform, left, seenAt }: DeviceFacts, releasedAt: number): Explanation {
  const sentence = `${PLATFORM[platform].gateway} took the notification, which is not the same as shown: the phone may be off, or its owner may have notifications turned off. ${AS_NOW}`
  // The device may have come back before or after the push: only its last registration is known.
  if (left === null || left.at > releasedAt || seenAt <= releasedAt) return said('accepted', sentence, JUDGED_NOW)
  const doubt = `It was reported as unregistered at ${isoTime(left.at)} and has registered again: if that was after the push, it was not addressed.`
  return said('accepted', `${sentence} ${doubt}`, JUDGED_NOW)
}

function ofUnreached(
  { push: { cancelledAt }, pause }: ExplainFacts,
  { finishedAt, expiresAt }: NonNullable<ExplainFacts['delivery']>,
): Explanation {
  const unreached = (verdict: 'cancelled' | 'expired', what: string, at: number) =>
    said(verdict, `The ${what} at ${isoTime(at)}, before it had come to this device. ${AS_NOW}`, { at, ...JUDGED_NOW })
  if (cancelledAt !== null) {
    if (finishedAt !== null) return unreached('cancelled', 'push was cancelled', cancelledAt)
    const sentence = `The push was cancelled at ${isoTime(cancelledAt)}, and waits for answers to what was sent before.`
    return said('waiting', `${sentence} Whether it was sent to this device is not known yet. ${AS_NOW}`, JUDGED_NOW)
  }
  if (finishedAt !== null) return unreached('expired', "push's time to live ended", expiresAt)
  const why = pause === null ? 'It is being sent, and has' : `Sending is paused (${pause}), and the push has`
  const known = { ...(pause !== null && { reason: pause }), ...JUDGED_NOW }
  return said('waiting', `${why} not come to this device yet. ${AS_NOW}`, known)
}
