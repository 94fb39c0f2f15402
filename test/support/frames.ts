import type { TLSSocket } from 'node:tls'

/** RFC 9113, 4.1. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly id: number
  readonly payload: Buffer
}

const HEAD_BYTES = 9
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

export function frame(type: number, flags: number, id: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

/** Calls back for each frame of a client, once its preface has come. */
export function readFrames(socket: TLSSocket, onFrame: (frame: Frame) => void): void {
  let rest = Buffer.alloc(0)
  let greeted = false
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!greeted) {
      if (rest.length < PREFACE.length) return
      greeted = true
      rest = rest.subarray(PREFACE.length)
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
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  )
}

function literal(text: string): Buffer {
  if (text.length > 126) throw new Error('longer than this encoder writes')
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}
