import type { Outcome, Provider, Recipient } from '../../src/gateway/gateway.ts'
import type { Message } from '../../src/notification/notification.ts'

export const MESSAGE: Message = {
  push: '01890a5d-ac96-774b-bcce-b302099a8057',
  notification: { msg: 'Hello', sound: null, badge: null, payload: null },
  expiresAt: 1_800_000_000_000,
}

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
