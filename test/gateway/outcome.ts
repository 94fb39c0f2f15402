import type { Environment } from '../../src/device/device.ts'
import type { Outcome, Provider, Recipient } from '../../src/gateway/gateway.ts'
import type { Message } from '../../src/notification/notification.ts'

export const MESSAGE: Message = {
  push: '01890a5d-ac96-774b-bcce-b302099a8057',
  notification: { msg: 'Hello', sound: null, badge: null, payload: null },
  expiresAt: 1_800_000_000_000,
}

type Of<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

export const accepted = (environment: Environment): Outcome => ({ kind: 'accepted', environment })
export const misconfigured = (reason: string): Of<'misconfigured'> => ({ kind: 'misconfigured', reason })
export const rejected = (blame: Of<'rejected'>['blame'], reason: string): Outcome => ({
  kind: 'rejected',
  blame,
  reason,
})
export const gone = (reason: string, since: number | null = null): Outcome => ({ kind: 'unregistered', since, reason })
export const later = (
  scope: Of<'deferred'>['scope'],
  reason: string,
  afterMs: number | null = null,
): Of<'deferred'> => ({
  kind: 'deferred',
  afterMs,
  scope,
  reason,
})

/** What becomes of one notification, as a promise. */
export function outcomeOf(
  provider: Provider,
  message: Message,
  recipient: Recipient,
  mayGo: () => boolean = () => true,
): Promise<Outcome | null> {
  return new Promise((onOutcome, onFault) =>
    provider.send(message, recipient, { mayGo, restOf: () => null, onOutcome, onFault }),
  )
}
