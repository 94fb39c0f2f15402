import type { Exclusion } from '../../audience/exclusion.ts'
import { PLATFORM } from '../../platform.ts'
import { DEVICE_REMOVED } from '../../gateway/gateway.ts'
import type { DeviceReceipt } from '../../stats/receipt.ts'
import { isoTime } from '../../text/format.ts'
import type { DeviceFacts, ExceptionFacts, ExplainFacts, Explanation } from './explanation.ts'

const AS_NOW = 'This is judged by the device as it is now.'

/** Why a device did, or did not, get a push. What was written down goes before what is concluded. */
export function explain(facts: ExplainFacts): Explanation {
  const explained = verdictOf(facts)
  const { adopted } = facts
  if (adopted === null) return explained
  const at = isoTime(adopted.at)
  const note = adopted.byFormerToken
    ? `The token came by an import. Another token of its user took its place at ${at}; what is sent since goes to that one.`
    : `The device was imported, and its app took its place by another token at ${at}; what was sent before went to the token of the import.`
  return { ...explained, explanation: `${explained.explanation} ${note}`, adoptedAt: adopted.at }
}

function verdictOf(facts: ExplainFacts): Explanation {
  const { device, receipts, exception, push, exclusions, delivery } = facts
  if (receipts.length > 0) return ofReceipts(receipts)
  if (device === null) {
    return {
      verdict: 'not_registered',
      explanation: 'No device of this application has this token: it was never registered, or was unregistered since.',
    }
  }
  if (exception !== null) {
    const unsent = exception.state === 'rejected' ? device.tokenWarning : null
    if (unsent !== null) return neverSent('rejected', unsent, { reason: exception.reason, at: exception.at })
    return ofException(exception, PLATFORM[device.platform].gateway, facts.pause)
  }
  if (facts.registeredSince) {
    const { registeredAt } = device
    return {
      verdict: 'registered_later',
      explanation: `The device has registered at ${isoTime(registeredAt)}, after the push had gone out, so it was not addressed.`,
      at: registeredAt,
    }
  }
  if (device.state !== 'registered') return ofDeparted(device, push.releasedAt)
  if (push.releasedAt === null) return ofUnsent(facts)
  if (exclusions.length > 0)
    return excluded(exclusions, `The push left the device out: it ${whyOf(exclusions)}. ${AS_NOW}`)
  if (delivery === null) return excluded([], `The push did not address the device. ${AS_NOW}`)
  if (delivery.nobody) {
    return excluded(
      [],
      `The push addressed no ${PLATFORM[device.platform].device} when it went out, so neither this one. ${AS_NOW}`,
    )
  }
  if (delivery.passed) return accepted(device, push.releasedAt)
  if (delivery.refused !== null) {
    const { refused: reason } = delivery
    const explanation = `${PLATFORM[device.platform].gateway} refused the push for everybody whom it was sent to (${reason}), so it was not sent to this device. ${AS_NOW}`
    return { verdict: 'rejected', explanation, reason, judgedNow: true }
  }
  return ofUnreached(facts, delivery)
}

/** An action is chosen by who has seen the push, as an open is: both go before the arrival. */
function ofReceipts(receipts: readonly DeviceReceipt[]): Explanation {
  const seen = receipts.find(({ event }) => event === 'opened') ?? receipts.find(({ event }) => event === 'action')
  const said = receipts.map(({ event, action, at }) => {
    const what = event === 'action' ? `answered by the action ${JSON.stringify(action)}` : event
    return `was ${what}, at ${isoTime(at)}`
  })
  return {
    verdict: seen === undefined ? 'received' : 'opened',
    explanation: `The app has said that the push ${said.join('; ')}.`,
    at: (seen ?? receipts[0])?.at ?? 0,
    receipts,
  }
}

function ofException(
  { state, cancelled, reason, attempts, at }: ExceptionFacts,
  gateway: string,
  pause: string | null,
): Explanation {
  const known = { reason, attempts, at }
  if (cancelled) {
    const explanation = `The push was cancelled at ${isoTime(at)}, before the device could be sent to with success.`
    return { verdict: 'cancelled', explanation, ...known }
  }
  switch (state) {
    case 'leased':
      return {
        verdict: 'waiting',
        explanation: `The notification was sent, and ${gateway} has not answered yet.`,
        reason,
        attempts,
      }
    case 'retry': {
      const last = attempts === 0 ? 'It was not sent yet' : `${gateway} did not take it (${reason})`
      const explanation = `${last}; the next attempt is due at ${isoTime(at)}${pause === null ? '' : `, but sending is paused: ${pause}`}.`
      return { verdict: 'retrying', explanation, reason, attempts, nextAttemptAt: at }
    }
    case 'rejected':
      return {
        verdict: 'rejected',
        explanation: `${gateway} refused the notification for this device at ${isoTime(at)}: ${reason}.`,
        ...known,
      }
    case 'gone':
      if (reason === DEVICE_REMOVED) {
        const explanation = `The device was unregistered, or declared gone, while it waited for another attempt, as was found at ${isoTime(at)}.`
        return { verdict: 'gone', explanation, ...known }
      }
      return {
        verdict: 'gone',
        explanation: `The app was gone from the device when it was sent to, at ${isoTime(at)}: ${reason}.`,
        ...known,
      }
    case 'expired':
      return {
        verdict: 'expired',
        explanation: `The time to live of the push was over at ${isoTime(at)}, before an attempt succeeded; the last one failed with: ${reason}.`,
        ...known,
      }
  }
}

