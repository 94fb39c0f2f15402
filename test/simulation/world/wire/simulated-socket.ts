import type { SessionSocket } from '../../../../src/gateway/transport/h2/socket-session.ts'
import type { ByteStream } from './byte-stream.ts'

interface Write {
  readonly bytes: Buffer
  readonly onWritten: () => void
  taken: number
}

type Listener = (...args: any[]) => void

/** The client's end of a simulated connection. Like a system, it sends only when there is room. */
export class SimulatedSocket implements SessionSocket {
  readonly #up: ByteStream
  readonly #onClosed: () => void
  readonly #listeners = new Map<string, Listener[]>()
  readonly #writes: Write[] = []
  #isDestroyed = false
  #isEnding = false
  #writableLength = 0
  /** Bytes taken while the peer does not read. */
  #room = 0

  /** `up`: takes bytes to the peer. `onClosed`: the socket reads no more. */
  constructor(up: ByteStream, onClosed: () => void) {
    this.#up = up
    this.#onClosed = onClosed
  }

  get destroyed(): boolean {
    return this.#isDestroyed
  }

  get writableLength(): number {
    return this.#writableLength
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
  }

  write(bytes: Buffer, onWritten: () => void): void {
    if (this.#isDestroyed || this.#isEnding) throw new Error('written to a socket that has ended')
    this.#writes.push({ bytes, onWritten, taken: 0 })
    this.#writableLength += bytes.length
    this.#take()
  }

  destroySoon(): void {
    this.#isEnding = true
    this.#take()
  }

  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#onClosed()
    setImmediate(() => this.#emit('close'))
  }

  /** The peer stops reading until `resume`; the system still takes `room` bytes. */
  pause(room: number): void {
    this.#room = room
    this.#up.pause()
  }

  resume(): void {
    this.#up.resume()
    this.#take()
  }

  receive(bytes: Buffer): void {
    if (!this.#isDestroyed) this.#emit('data', bytes)
  }

  /** The peer ended the connection. `code`: of an error; `null`: none. */
  lose(code: string | null): void {
    if (this.#isDestroyed) return
    if (code === null) this.#emit('end')
    else this.#emit('error', Object.assign(new Error(code), { code }))
    this.destroy()
  }

  #take(): void {
    for (const write of this.#writes.slice()) {
      const left = write.bytes.length - write.taken
      const bytes = this.#up.isPaused ? Math.min(left, this.#room) : left
      if (this.#up.isPaused) this.#room -= bytes
      if (bytes > 0) this.#up.send(Buffer.from(write.bytes.subarray(write.taken, write.taken + bytes)))
      write.taken += bytes
      this.#writableLength -= bytes
      if (bytes < left) return
      this.#writes.shift()
      setImmediate(() => {
        if (!this.#isDestroyed) write.onWritten()
      })
    }
    if (this.#isEnding) this.destroy()
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...args)
  }
}
