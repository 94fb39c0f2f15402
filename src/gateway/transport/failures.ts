import { codeOf } from '../../text/error-code.ts'
import type { Outcome } from '../gateway.ts'
import type { TransportAnswer } from './transport.ts'

/** The code of an error, such as `ECONNREFUSED`; its name where it has none. */
export function failureReason(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : 'Error')
}

/**
 * What a request without an answer means. If no connection could be made, none can for the next device either;
 * where the answer was lost, only this device is in doubt, and so many at a time may be too many.
 */
export function outcomeOfFailure({ reason, sent, afterMs }: TransportAnswer & { kind: 'failed' }): Outcome {
  if (sent === 'refused') return { kind: 'rejected', blame: 'push', reason }
  if (sent === 'no') return { kind: 'deferred', afterMs: afterMs ?? null, scope: 'credential', reason }
  return { kind: 'deferred', afterMs: null, scope: 'device', reason, strain: true }
}
