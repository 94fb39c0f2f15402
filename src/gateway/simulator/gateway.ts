import type { Http2ListenerOptions } from './http2/http2-listener.ts'
import type { Attempt, Reply, Script, SimulatedAnswer } from './http2/reply.ts'
import type { KnownCredentials } from './known-credentials.ts'
import { createMagicTokens } from './magic-tokens.ts'
import type { MagicToken } from './magic-tokens.ts'
import type { ReceivedPush } from './received-pushes.ts'

export interface GatewayOptions extends Pick<
  Http2ListenerOptions<never>,
  'clock' | 'pem' | 'maxStreams' | 'onConnection'
> {
  readonly known: KnownCredentials
  readonly slowMs: number
  readonly newId: () => string
  readonly record: (arrival: ReceivedPush) => void
  readonly script: Script
}

type Answer<Refusal> = (
  attempt: Attempt,
  magic: MagicToken<Refusal> | null,
  answers: { readonly accept: () => SimulatedAnswer; readonly refuse: (refusal: Refusal) => SimulatedAnswer },
) => Reply

/** The script decides, then a magic token; others are accepted. */
export function createAnswering<Refusal>({
  script,
  slowMs,
}: Pick<GatewayOptions, 'script' | 'slowMs'>): Answer<Refusal> {
  const serve = createMagicTokens<Refusal>()
  return (attempt, magic, { accept, refuse }) => {
    const scripted = script(attempt)
    if (scripted !== null) return scripted
    const asked = magic === null ? null : serve(attempt.token, magic)
    switch (asked?.kind) {
      case 'refuse':
        return { kind: 'answer', answer: refuse(asked.refusal) }
      case 'narrow':
        return { kind: 'answer', answer: refuse(asked.refusal), narrow: true }
      case 'slow':
        return { kind: 'answer', answer: accept(), afterMs: slowMs }
      case 'farewell':
        return { kind: 'answer', answer: accept(), goaway: true }
      case undefined:
        return { kind: 'answer', answer: accept() }
      case 'reset':
      case 'goaway':
      case 'parting':
      case 'silent':
      case 'close':
        return asked
    }
  }
}
