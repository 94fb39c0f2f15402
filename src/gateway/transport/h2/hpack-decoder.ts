import { DEFAULT_TABLE_BYTES, DynamicTable, ENTRY_BYTES } from './header-table.ts'
import type { HeaderField } from './header-table.ts'
import { decodeHuffman } from './huffman.ts'

export type HpackFault =
  /** Not HPACK (RFC 9113, 4.3: COMPRESSION_ERROR). */
  | 'malformed'
  /** Over `MAX_LIST_BYTES`: perhaps a compression bomb. */
  | 'too large'

/** SETTINGS_MAX_HEADER_LIST_SIZE. Gateways send a few hundred bytes. */
export const MAX_LIST_BYTES = 16_384

/** Decodes a connection's header blocks, in order (RFC 7541). */
export class HpackDecoder {
  readonly #table = new DynamicTable()
  #source: Buffer = NOTHING
  #at = 0
  #end = 0

  decode(source: Buffer, start: number, end: number): readonly HeaderField[] | HpackFault {
    this.#source = source
    this.#at = start
    this.#end = end
    const fields: HeaderField[] = []
    let room = MAX_LIST_BYTES
    while (this.#at < end) {
      const first = source[this.#at] ?? 0
      // 6.3: a size update, which must come first (4.2).
      if ((first & 0xe0) === 0x20) {
        const bytes = this.#integer(0x1f)
        if (bytes < 0 || bytes > DEFAULT_TABLE_BYTES || fields.length > 0) return 'malformed'
        this.#table.resize(bytes)
        continue
      }
      const field = first >= 0x80 ? this.#indexed() : this.#literal(first)
      if (field === undefined) return 'malformed'
      room -= field.name.length + field.value.length + ENTRY_BYTES
      if (room < 0) return 'too large'
      fields.push(field)
    }
    return fields
  }

  /** 6.1. */
  #indexed(): HeaderField | undefined {
    const index = this.#integer(0x7f)
    return index > 0 ? this.#table.at(index) : undefined
  }

  /** 6.2: with incremental indexing, without, and never indexed. */
  #literal(first: number): HeaderField | undefined {
    const isInserted = first >= 0x40
    const index = this.#integer(isInserted ? 0x3f : 0x0f)
    if (index < 0) return undefined
    const name = index === 0 ? this.#string() : this.#table.at(index)?.name
    const value = this.#string()
    if (name === undefined || value === undefined) return undefined
    const field = { name, value }
    if (isInserted) this.#table.insert(field)
    return field
  }

  /** 5.1. -1: none, or too large. */
  #integer(prefix: number): number {
    let value = (this.#source[this.#at++] ?? 0) & prefix
    if (value < prefix) return value
    for (let shift = 0; shift <= MAX_SHIFT; shift += 7) {
      if (this.#at >= this.#end) return -1
      const byte = this.#source[this.#at++] ?? 0
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return -1
  }

  /** 5.2. */
  #string(): string | undefined {
    if (this.#at >= this.#end) return undefined
    const isHuffman = (this.#source[this.#at] ?? 0) >= 0x80
    const bytes = this.#integer(0x7f)
    const start = this.#at
    if (bytes < 0 || start + bytes > this.#end) return undefined
    this.#at += bytes
    if (isHuffman) return decodeHuffman(this.#source, start, this.#at) ?? undefined
    return this.#source.toString('latin1', start, this.#at)
  }
}

/** Five bytes after the prefix would be 2^28 and more. */
const MAX_SHIFT = 21

const NOTHING = Buffer.alloc(0)
