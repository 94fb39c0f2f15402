import type { OpenTransport, Protocol, TransportAnswer } from '../../gateway/transport/transport.ts'
import { hearing } from '../gateways/hearing.ts'

export interface HeardAnswer {
  readonly host: string
  readonly protocol: Protocol | null
  readonly status: number | null
  /** Set if there was no answer. */
  readonly failure: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly ms: number
}

export interface HeardEnd {
  readonly host: string
  readonly protocol: Protocol | null
  /** A transport's name for it; `closed`: by us, after the last answer. */
  readonly reason: string
}

export interface Heard {
  readonly answers: HeardAnswer[]
  readonly ends: HeardEnd[]
}

const HEADERS = ['apns-id', 'apns-unique-id', 'retry-after', 'x-wns-notificationstatus', 'x-wns-error-description']
const MAX_BODY_CHARACTERS = 500

interface Options {
  readonly stopwatch: () => number
  /** Bodies of its answers contain secrets and are left out. */
  readonly secretOrigin: string
}

/** Passes everything that gateways say to `heard`. */
export function listening(open: OpenTransport, heard: Heard, { stopwatch, secretOrigin }: Options): OpenTransport {
  return (origin, options) => {
    const { host } = new URL(origin)
    const onEnded = (reason: string): void => {
      heard.ends.push({ host, protocol: transport.protocol ?? null, reason })
      options.onEnded?.(reason)
    }
    const onAnswer = (
      answer: TransportAnswer,
      { protocol = null }: { protocol?: Protocol | null },
      startedAt: number,
    ) => {
      const ms = Math.round(stopwatch() - startedAt)
      heard.answers.push({ host, protocol, ...saidIn(answer, origin === secretOrigin), ms })
    }
    const transport = hearing(open, onAnswer, stopwatch)(origin, { ...options, onEnded })
    return transport
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
