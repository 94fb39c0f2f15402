import { Connection } from '../../../../src/gateway/transport/h2/connection.ts'
import type { ConnectionListener } from '../../../../src/gateway/transport/h2/connection.ts'
import type { InFlight, Requested, SessionEnd } from '../../../../src/gateway/transport/session.ts'
import type { TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import {
  ACK,
  frame,
  GOAWAY,
  HEAD_BYTES,
  headerFrames,
  PREFACE_BYTES,
  SETTINGS,
  settingsFrame,
} from '../../../support/frames.ts'
import type { Frame } from '../../../support/frames.ts'

/** RFC 9113, 7. */
export const NO_ERROR = 0
export const PROTOCOL_ERROR = 1
export const INTERNAL_ERROR = 2
export const FLOW_CONTROL_ERROR = 3
export const SETTINGS_TIMEOUT = 4
export const STREAM_CLOSED = 5
export const FRAME_SIZE_ERROR = 6
export const REFUSED_STREAM = 7
export const CANCEL = 8
export const COMPRESSION_ERROR = 9
export const ENHANCE_YOUR_CALM = 11

/** A request that was sent, and its result so far. */
export interface Sent {
  readonly inFlight: InFlight
  /** `null`: not over. More than one would be a bug. */
  requested: Requested | null
}

/** A connection without a socket, and a record of what it says. */
export interface Client {
  readonly connection: Connection
  readonly ends: readonly SessionEnd[]
  /** How often there may have been more room. */
  readonly rooms: number
  readonly isOver: boolean
  send(request?: Partial<TransportRequest>): Sent
  receive(...frames: readonly Uint8Array[]): void
  /** Takes what is to be written, without the connection preface. */
  output(): Frame[]
  /** The error codes of the GOAWAY frames in the output, which is taken. */
  farewell(): number[]
}

/** A client whose connection has said its greeting, and heard none. */
export function openClient(): Client {
  const ends: SessionEnd[] = []
  let rooms = 0
  let isOver = false
  const listener: ConnectionListener = {
    onRoom: () => void rooms++,
    onEnd: (end) => void ends.push(end),
    onOutput: () => undefined,
    onOver() {
      if (isOver) throw new Error('over twice')
      isOver = true
    },
  }
  const connection = new Connection('gateway.test', listener)
  let isGreeting = true

  function output(): Frame[] {
    const bytes = connection.takeOutput()
    if (bytes === null) return []
    const frames = framesIn(Buffer.from(isGreeting ? bytes.subarray(PREFACE_BYTES) : bytes))
    isGreeting = false
    connection.giveBack(bytes)
    return frames
  }

  return {
    connection,
    ends,
    get rooms() {
      return rooms
    },
    get isOver() {
      return isOver
    },
    send(request) {
      const sent: { inFlight: InFlight; requested: Requested | null } = { inFlight: NOT_YET, requested: null }
      sent.inFlight = connection.send(
        { path: '/3/device/ab', headers: HEADERS, body: '{}', ...request },
        {
          onOver(requested) {
            if (sent.requested !== null) throw new Error('over twice')
            sent.requested = requested
          },
        },
      )
      return sent
    },
    receive: (...frames) => connection.receive(Buffer.concat(frames)),
    output,
    farewell: () =>
      output()
        .filter(({ type }) => type === GOAWAY)
        .map(({ payload }) => payload.readUInt32BE(4)),
  }
}

/** A client whose peer has greeted with `settings` and acknowledged the client's; its own greeting is taken. */
export function openGreeted(settings: Parameters<typeof settingsFrame>[0] = []): Client {
  const client = openClient()
  client.receive(settingsFrame(settings), frame(SETTINGS, ACK, 0))
  client.output()
  return client
}

/** An answer of a header block alone. */
export function answer(id: number, status = 200): Buffer {
  return headerFrames(id, { ':status': String(status) }, { end: true })
}

/** Headers of an answer whose body follows. */
export function answerHead(id: number, headers: Readonly<Record<string, string>> = {}): Buffer {
  return headerFrames(id, { ':status': '200', ...headers }, { end: false })
}

const HEADERS = { 'apns-topic': 'com.example.app' }
const NOT_YET: InFlight = { cancel: () => true }

/** An exception where they are none. */
function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  for (let at = 0; at < bytes.length;) {
    const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3)
    if (end > bytes.length) throw new Error(`no frame: ${bytes.toString('hex', at, at + HEAD_BYTES)}`)
    const payload = Buffer.from(bytes.subarray(at + HEAD_BYTES, end))
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      id: bytes.readUInt32BE(at + 5),
      payload,
    })
    at = end
  }
  return frames
}
