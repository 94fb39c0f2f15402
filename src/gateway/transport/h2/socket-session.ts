import type { Clock } from '../../../clock.ts'
import { failureReason } from '../failures.ts'
import type { InFlight, Opened, RequestListener, Session, SessionEnd, SessionListener } from '../session.ts'
import type { TransportRequest } from '../transport.ts'
import { Connection } from './connection.ts'
import type { ConnectionListener } from './connection.ts'
import type { HpackOptions } from './hpack-encoder.ts'

/** No credential has more in flight. */
const MAX_STREAMS = 1000

const TICK_MS = 3000

/** Ticks that a peer has to take the last write. */
const WRITE_TICKS = 4

export interface SessionSocket {
  readonly destroyed: boolean
  readonly writableLength: number
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  /** `onWritten`: nobody reads `bytes` any more. */
  write(bytes: Buffer, onWritten: () => void): unknown
  destroySoon(): void
  destroy(): void
}

/** Resolves when the peer has greeted. */
export function openSocketSession(
  socket: SessionSocket,
  authority: string,
  clock: Clock,
  listener: SessionListener,
  options: HpackOptions = {},
): Promise<Opened> {
  return new Promise((onOpened) => void new SocketSession(socket, authority, clock, listener, { ...options, onOpened }))
}

class SocketSession implements Session, ConnectionListener {
  readonly protocol = 'HTTP/2'
  readonly #socket: SessionSocket
  readonly #clock: Clock
  readonly #listener: SessionListener
  readonly #connection: Connection
  #onOpened: ((opened: Opened) => void) | null
  #isReceiving = false
  #isScheduled = false
  /** The last write, until the socket has taken it all. */
  #blockedBy: Buffer | null = null
  #blockedTicks = 0
  #cancelTick: () => void

  constructor(
    socket: SessionSocket,
    authority: string,
    clock: Clock,
    listener: SessionListener,
    { onOpened, ...options }: HpackOptions & { readonly onOpened: (opened: Opened) => void },
  ) {
    this.#socket = socket
    this.#clock = clock
    this.#listener = listener
    this.#onOpened = onOpened
    this.#connection = new Connection(authority, this, options)
    this.#cancelTick = this.#tickLater()
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#lose(failureReason(error)))
    socket.on('end', () => this.#lose(RESET))
    socket.on('close', () => {
      this.#lose(RESET)
      this.#cancelTick()
    })
    this.#flush()
  }

  get maxStreams(): number {
    return Math.min(this.#connection.maxStreams, MAX_STREAMS)
  }

  get isBlocked(): boolean {
    return this.#blockedBy !== null
  }

  send(request: TransportRequest, listener: RequestListener): InFlight {
    const { isIdle } = this.#connection
    const inFlight = this.#connection.send(request, listener)
    // The first request does not wait for the rest of its turn, perhaps a millisecond of work.
    if (isIdle && !this.#isReceiving) this.#flush()
    return inFlight
  }

  close(): void {
    this.#connection.close()
  }

  onRoom(): void {
    if (this.#onOpened === null) return this.#listener.onRoom()
    this.#onOpened({ kind: 'open', session: this })
    this.#onOpened = null
  }

  onEnd(end: SessionEnd): void {
    if (this.#onOpened !== null) {
      const { reason, kind, word } = end
      this.#onOpened({ kind: 'failed', reason, isProtocolError: kind === 'protocol', word })
      this.#onOpened = null
      return
    }
    this.#listener.onEnd(end)
  }

  /** All requests of a turn leave in one write. */
  onOutput(): void {
    if (this.#isReceiving || this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(this.#flushScheduled)
  }

  onOver(): void {
    this.#cancelTick()
    // A peer that reads nothing would keep the pending bytes and the socket.
    if (this.#blockedBy !== null) {
      this.#socket.destroy()
      return
    }
    this.#flush()
    // So would a peer that keeps its half open.
    this.#socket.destroySoon()
    this.#cancelTick = this.#clock.after(WRITE_TICKS * TICK_MS, () => this.#socket.destroy())
  }

  #receive(chunk: Buffer): void {
    this.#isReceiving = true
    try {
      this.#connection.receive(chunk)
    } catch (error) {
      // A bug: our place among the frames is lost.
      this.#connection.end({ reason: 'internal error', kind: 'protocol' })
      throw error
    } finally {
      this.#isReceiving = false
      this.#flush()
    }
  }

  // A field: `onOutput` would make a function for each request.
  readonly #flushScheduled = (): void => {
    this.#isScheduled = false
    this.#flush()
  }

  #flush(): void {
    if (this.#blockedBy !== null || this.#socket.destroyed) return
    const bytes = this.#connection.takeOutput()
    if (bytes === null) return
    this.#blockedBy = bytes
    this.#socket.write(bytes, () => this.#written(bytes))
    // Usually the system takes it all: no need to wait for the callback.
    if (this.#socket.writableLength === 0) this.#blockedBy = null
  }

  #written(bytes: Buffer): void {
    this.#connection.giveBack(bytes)
    if (this.#blockedBy !== bytes) return
    this.#blockedBy = null
    this.#blockedTicks = 0
    this.#flush()
    if (this.#onOpened === null) this.#listener.onRoom()
  }

  #lose(reason: string): void {
    this.#connection.end({ reason, kind: 'lost' })
  }

  /** Runs after arrived bytes are read, even if the process stood still. */
  #tickLater(): () => void {
    return this.#clock.after(TICK_MS, () => setImmediate(() => this.#tick()))
  }

  #tick(): void {
    if (this.#socket.destroyed) return
    this.#cancelTick = this.#tickLater()
    if (this.#blockedBy !== null && ++this.#blockedTicks > WRITE_TICKS) this.#lose('HTTP2WriteTimeout')
    else this.#connection.tick()
  }
}

const RESET = 'ECONNRESET'
