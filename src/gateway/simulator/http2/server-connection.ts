import { FrameReader } from '../../transport/h2/frame-reader.ts'
import { FrameWriter } from '../../transport/h2/frame-writer.ts'
import {
  ErrorCode,
  Flag,
  FrameType,
  INITIAL_WINDOW_BYTES,
  MIN_MAX_FRAME_BYTES,
  PREFACE,
  SettingId,
} from '../../transport/h2/frames.ts'
import { HeaderBlocks } from '../../transport/h2/header-blocks.ts'
import type { HeaderField } from '../../transport/h2/header-table.ts'
import { ServerStream } from './server-stream.ts'
import type { Carrier } from './server-stream.ts'

export interface ServerListener {
  /** Nobody changes `bytes` before `onWritten` is called. */
  onOutput(bytes: Buffer, onWritten: () => void): void
  onBegin?(stream: ServerStream): void
  onRequest(stream: ServerStream): void
  /** Answered, reset or lost. `resetCode`: from the client's RST_STREAM. */
  onClosed?(stream: ServerStream, resetCode: number | null): void
}

interface StreamState {
  /** The client's window in bytes; `waiting`: held-back bytes of the body. */
  window: number
  waiting: Buffer
  isEnding: boolean
  isAnswered: boolean
  isWhole: boolean
  isEnded: boolean
}

/**
 * A server's side of one HTTP/2 connection, without socket or clock. Tests break the rules with it, so a caller may
 * send any GOAWAY, SETTINGS or bytes.
 */
