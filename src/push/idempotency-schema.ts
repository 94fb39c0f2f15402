import { DAY_MS } from '../clock.ts'
import { failure, loggedAs, Refused } from '../failure.ts'
import type { JsonSchema } from '../http/fields.ts'

/** Visible ASCII (RFC 5234, VCHAR): no proxy changes it. */
const KEY = /^[\x21-\x7e]{1,255}$/

const NAME = 'Idempotency-Key'

export const KEEP_KEYS_MS = 30 * DAY_MS

export const IDEMPOTENCY_KEY: JsonSchema = {
  name: NAME,
  in: 'header',
  required: false,
  description:
    'Makes a repeated call safe: for 30 days, the same key with the same path and body gets the first answer, and nothing is sent again. Another body gets 409. Only accepted calls are remembered. Member order and white space do not matter. 1 to 255 visible ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'order-17-paid',
}

/** Throws `Refused` for an invalid one. */
export function keyOf(headers: Headers): string | null {
  const key = headers.get(NAME)
  if (key === null || KEY.test(key)) return key
  throw new Refused(failure('InvalidArgument', `${NAME} must be 1 to 255 visible ASCII characters.`))
}

/** SHA-256 of the call, such as `POST /push/all`, and the `known` fields. */
export function digestOf(call: string, given: Readonly<Record<string, unknown>>, known: readonly string[]): Uint8Array {
  const fields = known.filter((name) => name in given).map((name) => [name, given[name]])
  return new Bun.CryptoHasher('sha256').update(`${call} ${canonical(Object.fromEntries(fields))}`).digest()
}

/** A call with an Idempotency-Key. */
export interface RepeatableCall {
  readonly key: string
  readonly digest: Uint8Array
}

type Earlier = Pick<RepeatableCall, 'digest'>

export function isSame({ digest }: RepeatableCall, earlier: Earlier): boolean {
  return Buffer.compare(earlier.digest, digest) === 0
}

/** Whether the call was answered before. Throws `Refused` if another one had its key. */
export function isRepeat<T extends Earlier>(call: RepeatableCall, earlier: T | null): earlier is T {
  if (earlier === null || isSame(call, earlier)) return earlier !== null
  throw conflict((key) => `${key} was used for another push: with another path or body.`, call.key)
}

export function isOut(key: string): Refused {
  return conflict((named) => `The push of ${named} was already sent: it cannot be replaced.`, key)
}

function conflict(sentence: (key: string) => string, key: string): Refused {
  return new Refused(loggedAs(failure('ConflictError', sentence(`${NAME} ${key}`)), sentence(NAME)))
}

/** JSON with sorted keys. Not recursive: a body may be nested as deep as it is long. */
function canonical(value: unknown): string {
  const pieces: string[] = []
  const open: Container[] = []
  write(value)
  for (let container = open.at(-1); container !== undefined; container = open.at(-1)) {
    const { names, values, written } = container
    if (written === values.length) {
      pieces.push(names === null ? ']' : '}')
      open.pop()
      continue
    }
    if (written > 0) pieces.push(',')
    if (names !== null) pieces.push(JSON.stringify(names[written]), ':')
    container.written++
    write(values[written])
  }
  return pieces.join('')

  function write(inner: unknown): void {
    if (Array.isArray(inner)) {
      pieces.push('[')
      open.push({ names: null, values: inner, written: 0 })
    } else if (typeof inner === 'object' && inner !== null) {
      const members = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
      pieces.push('{')
      open.push({ names: members.map(([name]) => name), values: members.map(([, one]) => one), written: 0 })
    } else pieces.push(JSON.stringify(inner))
  }
}

/** Written up to member `written`; `names` only for an object. */
interface Container {
  readonly names: readonly string[] | null
  readonly values: readonly unknown[]
  written: number
}
