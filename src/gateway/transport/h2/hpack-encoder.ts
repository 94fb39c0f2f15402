import type { TransportOptions, TransportRequest } from '../transport.ts'
import { DEFAULT_TABLE_BYTES, DynamicTable, ENTRY_BYTES, STATIC_TABLE } from './header-table.ts'

/*
 * As Apple asks ("Sending notification requests to APNs"): `:path` and `authorization` are literals without indexing;
 * of `apns-id`, `apns-expiration` and `apns-collapse-id` only the name is indexed; everything else is indexed, and one
 * byte from then on. Other gateways get the same, except for `HpackOptions`.
 */

export type HpackOptions = Pick<TransportOptions, 'indexesAuthorization'>

const CONTENT_LENGTH = 'content-length'

/** The last two are web push's. */
const NAME_ONLY: ReadonlySet<string> = new Set(['apns-id', 'apns-expiration', 'apns-collapse-id', 'ttl', 'topic'])

/** A field's first bits, and the largest integer beside them (RFC 7541, 5.1 and 6). */
interface Form {
  readonly flags: number
  readonly prefix: number
}
const INDEXED: Form = { flags: 0x80, prefix: 0x7f }
const INDEXING: Form = { flags: 0x40, prefix: 0x3f }
const WITHOUT_INDEXING: Form = { flags: 0x00, prefix: 0x0f }
const SIZE_UPDATE: Form = { flags: 0x20, prefix: 0x1f }
const STRING: Form = { flags: 0x00, prefix: 0x7f }

/** `:method POST` and `:scheme https` (RFC 7541, appendix A). */
const METHOD_AND_SCHEME = [0x83, 0x87]
const PATH_INDEX = 4
const CONTENT_LENGTH_INDEX = 28

export interface PreparedBlock {
  /** In another version of the table, an index may mean another field. */
  readonly version: number
  readonly ownName: string | null
  /** The block up to the path, and after it. */
  readonly before: Buffer
  readonly after: Buffer
  /** The request's own field up to its value; `null`: in `after`, or none. */
  readonly own: Buffer | null
}

/** Prepares a connection's header blocks in order (RFC 7541), for POST over https. */
export class HpackEncoder {
  readonly #authority: string
  readonly #literal: ReadonlySet<string>
  readonly #table = new DynamicTable()
  readonly #prepared = new WeakMap<TransportRequest['headers'], PreparedBlock>()
  /** To announce: the smallest, and the last. */
  #resizes: number[] = []

  constructor(authority: string, { indexesAuthorization = false }: HpackOptions = {}) {
    this.#authority = authority
    this.#literal = new Set(indexesAuthorization ? [CONTENT_LENGTH] : [CONTENT_LENGTH, 'authorization'])
  }

