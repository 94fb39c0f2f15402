import { failure, Refused } from '../failure.ts'
import type { JsonSchema } from '../http/fields.ts'

/** Visible ASCII (RFC 5234, VCHAR), so that no proxy changes it on its way. */
const KEY = /^[\x21-\x7e]{1,255}$/

const NAME = 'Idempotency-Key'

/** How long a key is remembered. */
export const KEEP_KEYS_MS = 30 * 24 * 60 * 60 * 1000

export const IDEMPOTENCY_KEY: JsonSchema = {
  name: NAME,
  in: 'header',
  required: false,
  description:
    'Makes a repeat harmless: the same key with the same path and body is answered as the first time for 30 days, and nothing more is sent. With another body it is 409. Only what was accepted is remembered. The order of members and white space do not count. 1 to 255 visible ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** The key of a call; `null` where it has none. Throws `Refused` for what cannot be one. */
export function keyOf(headers: Headers): string | null {
  const key = headers.get(NAME)
  if (key === null || KEY.test(key)) return key
  throw new Refused(failure('InvalidArgument', `${NAME} must be 1 to 255 visible ASCII characters.`))
}

/** SHA-256 of what a call asks for: its path, and the fields of its body that `known` names. */
export function digestOf(path: string, given: Readonly<Record<string, unknown>>, known: readonly string[]): Uint8Array {
  const fields = known.filter((name) => name in given).map((name) => [name, given[name]])
  return new Bun.CryptoHasher('sha256').update(`POST ${path} ${canonical(Object.fromEntries(fields))}`).digest()
}

/** JSON with the members of objects in the order of their names. Not recursive: what is sent may be as deep as it is long. */
function canonical(value: unknown): string {
  let text = ''
  // What is still to be written, the next one last; a string here is text as it stands.
  const left: (string | { readonly value: unknown })[] = [{ value }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') text += next
    else if (typeof next.value !== 'object' || next.value === null) text += JSON.stringify(next.value)
    else open(next.value)
  }
  return text

  function open(container: object): void {
    const isList = Array.isArray(container)
    const members = Object.entries(container)
    if (!isList) members.sort(([a], [b]) => (a < b ? -1 : 1))
    text += isList ? '[' : '{'
    left.push(isList ? ']' : '}')
    for (const [at, [name, inner]] of [...members.entries()].reverse()) {
      left.push({ value: inner }, `${at === 0 ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`)
    }
  }
}
