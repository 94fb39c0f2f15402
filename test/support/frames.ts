/** RFC 9113, 4.1. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly id: number
  readonly payload: Buffer
}

/** RFC 9113, 6. */
export const DATA = 0
export const HEADERS = 1
export const PRIORITY = 2
export const RST_STREAM = 3
export const SETTINGS = 4
export const PING = 6
export const PUSH_PROMISE = 5
export const GOAWAY = 7
export const WINDOW_UPDATE = 8
export const CONTINUATION = 9

/** Flags. */
export const END_STREAM = 1
export const END_HEADERS = 4
export const PADDED = 8
export const PRIORITIZED = 32
export const ACK = 1

/** Settings. */
export const MAX_CONCURRENT_STREAMS = 3
export const INITIAL_WINDOW_SIZE = 4

export const HEAD_BYTES = 9
/** RFC 9113, 3.4. */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
export const PREFACE_BYTES = PREFACE.length

export function frame(type: number, flags: number, id: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

/** `settings`: identifiers with their values. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[] = []): Buffer {
  return frame(SETTINGS, 0, 0, Buffer.concat(settings.flatMap(([id, value]) => [Buffer.from([0, id]), uint32(value)])))
}

/** `id`: 0 is the connection. */
export function windowFrame(id: number, bytes: number): Buffer {
  return frame(WINDOW_UPDATE, 0, id, uint32(bytes))
}

export function goawayFrame(lastId: number, code: number, debugData = ''): Buffer {
  return frame(GOAWAY, 0, 0, Buffer.concat([uint32(lastId), uint32(code), Buffer.from(debugData)]))
}

export function resetFrame(id: number, code: number): Buffer {
  return frame(RST_STREAM, 0, id, uint32(code))
}

/** `pieces`: bytes of each frame, CONTINUATION after the first; default all in one. `end`: no body follows. */
export function headerFrames(
  id: number,
  headers: Readonly<Record<string, string>>,
  { end, pieces }: { readonly end: boolean; readonly pieces?: number | undefined },
): Buffer {
  const block = headerBlock(headers)
  const length = pieces ?? block.length
  const frames: Buffer[] = []
  for (let at = 0; at < block.length; at += length) {
    const flags = (at === 0 && end ? END_STREAM : 0) | (at + length >= block.length ? END_HEADERS : 0)
    frames.push(frame(at === 0 ? HEADERS : CONTINUATION, flags, id, block.subarray(at, at + length)))
  }
  return Buffer.concat(frames)
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** What a client's bytes come from. */
interface ByteSource {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
}

/** Calls back for each frame of a client, once its preface has come. */
export function readFrames(socket: ByteSource, onFrame: (frame: Frame) => void): void {
  let rest = Buffer.alloc(0)
  let greeted = false
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!greeted) {
      if (rest.length < PREFACE_BYTES) return
      greeted = true
      rest = rest.subarray(PREFACE_BYTES)
    }
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3)
      if (rest.length < end) return
      onFrame({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        id: rest.readUInt32BE(5),
        payload: rest.subarray(HEAD_BYTES, end),
      })
      rest = rest.subarray(end)
    }
  })
}

/** HPACK without its tables and its Huffman code: each field a literal (RFC 7541, 6.2.2). */
function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  )
}

function literal(text: string): Buffer {
  if (text.length > 126) throw new Error('longer than this encoder writes')
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}