  /** SETTINGS_HEADER_TABLE_SIZE, in bytes. We use at most the default. */
  resize(tableBytes: number): void {
    const bytes = Math.min(tableBytes, DEFAULT_TABLE_BYTES)
    if (bytes === this.#table.maxBytes) return
    this.#resizes = [Math.min(bytes, ...this.#resizes), bytes]
    this.#table.resize(bytes)
  }

  /** To be sent before another is prepared. */
  prepare({ headers, own }: TransportRequest): PreparedBlock {
    const known = this.#prepared.get(headers)
    const ownName = own === undefined ? null : own[0]
    const isGood = known !== undefined && known.version === this.#table.version && known.ownName === ownName
    if (isGood && this.#resizes.length === 0) return known

    const block = new ByteList()
    // RFC 7541, 4.2: the next block begins with it.
    const isFirst = this.#resizes.length > 0
    for (const bytes of new Set(this.#resizes.splice(0))) block.integer(SIZE_UPDATE, bytes)
    const version = isFirst ? UNUSABLE : this.#table.version
    block.raw(METHOD_AND_SCHEME)
    this.#field(block, ':authority', this.#authority)
    const before = block.take()
    for (const [name, value] of Object.entries(headers)) this.#field(block, name, value)
    const isKnown = ownName !== null && (this.#indexOf(ownName) > 0 || !this.#fits(ownName, own?.[1] ?? ''))
    if (own !== undefined && !isKnown) this.#field(block, own[0], own[1])
    const after = block.take()
    if (isKnown) this.#name(block, WITHOUT_INDEXING, ownName)
    const prepared = { version, ownName, before, after, own: isKnown ? block.take() : null }
    this.#prepared.set(headers, prepared)
    return prepared
  }

  #field(block: ByteList, name: string, value: string): void {
    const isWhole = !this.#literal.has(name) && !NAME_ONLY.has(name)
    const index = isWhole ? this.#indexOf(name, value) : 0
    if (index > 0) return block.integer(INDEXED, index)
    const isNew = isWhole || (NAME_ONLY.has(name) && this.#indexOf(name) === 0)
    const isInserted = isNew && this.#fits(name, value)
    this.#name(block, isInserted ? INDEXING : WITHOUT_INDEXING, name)
    block.string(value)
    if (isInserted) this.#table.insert({ name, value })
  }

  #name(block: ByteList, form: Form, name: string): void {
    const index = this.#indexOf(name)
    block.integer(form, index)
    if (index === 0) block.string(name)
  }

  #fits(name: string, value: string): boolean {
    return name.length + value.length + ENTRY_BYTES <= this.#table.maxBytes
  }

  /** Without `value`: any. 0: none. */
  #indexOf(name: string, value?: string): number {
    const fits = (entry: { readonly name: string; readonly value: string }) =>
      entry.name === name && (value === undefined || entry.value === value)
    return STATIC_TABLE.findIndex(fits) + 1 || this.#table.find(fits)
  }
}

/** A block with a table size works only once. */
const UNUSABLE = -1

/** Five integers of 1, 4, 2, 1 and 4 bytes, and the digits of a length. */
const MORE_BYTES = 12 + String(Number.MAX_SAFE_INTEGER).length

/** The most that `writeBlock` writes. */
export function maxBlockBytes({ before, after, own: ownName }: PreparedBlock, { path, own }: TransportRequest): number {
  return before.length + path.length + after.length + (ownName?.length ?? 0) + (own?.[1].length ?? 0) + MORE_BYTES
}

/** Returns where the block ends. */
export function writeBlock(
  buffer: Buffer,
  start: number,
  block: PreparedBlock,
  { path, own }: TransportRequest,
  bodyBytes: number,
): number {
  let at = start + block.before.copy(buffer, start)
  at = writeInteger(buffer, at, WITHOUT_INDEXING, PATH_INDEX)
  at = writeString(buffer, at, path)
  at = writeInteger(buffer, at, WITHOUT_INDEXING, CONTENT_LENGTH_INDEX)
  at = writeString(buffer, at, String(bodyBytes))
  at += block.after.copy(buffer, at)
  if (block.own === null) return at
  at += block.own.copy(buffer, at)
  return writeString(buffer, at, own?.[1] ?? '')
}

/** RFC 7541, 5.1. `bytes` must have room for four more. */
function writeInteger(bytes: { [at: number]: number }, start: number, { flags, prefix }: Form, value: number): number {
  let at = start
  if (value < prefix) {
    bytes[at++] = flags | value
    return at
  }
  bytes[at++] = flags | prefix
  let rest = value - prefix
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at++] = rest
  return at
}

/** RFC 7541, 5.2, without the Huffman code. `text` is Latin-1. */
function writeString(buffer: Buffer, start: number, text: string): number {
  const at = writeInteger(buffer, start, STRING, text.length)
  return at + buffer.write(text, at, 'latin1')
}

class ByteList {
  #bytes: number[] = []

  raw(bytes: readonly number[]): void {
    this.#bytes.push(...bytes)
  }

  integer(form: Form, value: number): void {
    writeInteger(this.#bytes, this.#bytes.length, form, value)
  }

  string(text: string): void {
    this.integer(STRING, text.length)
    this.raw(Buffer.from(text, 'latin1').toJSON().data)
  }

  take(): Buffer {
    return Buffer.from(this.#bytes.splice(0))
  }
}
