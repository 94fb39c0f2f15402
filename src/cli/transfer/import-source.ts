import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import type { ZlibOptions } from 'node:zlib'
import { codeOf } from '../../text/error-code.ts'

const { Z_SYNC_FLUSH } = constants

export interface Source {
  /** Unpacked. */
  readonly head: Uint8Array
  /** Bytes on disk; `null`: unknown. */
  readonly size: number | null
  readonly print: FilePrint | null
  /** `offset`: unpacked. Throws `CutShort` if a packed file ends too soon. */
  chunks(offset: number): AsyncGenerator<Uint8Array, void>
  read(): number
  isChanged(): boolean
}

export interface FilePrint {
  readonly size: number
  /** ms since the Unix epoch, with a fraction. */
  readonly mtimeMs: number
  /** SHA-256 of its first megabyte, in hex. */
  readonly begins: string
}

export class CutShort extends Error {}

const HEAD_BYTES = 64 * 1024
const CHUNK_BYTES = 256 * 1024
const PRINT_BYTES = 1024 * 1024

export async function openFile(path: string): Promise<Source> {
  const begin = firstBytes(path, PRINT_BYTES)
  const isPacked = isGzip(begin)
  const { size, mtimeMs } = statSync(path)
  const print = { size, mtimeMs, begins: new Bun.CryptoHasher('sha256').update(begin).digest('hex') }
  let read = () => 0
  return {
    head: isPacked ? await unpackedHead(begin) : begin.subarray(0, HEAD_BYTES),
    size,
    print,
    read: () => read(),
    isChanged() {
      const now = statSync(path, { throwIfNoEntry: false })
      return now?.size !== size || now.mtimeMs !== mtimeMs
    },
    async *chunks(offset) {
      const start = isPacked ? 0 : offset
      const file = createReadStream(path, { start, highWaterMark: CHUNK_BYTES })
      read = () => start + file.bytesRead
      yield* isPacked ? skipped(unpacked(file), offset) : file
    },
  }
}

export async function openInput(stream: AsyncIterable<Uint8Array>): Promise<Source> {
  const chunks = stream[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEAD_BYTES) {
    const next = await chunks.next()
    if (next.done === true) break
    first.push(next.value)
    length += next.value.length
  }
  const begin = Buffer.concat(first)
  const isPacked = isGzip(begin)
  let read = 0

  async function* all(): AsyncGenerator<Uint8Array, void> {
    read = begin.length
    yield begin
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      read += next.value.length
      yield next.value
    }
  }

  return {
    head: isPacked ? await unpackedHead(begin) : begin.subarray(0, HEAD_BYTES),
    size: null,
    print: null,
    read: () => read,
    isChanged: () => false,
    chunks: (offset) => skipped(isPacked ? unpacked(Readable.from(all())) : all(), offset),
  }
}

function firstBytes(path: string, max: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(max)
    let length = 0
    for (let got = -1; got !== 0 && length < max; length += got) got = readSync(file, bytes, length, max - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** RFC 1952, 2.3.1. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** A gigabyte of zeros is a megabyte packed. */
async function unpackedHead(begin: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  // Input may be cut off here, or later: a read to the end will tell.
  for await (const part of unpacked(Readable.from([begin]), { chunkSize: HEAD_BYTES, finishFlush: Z_SYNC_FLUSH })) {
    parts.push(part)
    length += part.length
    if (length >= HEAD_BYTES) break
  }
  if (length > 0) return Buffer.concat(parts).subarray(0, HEAD_BYTES)
  try {
    // Empty input gives nothing; input cut short throws.
    return gunzipSync(begin)
  } catch (error) {
    throw cutShort(error)
  }
}

async function* unpacked(
  packed: Readable,
  options: ZlibOptions = { chunkSize: CHUNK_BYTES },
): AsyncGenerator<Uint8Array, void> {
  // The second reports failures of both.
  const gunzip = pipeline(packed, createGunzip(options), () => {})
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array
  } catch (error) {
    throw cutShort(error)
  }
}

/** Only zlib's errors. */
function cutShort(error: unknown): unknown {
  const code = codeOf(error)
  if (code?.startsWith('Z_') !== true) return error
  return new CutShort(code === 'Z_BUF_ERROR' ? 'it ends too soon' : 'it is damaged', { cause: error })
}

async function* skipped(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void> {
  let left = bytes
  for await (const chunk of chunks) {
    const from = Math.min(left, chunk.length)
    left -= from
    if (from < chunk.length) yield chunk.subarray(from)
  }
}