/** `warning`: what the token is not, and looks like. */
function neverSent(
  verdict: 'rejected' | 'quarantined',
  warning: string,
  { reason, at }: { readonly reason: string; readonly at: number },
): Explanation {
  const explanation = `The token is ${warning}. It was set aside at ${isoTime(at)}; the device must register with the token that Apple gives it.`
  return { verdict, explanation, reason, at }
}

function ofDeparted(device: DeviceFacts, releasedAt: number | null): Explanation {
  const { state, left, platform, tokenWarning } = device
  const verdict = state === 'gone' ? 'gone' : 'quarantined'
  if (verdict === 'quarantined' && left !== null && tokenWarning !== null) return neverSent(verdict, tokenWarning, left)
  const what = state === 'gone' ? 'gone' : 'bad'
  if (left === null) {
    return {
      verdict,
      explanation: `${PLATFORM[platform].gateway} has declared the token ${what}; the device must register again.`,
    }
  }
  const said = `${PLATFORM[platform].gateway} has declared the token ${what} at ${isoTime(left.at)} (${left.reason})`
  const before = releasedAt === null || left.at <= releasedAt
  const explanation = before
    ? `${said}, so it was not addressed; the device must register again.`
    : `${said}, which was after the push had gone out: no failure of this push is on record for it.`
  return { verdict, explanation, reason: left.reason, at: left.at }
}

/** Its moment has not come, and may never. */
function ofUnsent({ push, exclusions }: ExplainFacts): Explanation {
  if (push.cancelledAt !== null) {
    const explanation = `The push was cancelled at ${isoTime(push.cancelledAt)}, before it went out.`
    return { verdict: 'cancelled', explanation, at: push.cancelledAt }
  }
  const when = push.sendAt === null ? 'The push has not gone out yet' : `The push goes out at ${isoTime(push.sendAt)}`
  if (exclusions.length === 0) {
    return {
      verdict: 'scheduled',
      explanation: `${when}, and addresses the device as it is now.`,
      judgedNow: true,
    }
  }
  return excluded(exclusions, `${when}, and leaves the device out as it is now: it ${whyOf(exclusions)}.`)
}

function excluded(exclusions: readonly Exclusion[], explanation: string): Explanation {
  return { verdict: 'excluded', explanation, excludedBy: exclusions.map(({ field }) => field), judgedNow: true }
}

function whyOf(exclusions: readonly Exclusion[]): string {
  return exclusions.map(({ why }) => why).join(', and ')
}

function accepted({ platform, left, seenAt }: DeviceFacts, releasedAt: number): Explanation {
  // It may have come back before or after the push: only the last registration is known.
  const wasAway = left !== null && left.at <= releasedAt && seenAt > releasedAt
  const doubt =
    wasAway && left !== null
      ? ` It was declared gone at ${isoTime(left.at)} and has registered again: if that was after the push, it was not addressed.`
      : ''
  return {
    verdict: 'accepted',
    explanation: `${PLATFORM[platform].gateway} took the notification, which is not the same as shown: the phone may be off, or its owner may have notifications turned off. ${AS_NOW}${doubt}`,
    judgedNow: true,
  }
}

function ofUnreached(
  { push, pause }: ExplainFacts,
  { finishedAt, expiresAt }: NonNullable<ExplainFacts['delivery']>,
): Explanation {
  if (push.cancelledAt !== null) {
    const explanation = `The push was cancelled at ${isoTime(push.cancelledAt)}, before it had come to this device. ${AS_NOW}`
    return { verdict: 'cancelled', explanation, at: push.cancelledAt, judgedNow: true }
  }
  if (finishedAt !== null) {
    const explanation = `The time to live of the push was over at ${isoTime(expiresAt)}, before it had come to this device. ${AS_NOW}`
    return { verdict: 'expired', explanation, at: expiresAt, judgedNow: true }
  }
  const why = pause === null ? 'It is being sent, and has' : `Sending is paused (${pause}), and the push has`
  return {
    verdict: 'waiting',
    explanation: `${why} not come to this device yet. ${AS_NOW}`,
    ...(pause !== null && { reason: pause }),
    judgedNow: true,
  }
}
