import { codeOf } from '../../text/error-code.ts'
import type { Outcome } from '../gateway.ts'
import type { TransportAnswer } from './transport.ts'

/** The error's code, such as `ECONNREFUSED`, else its name. */
export function failureReason(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : 'Error')
}

/**
 * Without a connection, the next device would fail too. If the answer was lost, only this device is in doubt, and
 * sending fewer at a time may help.
 */
export function outcomeOfFailure({ reason, sent, afterMs }: TransportAnswer & { kind: 'failed' }): Outcome {
  if (sent === 'refused') return { kind: 'rejected', blame: 'push', reason }
  if (sent === 'no') return { kind: 'deferred', afterMs: afterMs ?? null, scope: 'credential', reason }
  return { kind: 'deferred', afterMs: null, scope: 'device', reason, strain: true }
}
