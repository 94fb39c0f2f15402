import type { Clock } from '../../../../src/clock.ts'

/** As written, anywhere, or byte by byte. */
export type Cut = 'whole' | 'pieces' | 'bytes'

interface Options {
  readonly clock: Clock
  readonly random: () => number
  readonly cut: Cut
  /** Longest delay of bytes in ms. */
  readonly maxDelayMs: number
  readonly onBytes: (bytes: Buffer) => void
}

/** Longer single bytes would slow a world too much. */
const MAX_SINGLE_BYTES = 600

/** One direction of a connection: delivers bytes in order, cut differently, and later. */
export class ByteStream {
  readonly #options: Options
  #queue: Buffer[] = []
  #isScheduled = false
  #isPaused = false
  #isClosed = false
  #sent = 0
  #delivered = 0
  #deliveredBefore = 0
  #onEnd: (() => void) | null = null

  constructor(options: Options) {
    this.#options = options
  }

  get sent(): number {
    return this.#sent
  }

  /** With the piece arriving now. */
  get delivered(): number {
    return this.#delivered
  }

  /** Whether `offset` is in the piece arriving now. */
  isArriving(offset: number): boolean {
    return this.#deliveredBefore < offset && offset <= this.#delivered
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  send(bytes: Buffer): void {
    if (this.#isClosed || this.#onEnd !== null) return
    this.#sent += bytes.length
    this.#queue.push(bytes)
    this.#schedule()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#schedule()
  }

  /** Sends no more; calls back when everything has arrived. */
  end(onEnd: () => void): void {
    this.#onEnd ??= onEnd
    this.#schedule()
  }

  /** Loses everything under way. */
  close(): void {
    this.#isClosed = true
    this.#queue = []
    this.#onEnd = null
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isPaused || this.#isClosed) return
    if (this.#queue.length === 0 && this.#onEnd === null) return
    this.#isScheduled = true
    const { clock, random, maxDelayMs } = this.#options
    const deliver = (): void => {
      this.#isScheduled = false
      this.#deliver()
    }
    // Half of all bytes arrive in the same turn of the event loop: timers slow a world.
    if (maxDelayMs === 0 || random() < 0.5) setImmediate(deliver)
    else clock.after(random() * maxDelayMs, deliver)
  }

  #deliver(): void {
    if (this.#isPaused || this.#isClosed) return
    const { cut, random, onBytes } = this.#options
    const bytes = this.#queue.length === 1 ? (this.#queue[0] ?? NOTHING) : Buffer.concat(this.#queue)
    this.#queue = []
    const end = cut === 'whole' || random() < 0.8 ? bytes.length : Math.floor(random() * bytes.length)
    let at = 0
    while (at < end && !this.#isClosed) {
      const next = Math.min(at + this.#pieceBytes(end - at), end)
      this.#deliveredBefore = this.#delivered
      this.#delivered += next - at
      onBytes(bytes.subarray(at, next))
      this.#deliveredBefore = this.#delivered
      at = next
    }
    if (this.#isClosed) return
    if (end < bytes.length) this.#queue.unshift(bytes.subarray(end))
    if (this.#queue.length > 0) return this.#schedule()
    const onEnd = this.#onEnd
    if (onEnd === null) return
    this.close()
    onEnd()
  }

  #pieceBytes(left: number): number {
    const { cut, random } = this.#options
    if (cut === 'whole') return left
    if (cut === 'bytes' && left <= MAX_SINGLE_BYTES) return 1
    return 1 + Math.floor(random() ** 2 * left)
  }
}

const NOTHING = Buffer.alloc(0)
