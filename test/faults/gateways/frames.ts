/* Frames that node:http2 does not send, or not as they are wanted (RFC 9113, 4.1 and 6). */
const HEADERS = 1
const RST_STREAM = 3
const GOAWAY = 7
const CONTINUATION = 9

const END_STREAM = 1
const END_HEADERS = 4

/** Of a header block that is spread over many frames. A length of HPACK is one byte up to 126. */
const PADDING = 'x'.repeat(120)
const FRAGMENT_BYTES = 1

export function resetFrame(stream: number, code: number): Buffer {
  return frame(RST_STREAM, 0, stream, numbers(code))
}

export function goawayFrame(lastStream: number, code: number): Buffer {
  return frame(GOAWAY, 0, 0, numbers(lastStream, code))
}

/** An answer without a body, its head in as many CONTINUATION frames as it has bytes. */
export function floodOf(stream: number, headers: Readonly<Record<string, string>>): Buffer {
  const block = literals({ ...headers, 'x-padding': PADDING })
  const frames = [frame(HEADERS, END_STREAM, stream, block.subarray(0, FRAGMENT_BYTES))]
  for (let at = FRAGMENT_BYTES; at < block.length; at += FRAGMENT_BYTES) {
    const flags = at + FRAGMENT_BYTES >= block.length ? END_HEADERS : 0
    frames.push(frame(CONTINUATION, flags, stream, block.subarray(at, at + FRAGMENT_BYTES)))
  }
  return Buffer.concat(frames)
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Of 32 bits each. */
function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

/** HPACK without its tables and its Huffman code (RFC 7541, 6.2.2). */
function literals(headers: Readonly<Record<string, string>>): Buffer {
  const literal = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  )
}