export class ServerConnection implements Carrier {
  readonly #listener: ServerListener
  readonly #writer = new FrameWriter()
  readonly #reader = new FrameReader((type, flags, stream, bytes, start, end) =>
    this.#onFrame(type, flags, stream, bytes, start, end),
  )
  readonly #blocks = new HeaderBlocks((id, isEnd, fields) => this.#onHeaders(id, isEnd, fields))
  readonly #streams = new Map<ServerStream, StreamState>()
  readonly #byId = new Map<number, ServerStream>()
  #prefaceBytes = 0
  #isReceiving = false
  #window = INITIAL_WINDOW_BYTES
  #streamWindow = INITIAL_WINDOW_BYTES
  #lastId = 0

  constructor(listener: ServerListener) {
    this.#listener = listener
  }

  get lastId(): number {
    return this.#lastId
  }

  /** `false`: not HTTP/2. */
  receive(chunk: Buffer): boolean {
    const preface = PREFACE.subarray(this.#prefaceBytes, this.#prefaceBytes + chunk.length)
    if (!chunk.subarray(0, preface.length).equals(preface)) return false
    this.#prefaceBytes += preface.length
    // Answers to one chunk leave in one write.
    this.#isReceiving = true
    try {
      return this.#reader.read(chunk.subarray(preface.length))
    } finally {
      this.#isReceiving = false
      this.#flush()
    }
  }

  close(): void {
    for (const stream of this.#streams.keys()) this.#closed(stream, null)
  }

  settings(...settings: readonly (readonly [id: number, value: number])[]): void {
    this.#writer.settings(settings)
    this.#flush()
  }

  /** Sent at once: the caller may end the socket next. `lastId`: default the last stream. */
  goaway(code: number, { lastId = this.#lastId, debugData = '' } = {}): void {
    this.#writer.goaway(code, lastId, Buffer.from(debugData))
    this.#send()
  }

  raw(bytes: Uint8Array): void {
    this.#writer.raw(bytes)
    this.#flush()
  }

  isAnswered(stream: ServerStream): boolean {
    return this.#streams.get(stream)?.isAnswered ?? true
  }

  isOpen(stream: ServerStream): boolean {
    return this.#streams.get(stream)?.isEnded === false
  }

  respond(stream: ServerStream, headers: Readonly<Record<string, string>>, end: boolean, pieces: number): void {
    const state = this.#streams.get(stream)
    if (state === undefined || state.isEnded) return
    const block = blockOf(headers)
    for (let at = 0; at < block.length; at += pieces) {
      const flags = (at === 0 && end ? Flag.endStream : 0) | (at + pieces >= block.length ? Flag.endHeaders : 0)
      const type = at === 0 ? FrameType.headers : FrameType.continuation
      this.#writer.frame(type, flags, stream.id, block.subarray(at, at + pieces))
    }
    state.isAnswered = true
    if (end) this.#ended(stream, state)
    this.#flush()
  }

  write(stream: ServerStream, bytes: Buffer, end: boolean): void {
    const state = this.#streams.get(stream)
    if (state === undefined || state.isEnded) return
    state.waiting = Buffer.concat([state.waiting, bytes])
    state.isEnding = end
    this.#pump(stream, state)
    this.#flush()
  }

  reset(stream: ServerStream, code: number): void {
    if (!this.#streams.has(stream)) return
    this.#writer.resetStream(stream.id, code)
    this.#closed(stream, null)
    this.#flush()
  }

  #onFrame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): boolean {
    const isPadded = (type === FrameType.headers || type === FrameType.data) && (flags & Flag.padded) !== 0
    const from = start + (isPadded ? 1 : 0)
    const padding = isPadded ? (bytes[start] ?? 0) : 0
    switch (type) {
      case FrameType.headers: {
        const priorityBytes = (flags & Flag.priority) === 0 ? 0 : 5
        return this.#blocks.begin(flags, id, bytes, from + priorityBytes, end - padding) === ErrorCode.none
      }
      case FrameType.continuation:
        return this.#blocks.continue(flags, bytes.subarray(start, end)) === ErrorCode.none
      case FrameType.data:
        this.#onData(id, bytes.subarray(from, end - padding), end - start, (flags & Flag.endStream) !== 0)
        break
      case FrameType.resetStream: {
        const stream = this.#byId.get(id)
        if (stream !== undefined) this.#closed(stream, bytes.readUInt32BE(start))
        break
      }
      case FrameType.settings:
        if ((flags & Flag.ack) === 0) this.#onSettings(bytes.subarray(start, end))
        break
      case FrameType.ping:
        if ((flags & Flag.ack) === 0) this.#writer.frame(FrameType.ping, Flag.ack, 0, bytes.subarray(start, end))
        break
      case FrameType.windowUpdate:
        this.#onWindow(id, bytes.readUInt32BE(start))
    }
    return true
  }

  #onHeaders(id: number, isEnd: boolean, fields: readonly HeaderField[]): number {
    let stream = this.#byId.get(id)
    if (stream === undefined) {
      this.#lastId = Math.max(this.#lastId, id)
      stream = new ServerStream(id, this, fields)
      this.#byId.set(id, stream)
      const progress = { isEnding: false, isAnswered: false, isWhole: false, isEnded: false }
      this.#streams.set(stream, { window: this.#streamWindow, waiting: NOTHING, ...progress })
      this.#listener.onBegin?.(stream)
    }
    if (isEnd) this.#whole(stream)
    return ErrorCode.none
  }

  #onData(id: number, body: Buffer, bytes: number, isEnd: boolean): void {
    const stream = this.#byId.get(id)
    if (bytes > 0) this.#writer.windowUpdate(0, bytes)
    if (stream === undefined) return
    if (bytes > 0 && !isEnd && this.isOpen(stream)) this.#writer.windowUpdate(id, bytes)
    stream.take(body)
    if (isEnd) this.#whole(stream)
  }

  #onSettings(payload: Buffer): void {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== SettingId.initialWindowSize) continue
      const more = payload.readUInt32BE(at + 2) - this.#streamWindow
      this.#streamWindow += more
      for (const [stream, state] of this.#streams) {
        state.window += more
        this.#pump(stream, state)
      }
    }
    this.#writer.frame(FrameType.settings, Flag.ack, 0, NOTHING)
  }

  #onWindow(id: number, bytes: number): void {
    if (id === 0) this.#window += bytes
    for (const [stream, state] of this.#streams) {
      if (stream.id === id) state.window += bytes
      if (id === 0 || stream.id === id) this.#pump(stream, state)
    }
  }

  /** RFC 9113, 6.9. */
  #pump(stream: ServerStream, state: StreamState): void {
    while (state.waiting.length > 0 || (state.isEnding && !state.isEnded)) {
      const bytes = Math.min(state.waiting.length, state.window, this.#window, MIN_MAX_FRAME_BYTES)
      if (bytes <= 0 && state.waiting.length > 0) return
      const isLast = state.isEnding && bytes === state.waiting.length
      this.#writer.frame(FrameType.data, isLast ? Flag.endStream : 0, stream.id, state.waiting.subarray(0, bytes))
      state.waiting = state.waiting.subarray(bytes)
      state.window -= bytes
      this.#window -= bytes
      if (isLast) this.#ended(stream, state)
    }
  }

  #whole(stream: ServerStream): void {
    const state = this.#streams.get(stream)
    if (state === undefined || state.isWhole) return
    state.isWhole = true
    this.#listener.onRequest(stream)
    if (state.isEnded) this.#closed(stream, null)
  }

  #ended(stream: ServerStream, state: StreamState): void {
    state.isEnded = true
    if (state.isWhole) this.#closed(stream, null)
  }

  #closed(stream: ServerStream, resetCode: number | null): void {
    if (!this.#streams.delete(stream)) return
    this.#byId.delete(stream.id)
    this.#listener.onClosed?.(stream, resetCode)
  }

  #flush(): void {
    if (!this.#isReceiving) this.#send()
  }

  #send(): void {
    const bytes = this.#writer.take()
    if (bytes !== null) this.#listener.onOutput(bytes, () => this.#writer.giveBack(bytes))
  }
}

const NOTHING = Buffer.alloc(0)

/** HPACK without tables or Huffman code: every field is a literal (RFC 7541, 6.2.2). */
function blockOf(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => `\0${literal(name)}${literal(value)}`)
  return Buffer.from(fields.join(''), 'latin1')
}

/** Its length has a prefix of seven bits (RFC 7541, 5.1 and 5.2). */
function literal(text: string): string {
  if (text.length < 127) return String.fromCharCode(text.length) + text
  let length = '\x7f'
  let rest = text.length - 127
  for (; rest >= 128; rest >>= 7) length += String.fromCharCode((rest & 127) | 128)
  return length + String.fromCharCode(rest) + text
}
