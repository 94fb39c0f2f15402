import { forgetOldest } from '../../../text/forget-oldest.ts'
import { endByGoaway, OVER } from '../session.ts'
import type { InFlight, RequestListener, SessionEnd, SessionListener } from '../session.ts'
import { MAX_HEADER_BYTES, requestFault } from '../request-fault.ts'
import type { TransportRequest } from '../transport.ts'
import { FrameReader } from './frame-reader.ts'
import { FrameWriter } from './frame-writer.ts'
import {
  ErrorCode,
  Flag,
  FrameType,
  INITIAL_WINDOW_BYTES,
  MAX_STREAM_ID,
  MAX_WINDOW_BYTES,
  PREFACE,
  SettingId,
} from './frames.ts'
import { HeaderBlocks } from './header-blocks.ts'
import type { HeaderField } from './header-table.ts'
import { MAX_LIST_BYTES } from './hpack-decoder.ts'
import type { HpackOptions } from './hpack-encoder.ts'
import { INITIAL_SETTINGS, readPeerSettings } from './peer-settings.ts'
import { RequestWriter } from './request-writer.ts'
import { Stream } from './stream.ts'
import type { StreamStep } from './stream.ts'
import { Watchdog } from './watchdog.ts'

export interface ConnectionListener extends SessionListener {
  onOutput(): void
  /** Once the last bytes are written, the socket is no longer needed. */
  onOver(): void
}

/** Per stream twice what is kept of an answer. */
const STREAM_WINDOW_BYTES = 131_072
const CONNECTION_WINDOW_BYTES = 1_048_576

/** Frames in a row that finish no answer: pings, settings, resets, empty data. Go's client allows as many. */
const MAX_IDLE_FRAMES = 10_000

/** Streams we gave up, whose frames may still arrive. */
const MAX_GIVEN_UP = 1000

const PING_PAYLOAD = Buffer.from('bellhop.')
const NOTHING = Buffer.alloc(0)

const REASON: Readonly<Record<number, string>> = {
  [ErrorCode.protocol]: 'HTTP2ProtocolError',
  [ErrorCode.flowControl]: 'HTTP2FlowControlError',
  [ErrorCode.settingsTimeout]: 'HTTP2SettingsTimeout',
  [ErrorCode.streamClosed]: 'HTTP2StreamClosedError',
  [ErrorCode.frameSize]: 'HTTP2FrameSizeError',
  [ErrorCode.compression]: 'HTTP2CompressionError',
  [ErrorCode.enhanceYourCalm]: 'HTTP2FloodError',
}

/**
 * A client's side of one HTTP/2 connection (RFC 9113), for POSTs. It has no socket and no clock: its owner passes in
 * received bytes, writes its output, and calls `tick`.
 *
 * greeting → (the peer's SETTINGS) → open → (GOAWAY, its owner, ids used up) → leaving: requests in flight may still be
 * answered → over. Any → (the peer's fault, the end of the socket) → over: requests in flight are unknown or unprocessed.
 */
