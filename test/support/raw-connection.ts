import type { Socket } from 'bun'
import type { Credentials } from './service.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A TCP connection on which a test writes what no HTTP client would. */
export interface RawConnection extends Disposable {
  /** Resolves when the kernel has taken all of it, or the connection is closed. */
  write(data: string | Uint8Array): Promise<void>
  /**
   * The next answer on the connection. With a Content-Length its whole body, or none after HEAD (`bodiless`); rejects
   * when the connection closes before that.
   */
  answer(options?: { readonly bodiless?: boolean }): Promise<RawAnswer>
  /** Resolves when the connection is closed, with all that was not read as an answer. */
  readonly closed: Promise<string>
}

/** Connects to the host and port of `url`. */
export async function connectTo(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  let received = ''
  const state = { open: true }
  let changed = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<string>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const socket: Socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, data) {
        received += data.toString('latin1')
        change()
      },
      drain: change,
      // A connection that is cut is closed after that.
      error: () => undefined,
      close() {
        state.open = false
        change()
        closed.resolve(received)
      },
    },
  })

  return {
    async write(data) {
      let left = typeof data === 'string' ? Buffer.from(data) : data
      while (left.byteLength > 0 && state.open) {
        const turn = changed.promise
        left = left.subarray(Math.max(0, socket.write(left)))
        if (left.byteLength > 0) await turn
      }
    },
    async answer({ bodiless = false } = {}) {
      for (;;) {
        const turn = changed.promise
        const end = received.indexOf('\r\n\r\n')
        if (end !== -1) {
          const [first = '', ...lines] = received.slice(0, end).split('\r\n')
          const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
          const length = bodiless ? 0 : Number(headers.get('content-length') ?? 0)
          if (received.length >= end + 4 + length) {
            const body = received.slice(end + 4, end + 4 + length)
            received = received.slice(end + 4 + length)
            return { status: Number(first.split(' ')[1]), headers, body }
          }
        }
        if (!state.open) throw new Error(`closed after ${JSON.stringify(received.slice(0, 200))}`)
        await turn
      }
    },
    closed: closed.promise,
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** The head of a call with the application's credentials, up to the blank line; `more` are whole header lines. */
export function headOf(line: string, { id, secret }: Credentials, ...more: readonly string[]): string {
  const lines = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Accept-Version: 1',
    `X-SERVICE-APPID: ${id}`,
    `X-SERVICE-SECRET: ${secret}`,
    ...more,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
