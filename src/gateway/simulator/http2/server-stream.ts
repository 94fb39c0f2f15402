import { MIN_MAX_FRAME_BYTES } from '../../transport/h2/frames.ts'
import type { HeaderField } from '../../transport/h2/header-table.ts'

/** More than any gateway accepts. */
const MAX_BODY_BYTES = 65_536

export interface Carrier {
  isAnswered(stream: ServerStream): boolean
  isOpen(stream: ServerStream): boolean
  respond(stream: ServerStream, headers: Readonly<Record<string, string>>, end: boolean, pieces: number): void
  write(stream: ServerStream, bytes: Buffer, end: boolean): void
  reset(stream: ServerStream, code: number): void
}

/** Nothing is written to a closed stream. */
export class ServerStream {
  readonly id: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly repeatedHeaders: boolean
  readonly #connection: Carrier
  readonly #pieces: Buffer[] = []
  #bodyBytes = 0

  constructor(id: number, connection: Carrier, fields: readonly HeaderField[]) {
    this.id = id
    this.#connection = connection
    const headers = new Map<string, string>()
    for (const { name, value } of fields) {
      const before = headers.get(name)
      headers.set(name, before === undefined ? value : `${before}, ${value}`)
    }
    this.headers = Object.fromEntries(headers)
    this.repeatedHeaders = headers.size < fields.length
  }

  get method(): string {
    return this.headers[':method'] ?? ''
  }

  get path(): string {
    return this.headers[':path'] ?? ''
  }

  get isAnswered(): boolean {
    return this.#connection.isAnswered(this)
  }

  get isOpen(): boolean {
    return this.#connection.isOpen(this)
  }

  get body(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  take(piece: Buffer): void {
    if (this.#bodyBytes < MAX_BODY_BYTES) this.#pieces.push(Buffer.from(piece))
    this.#bodyBytes += piece.length
  }

  /** `end`: no body follows. `pieces`: bytes per frame of the header block. Default: as few frames as possible. */
  respond(
    status: number,
    headers: Readonly<Record<string, string>> = {},
    { end = true, pieces = MIN_MAX_FRAME_BYTES }: { readonly end?: boolean; readonly pieces?: number | undefined } = {},
  ): void {
    this.#connection.respond(this, { ':status': String(status), ...headers }, end, pieces)
  }

  write(body: string | Uint8Array, { end = true }: { readonly end?: boolean } = {}): void {
    this.#connection.write(this, Buffer.from(body), end)
  }

  reset(code: number): void {
    this.#connection.reset(this, code)
  }
}
