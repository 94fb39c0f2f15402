import type { Outcome, Provider, Recipient } from '../../src/gateway/gateway.ts'
import type { Message } from '../../src/notification/notification.ts'

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
