import { BELLHOP_EXPORT } from './bellhop-lines.ts'
import { csvCellsOf, separatorOf } from './csv.ts'
import { firebase, TOKEN_FIELDS, TOKENS_FIELDS } from './firebase.ts'
import { onesignal } from './onesignal.ts'
import { parse } from './parse.ts'
import type { Format, FormatName } from './record.ts'
import { sns } from './sns.ts'
import type { JsonShape } from './split-json.ts'

export type Shape =
  | { readonly kind: 'csv'; readonly separator: string; readonly columns: readonly string[] }
  /** A JSON text on each line. */
  | { readonly kind: 'lines' }
  | ({ readonly kind: 'json' } & JsonShape)

export const FOREIGN_FORMATS: { readonly [Name in FormatName]?: Format } = { onesignal, parse, firebase, sns }

/**
 * Finds the format of a file from its beginning.
 *
 * @param head its first bytes, unpacked; at least its first line, if that is shorter than 64 KiB
 * @param told the format that the user has named; `null`: none
 */
export function detect(
  head: Uint8Array,
  told: FormatName | null,
): { readonly kind: 'found'; readonly name: FormatName; readonly shape: Shape } | NotRead {
  const other = otherFile(head)
  if (other !== null) return notRead(other)
  const text = new TextDecoder().decode(head)
  if (text.trim() === '') return notRead('is empty.')
  const isJson = /^\s*[[{]/.test(text)
  if (isJson) {
    const keys = keysIn(text)
    const name = told ?? jsonFormat(text, keys)
    if (name === null) {
      return notRead(`is JSON in which nothing is called as a token would be (${TOKEN_FIELDS.slice(0, 4).join(', ')}).`)
    }
    if (name === 'csv') return notRead('is JSON, and no CSV.')
    return { kind: 'found', name, shape: name === 'bellhop' ? { kind: 'lines' } : jsonShape(text, keys, name) }
  }
  if (told !== null && told !== 'csv' && told !== 'onesignal') return notRead('is no JSON.')
  const header = text.trimStart().split(/\r?\n/, 1)[0] ?? ''
  const separator = separatorOf(header)
  const columns = csvCellsOf(header, separator).map((column) => column.trim())
  const isOneSignal = ['identifier', 'device_type'].every((column) => columns.includes(column))
  const name = told ?? (isOneSignal ? 'onesignal' : 'csv')
  if (name === 'onesignal' && !isOneSignal) {
    return notRead('has not the columns identifier and device_type, which each export of OneSignal has.')
  }
  return { kind: 'found', name, shape: { kind: 'csv', separator, columns } }
}

interface NotRead {
  readonly kind: 'not-read'
  /** Follows the name of the file: `is empty.` */
  readonly problem: string
}

function notRead(problem: string): NotRead {
  return { kind: 'not-read', problem }
}

/** Files that people take for a CSV, or for text. */
function otherFile(head: Uint8Array): string | null {
  const begins = (...bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte)
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return 'is UTF-16: save it as UTF-8.'
  if (begins(0x50, 0x4b, 3, 4)) return 'is a ZIP archive or an .xlsx: unpack it, or save it as CSV.'
  if (new TextDecoder().decode(head.subarray(0, 15)) === 'SQLite format 3') {
    return 'is a database: bellhop export writes what import reads, bellhop restore takes backups.'
  }
  return head.includes(0) ? 'is no text.' : null
}

interface Key {
  readonly name: string
  /** How many objects and lists the key is in: 1 is outermost. */
  readonly depth: number
}

/** The keys of the JSON that a file begins with, in order. */
function keysIn(text: string): readonly Key[] {
  const keys: Key[] = []
  let depth = 0
  for (const [token, string] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (string !== undefined) keys.push({ name: string.slice(1, -1), depth })
    else if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
  }
  return keys
}

function jsonFormat(text: string, keys: readonly Key[]): FormatName | null {
  const has = (...names: readonly string[]) => names.some((name) => keys.some((key) => key.name === name))
  if (has('format') && text.slice(0, 200).includes(BELLHOP_EXPORT)) return 'bellhop'
  if (has('EndpointArn')) return 'sns'
  if (has('identifier') && has('device_type')) return 'onesignal'
  if (
    has('deviceToken', 'deviceType') &&
    has('installationId', 'pushType', 'GCMSenderId', 'appIdentifier', 'channels')
  ) {
    return 'parse'
  }
  // A list of strings may be a list of tokens.
  return has(...TOKEN_FIELDS, ...TOKENS_FIELDS) || /^\s*\[\s*"/.test(text) ? 'firebase' : null
}

/** Keys that services put a whole list under. */
const LISTS = new Set(['results', 'Endpoints', 'players'])

function jsonShape(text: string, keys: readonly Key[], name: FormatName): Shape {
  const list = keys.find((key) => key.depth === 1 && LISTS.has(key.name))
  if (list !== undefined) return { kind: 'json', depth: 2, under: list.name }
  if (/^\s*\[/.test(text)) return { kind: 'json', depth: 1, under: null }
  const isLine = isObject(text.trimStart().split('\n', 1)[0] ?? '')
  if (name !== 'firebase') return isLine ? { kind: 'lines' } : { kind: 'json', depth: 0, under: null }

  const first = keys.find((key) => TOKEN_FIELDS.includes(key.name) || TOKENS_FIELDS.includes(key.name))
  if (first?.depth === 1) {
    // Either the whole document is under `tokens`, or this is one record of many.
    const isAlone = !isLine || !/\n\s*\{/.test(text)
    if (TOKENS_FIELDS.includes(first.name) && keys[0] === first && isAlone)
      return { kind: 'json', depth: 2, under: first.name }
    return isLine ? { kind: 'lines' } : { kind: 'json', depth: 0, under: null }
  }
  return { kind: 'json', depth: first === undefined ? 1 : first.depth - 1, under: null }
}

function isObject(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
