import type { OpenTransport, Protocol, TransportAnswer } from '../../gateway/transport/transport.ts'

/** One answer of a gateway, or that there was none. */
export interface HeardAnswer {
  readonly host: string
  readonly protocol: Protocol | null
  /** `null`: there was none. */
  readonly status: number | null
  /** Why there was no answer; `null`: there was one. */
  readonly failure: string | null
  /** Those that say something of the push. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 500 characters. */
  readonly body: string
  readonly ms: number
}

/** The end of a connection. */
export interface HeardEnd {
  readonly host: string
  readonly protocol: Protocol | null
  /** As transports name it; `closed`: by us, when nothing was left to do. */
  readonly reason: string
}

export interface Heard {
  readonly answers: HeardAnswer[]
  readonly ends: HeardEnd[]
}

const HEADERS = ['apns-id', 'apns-unique-id', 'retry-after', 'x-wns-notificationstatus', 'x-wns-error-description']
const MAX_BODY_CHARACTERS = 500

interface Options {
  /** Ms that never go back. */
  readonly stopwatch: () => number
  /** An origin whose answers are secret: their bodies are left out. */
  readonly secretOrigin: string
}

/** The same transports, with all that gateways say on them written down. */
export function listening(open: OpenTransport, heard: Heard, { stopwatch, secretOrigin }: Options): OpenTransport {
  return (origin, options) => {
    const { host } = new URL(origin)
    const onEnded = (reason: string): void => {
      heard.ends.push({ host, protocol: transport.protocol ?? null, reason })
      options.onEnded?.(reason)
    }
    const transport = open(origin, { ...options, onEnded })
    return {
      send(request, listener) {
        const started = stopwatch()
        transport.send(request, {
          onAnswer(answer) {
            const ms = Math.round(stopwatch() - started)
            const said = saidIn(answer, origin === secretOrigin)
            heard.answers.push({ host, protocol: transport.protocol ?? null, ...said, ms })
            listener.onAnswer(answer)
          },
        })
      },
      retire: () => transport.retire(),
      get protocol() {
        return transport.protocol ?? null
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }
  }
}

function saidIn(
  answer: TransportAnswer,
  isSecret: boolean,
): Pick<HeardAnswer, 'status' | 'failure' | 'headers' | 'body'> {
  if (answer.kind === 'failed') return { status: null, failure: answer.reason, headers: {}, body: '' }
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = answer.header(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  const body = isSecret ? '' : answer.body.slice(0, MAX_BODY_CHARACTERS)
  return { status: answer.status, failure: null, headers, body }
}