export class Connection {
  readonly #listener: ConnectionListener
  readonly #writer = new FrameWriter()
  readonly #reader = new FrameReader((type, flags, stream, bytes, start, end) =>
    this.#onFrame(type, flags, stream, bytes, start, end),
  )
  readonly #requests: RequestWriter
  readonly #blocks = new HeaderBlocks((stream, isEnd, fields) => this.#onBlock(stream, isEnd, fields))
  readonly #watchdog = new Watchdog()
  readonly #streams = new Map<number, Stream>()
  readonly #givenUp = new Set<number>()
  #peer = INITIAL_SETTINGS
  #nextId = 1
  /** The highest stream the peer may still answer. */
  #lastId = MAX_STREAM_ID
  #receiveWindow = CONNECTION_WINDOW_BYTES
  #isGreeted = false
  #isOver = false
  /** The peer's GOAWAY with an error. */
  #ending: SessionEnd | null = null
  #idleFrames = 0

  constructor(authority: string, listener: ConnectionListener, options: HpackOptions = {}) {
    this.#listener = listener
    this.#requests = new RequestWriter(this.#writer, authority, options)
    this.#writer.raw(PREFACE)
    this.#writer.settings([
      [SettingId.enablePush, 0],
      [SettingId.initialWindowSize, STREAM_WINDOW_BYTES],
      [SettingId.maxHeaderListSize, MAX_LIST_BYTES],
    ])
    this.#writer.windowUpdate(0, CONNECTION_WINDOW_BYTES - INITIAL_WINDOW_BYTES)
  }

  get maxStreams(): number {
    return this.#peer.maxConcurrentStreams
  }

  get isIdle(): boolean {
    return this.#streams.size === 0
  }

  /** To be given back once written. */
  takeOutput(): Buffer | null {
    return this.#writer.take()
  }

  giveBack(written: Buffer): void {
    this.#writer.giveBack(written)
  }

  send(request: TransportRequest, listener: RequestListener): InFlight {
    const fault = requestFault(request, Math.min(this.#peer.maxHeaderListBytes, MAX_HEADER_BYTES))
    const isLate = this.#isOver || this.#nextId > this.#lastId
    if (isLate || fault !== null) {
      listener.onOver(fault === null ? { kind: 'unprocessed', reason: 'closed' } : { kind: 'refused', reason: fault })
      return OVER
    }
    const stream = new Stream(this.#nextId, listener, this, this.#writer.written, this.#peer.initialWindowBytes)
    this.#nextId += 2
    this.#streams.set(stream.id, stream)
    this.#requests.write(stream, request)
    this.#listener.onOutput()
    if (this.#nextId > this.#lastId) this.#listener.onEnd({ reason: 'HTTP2StreamIdsUsedUp', kind: 'parting' })
    return stream
  }

  cancel(stream: Stream): boolean {
    if (!this.#streams.delete(stream.id)) return true
    const isWhole = stream.unsentBytes === 0
    this.#giveUp(stream, ErrorCode.cancel)
    this.#listener.onOutput()
    return isWhole
  }

  /** Listeners must not call this. */
  receive(chunk: Buffer): void {
    if (this.#isOver) return
    this.#watchdog.heard()
    if (!this.#reader.read(chunk)) this.#fail(ErrorCode.frameSize)
    // 5.4.1: the peer "MUST close the TCP connection". Its answers are here already.
    else if (this.#ending !== null) this.end(this.#ending)
  }

  /** To be called every few seconds, after received bytes are read. */
  tick(): void {
    if (this.#isOver) return
    const alarm = this.#watchdog.tick(this.#streams.size > 0)
    if (alarm === 'settings unacknowledged') this.#fail(ErrorCode.settingsTimeout)
    if (alarm === 'ping unanswered') this.end({ reason: 'HTTP2PingTimeout', kind: 'lost' })
    if (alarm !== 'send ping') return
    this.#writer.frame(FrameType.ping, 0, 0, PING_PAYLOAD)
    this.#listener.onOutput()
  }

  close(): void {
    this.end({ reason: 'closed', kind: 'parting' }, ErrorCode.none)
  }

  /** `code`: sent to the peer; `null`: nothing. */
  end(end: SessionEnd, code: number | null = null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd(end)
    // Bytes not taken are never sent, so nobody processes them.
    const { taken } = this.#writer
    this.#writer.discard()
    if (code !== null) this.#writer.goaway(code)
    const streams = [...this.#streams.values()]
    this.#streams.clear()
    for (const { startsAt, listener } of streams) {
      listener.onOver({ kind: startsAt >= taken ? 'unprocessed' : 'unknown', reason: end.reason })
    }
    this.#listener.onOver()
  }

  #onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    // A flood costs us, and the peer nothing.
    const code =
      ++this.#idleFrames > MAX_IDLE_FRAMES
        ? ErrorCode.enhanceYourCalm
        : this.#codeOf(type, flags, stream, bytes, start, end)
    if (code !== ErrorCode.none) this.#fail(code)
    return !this.#isOver
  }

  #codeOf(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    // 6.10: nothing may interrupt a header block.
    const { openStream } = this.#blocks
    if (openStream !== null && (type !== FrameType.continuation || stream !== openStream)) return ErrorCode.protocol
    // 3.4: the peer starts with SETTINGS.
    if (!this.#isGreeted && (type !== FrameType.settings || (flags & Flag.ack) !== 0)) return ErrorCode.protocol
    switch (type) {
      case FrameType.headers:
        return this.#onHeaders(flags, stream, bytes, start, end)
      case FrameType.data:
        return this.#onData(flags, stream, bytes, start, end)
      case FrameType.windowUpdate:
        return this.#onWindowUpdate(stream, bytes, start, end)
      case FrameType.resetStream:
        return this.#onReset(stream, bytes, start, end)
      case FrameType.settings:
        return this.#onSettings(flags, stream, bytes.subarray(start, end))
      case FrameType.ping:
        return this.#onPing(flags, stream, bytes.subarray(start, end))
      case FrameType.goaway:
        return this.#onGoaway(stream, bytes.subarray(start, end))
      case FrameType.continuation:
        return this.#blocks.continue(flags, bytes.subarray(start, end))
      case FrameType.pushPromise:
        // 8.4: we disabled push.
        return ErrorCode.protocol
      case FrameType.priority:
        return stream === 0 ? ErrorCode.protocol : end - start === 5 ? ErrorCode.none : ErrorCode.frameSize
      default:
        // 4.1: unknown types are ignored.
        return ErrorCode.none
    }
  }

  #onHeaders(flags: number, stream: number, bytes: Buffer, start: number, end: number): number {
    const priorityBytes = (flags & Flag.priority) === 0 ? 0 : 5
    const from = start + (flags & Flag.padded ? 1 : 0) + priorityBytes
    const to = end - (flags & Flag.padded ? (bytes[start] ?? 0) : 0)
    if (stream === 0 || from > to) return from > end ? ErrorCode.frameSize : ErrorCode.protocol
    return this.#blocks.begin(flags, stream, bytes, from, to)
  }

  #onBlock(id: number, isEnd: boolean, fields: readonly HeaderField[]): number {
    const stream = this.#streams.get(id)
    if (stream === undefined) return this.#codeOfStray(id)
    this.#follow(stream, stream.headers(fields, isEnd), isEnd)
    return ErrorCode.none
  }

  #onData(flags: number, id: number, bytes: Buffer, start: number, end: number): number {
    const from = start + (flags & Flag.padded ? 1 : 0)
    const to = end - (flags & Flag.padded ? (bytes[start] ?? 0) : 0)
    if (id === 0 || from > to) return from > end ? ErrorCode.frameSize : ErrorCode.protocol
    // 6.9.1: padding counts, also on closed streams. Given back at half, so it never runs out.
    this.#receiveWindow -= end - start
    if (this.#receiveWindow < CONNECTION_WINDOW_BYTES / 2) {
      this.#writer.windowUpdate(0, CONNECTION_WINDOW_BYTES - this.#receiveWindow)
      this.#receiveWindow = CONNECTION_WINDOW_BYTES
    }
    const stream = this.#streams.get(id)
    if (stream === undefined) return this.#codeOfStray(id)
    const isEnd = (flags & Flag.endStream) !== 0
    if (!stream.admits(end - start, STREAM_WINDOW_BYTES))
      this.#break(stream, ErrorCode.flowControl, 'HTTP2FlowControlError')
    else this.#follow(stream, stream.data(bytes, from, to, isEnd), isEnd)
    return ErrorCode.none
  }

  #onWindowUpdate(id: number, bytes: Buffer, start: number, end: number): number {
    if (end - start !== 4) return ErrorCode.frameSize
    const more = bytes.readUInt32BE(start) & MAX_WINDOW_BYTES
    if (id === 0) {
      const code = this.#requests.widen(more)
      if (code !== ErrorCode.none) return code
    } else {
      const stream = this.#streams.get(id)
      if (stream === undefined) return this.#isIdle(id) ? ErrorCode.protocol : ErrorCode.none
      const isGood = stream.widen(more)
      // 6.9 and 6.9.1: stream errors.
      if (more === 0) this.#break(stream, ErrorCode.protocol, 'HTTP2ProtocolError')
      else if (!isGood) this.#break(stream, ErrorCode.flowControl, 'HTTP2FlowControlError')
    }
    this.#requests.writeBodies()
    return ErrorCode.none
  }

  #onReset(id: number, bytes: Buffer, start: number, end: number): number {
    if (end - start !== 4) return ErrorCode.frameSize
    const stream = this.#streams.get(id)
    if (stream === undefined) return id === 0 || this.#isIdle(id) ? ErrorCode.protocol : ErrorCode.none
    this.#streams.delete(id)
    this.#requests.forget(stream)
    // 8.7: "closed prior to any processing having occurred".
    const isRefused = bytes.readUInt32BE(start) === ErrorCode.refusedStream && !stream.hasBegun
    stream.listener.onOver(
      isRefused
        ? { kind: 'unprocessed', reason: 'HTTP2RefusedStream' }
        : { kind: 'unknown', reason: 'HTTP2StreamReset' },
    )
    return ErrorCode.none
  }

  #onSettings(flags: number, stream: number, payload: Buffer): number {
    if (stream !== 0) return ErrorCode.protocol
    if ((flags & Flag.ack) !== 0) {
      this.#watchdog.settingsAcknowledged()
      return payload.length === 0 ? ErrorCode.none : ErrorCode.frameSize
    }
    const before = this.#peer
    const settings = readPeerSettings(before, payload)
    if (typeof settings === 'number') return settings
    this.#peer = settings
    // 6.9.2: a window may become negative.
    for (const each of this.#streams.values()) {
      if (!each.widen(settings.initialWindowBytes - before.initialWindowBytes)) return ErrorCode.flowControl
    }
    this.#requests.adapt(settings)
    this.#writer.frame(FrameType.settings, Flag.ack, 0, NOTHING)
    this.#isGreeted = true
    this.#requests.writeBodies()
    this.#listener.onRoom()
    return ErrorCode.none
  }

  #onPing(flags: number, stream: number, payload: Buffer): number {
    if (stream !== 0) return ErrorCode.protocol
    if (payload.length !== 8) return ErrorCode.frameSize
    if ((flags & Flag.ack) === 0) this.#writer.frame(FrameType.ping, Flag.ack, 0, payload)
    else if (payload.equals(PING_PAYLOAD)) this.#watchdog.pingAnswered()
    return ErrorCode.none
  }

  #onGoaway(stream: number, payload: Buffer): number {
    if (stream !== 0) return ErrorCode.protocol
    if (payload.length < 8) return ErrorCode.frameSize
    const last = payload.readUInt32BE(0) & MAX_STREAM_ID
    // "Endpoints MUST NOT increase the value they send in the last stream identifier".
    if (last > this.#lastId) return ErrorCode.protocol
    this.#lastId = last
    const code = payload.readUInt32BE(4)
    const end = endByGoaway(code, payload.subarray(8))
    const { reason, word } = end
    if (code !== ErrorCode.none) this.#ending = end
    this.#listener.onEnd(end)
    for (const each of this.#streams.values()) {
      if (each.id <= last) continue
      this.#streams.delete(each.id)
      this.#requests.forget(each)
      this.#remember(each.id)
      each.listener.onOver({ kind: 'unprocessed', reason, word })
    }
    return ErrorCode.none
  }

  #follow(stream: Stream, step: StreamStep, isEnd: boolean): void {
    if (step === 'open') return
    if (step === 'malformed') return this.#break(stream, isEnd ? null : ErrorCode.protocol, 'HTTP2ProtocolError')
    if (step === 'wrong length') {
      return this.#break(stream, isEnd ? null : ErrorCode.protocol, 'HTTP2ContentLengthMismatch')
    }
    this.#idleFrames = 0
    this.#streams.delete(stream.id)
    // The rest is unwanted, or the peer may never take the whole body.
    if (step === 'too long' || stream.unsentBytes > 0) this.#giveUp(stream, ErrorCode.cancel)
    stream.listener.onOver(stream.answer())
  }

  /** `code`: `null` if the peer ended the stream. */
  #break(stream: Stream, code: number | null, reason: string): void {
    this.#streams.delete(stream.id)
    if (code !== null || stream.unsentBytes > 0) this.#giveUp(stream, code ?? ErrorCode.cancel)
    stream.listener.onOver({ kind: 'unknown', reason })
  }

  #giveUp(stream: Stream, code: number): void {
    this.#requests.forget(stream)
    this.#writer.resetStream(stream.id, code)
    this.#remember(stream.id)
  }

  #remember(id: number): void {
    this.#givenUp.add(id)
    forgetOldest(this.#givenUp, MAX_GIVEN_UP)
  }

  /** 5.1: an answer on a stream that is not open. */
  #codeOfStray(id: number): number {
    if (this.#isIdle(id)) return ErrorCode.protocol
    return this.#givenUp.has(id) ? ErrorCode.none : ErrorCode.streamClosed
  }

  /** Even ids are the peer's, which opens none. */
  #isIdle(id: number): boolean {
    return id % 2 === 0 || id >= this.#nextId
  }

  /** Nothing after a broken rule can be understood. */
  #fail(code: number): void {
    this.end({ reason: REASON[code] ?? 'HTTP2ProtocolError', kind: 'protocol' }, code)
  }
}
