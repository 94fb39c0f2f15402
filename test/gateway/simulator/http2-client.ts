import { connect } from 'node:http2'
import type { ClientHttp2Session, OutgoingHttpHeaders, SecureClientSessionOptions } from 'node:http2'

export interface Reply {
  readonly kind: 'reply'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the stream ended with the headers (END_STREAM on HEADERS). */
  readonly endedWithHeaders: boolean
}

/** No answer. `code`: of RST_STREAM, or of what the client made of a lost connection. */
export interface NoReply {
  readonly kind: 'none'
  readonly code: number | undefined
}

export interface Goaway {
  readonly code: number
  readonly data: string
}

export interface Client extends AsyncDisposable {
  readonly session: ClientHttp2Session
  /** Those received so far. */
  readonly goaways: readonly Goaway[]
  send(headers: OutgoingHttpHeaders, body?: string): Promise<Reply | NoReply>
}

/** One HTTP/2 connection of node:http2, its settings already exchanged. */
export async function connectTo(origin: string, options: SecureClientSessionOptions): Promise<Client> {
  const session = connect(origin, options)
  const goaways: Goaway[] = []
  session.on('goaway', (code, _last, data) => goaways.push({ code, data: data?.toString() ?? '' }))
  await new Promise<void>((resolve, reject) => {
    session.once('remoteSettings', () => resolve())
    session.once('error', reject)
  })
  // From here on a lost connection shows in the requests.
  session.on('error', () => undefined)
  return {
    session,
    goaways,
    send(headers, body = '') {
      const { promise, resolve } = Promise.withResolvers<Reply | NoReply>()
      const stream = session.request(headers)
      const headersIn: Record<string, string> = {}
      let bodyIn = ''
      let endedWithHeaders = false
      stream.on('response', (received, flags) => {
        for (const [name, value] of Object.entries(received)) headersIn[name] = String(value)
        endedWithHeaders = (flags & 1) === 1
      })
      stream.on('data', (chunk: Buffer) => (bodyIn += chunk.toString()))
      stream.on('error', () => undefined)
      stream.on('close', () => {
        const status = headersIn[':status']
        if (status === undefined) resolve({ kind: 'none', code: stream.rstCode })
        else resolve({ kind: 'reply', status: Number(status), headers: headersIn, body: bodyIn, endedWithHeaders })
      })
      stream.end(body)
      return promise
    },
    async [Symbol.asyncDispose]() {
      if (session.destroyed) return
      const closed = new Promise<void>((resolve) => session.once('close', () => resolve()))
      session.destroy()
      await closed
    },
  }
}

/** The answer, or a failed test. */
export function answered(reply: Reply | NoReply): Reply {
  if (reply.kind === 'none') throw new Error(`no answer, code ${reply.code}`)
  return reply
}
