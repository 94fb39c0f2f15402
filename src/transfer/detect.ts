import { pinpoint, sns } from './amazon.ts'
import { BELLHOP_EXPORT } from './bellhop-lines.ts'
import { csvCellsOf, separatorOf } from './csv.ts'
import { firebase, TOKEN_FIELDS, TOKENS_FIELDS } from './firebase.ts'
import { onesignal } from './onesignal.ts'
import { parse } from './parse.ts'
import type { Format, FormatName } from './record.ts'
import type { JsonShape } from './split-json.ts'
import { twilio } from './twilio.ts'
import { SUBSCRIPTION_FIELDS, webpush } from './webpush.ts'

export type Shape =
  | { readonly kind: 'csv'; readonly separator: string; readonly columns: readonly string[] }
  /** A JSON text on each line. */
  | { readonly kind: 'lines' }
  | ({ readonly kind: 'json' } & JsonShape)

export const FOREIGN_FORMATS: { readonly [Name in FormatName]?: Format } = {
  onesignal,
  parse,
  firebase,
  sns,
  pinpoint,
  twilio,
  webpush,
}

/** Follows "reads as". */
export function formatTitle(name: FormatName): string {
  return name === 'bellhop' ? 'an export of Bellhop' : (FOREIGN_FORMATS[name]?.title ?? 'a CSV')
}

/**
 * Finds a file's format. `head`: its first bytes, unpacked; the first line must be complete if shorter than 64 KiB.
 * `told`: the user's format; `null`: none.
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
    const looksLike = jsonFormat(text, keys)
    if (told !== null && looksLike !== null && !mayBe(told, looksLike, keys)) return otherFormat(told, looksLike)
    const name = told ?? looksLike
    if (name === null) {
      return notRead(`is JSON in which nothing is called as a token would be (${TOKEN_FIELDS.slice(0, 4).join(', ')}).`)
    }
    if (name === 'csv') return notRead('is JSON, and no CSV.')
    return { kind: 'found', name, shape: name === 'bellhop' ? { kind: 'lines' } : jsonShape(text, keys, name) }
  }
  const header = text.trimStart().split(/\r?\n/, 1)[0] ?? ''
  const separator = separatorOf(header)
  const columns = csvCellsOf(header, separator).map((column) => column.trim())
  const missing = ['identifier', 'device_type'].filter((column) => !columns.includes(column))
  const isOneSignal = missing.length === 0
  if (told !== null && told !== 'csv' && told !== 'onesignal') {
    return isOneSignal ? otherFormat(told, 'onesignal') : notRead('is no JSON.')
  }
  const name = told ?? (isOneSignal ? 'onesignal' : 'csv')
  if (name === 'onesignal' && !isOneSignal) {
    return notRead(`has no column ${missing.join(' or ')}, which each export of OneSignal has.`)
  }
  return { kind: 'found', name, shape: { kind: 'csv', separator, columns } }
}

interface NotRead {
  readonly kind: 'not-read'
  /** Follows the file's name: `is empty.` */
  readonly problem: string
}

function notRead(problem: string): NotRead {
  return { kind: 'not-read', problem }
}

function otherFormat(told: FormatName, looksLike: FormatName): NotRead {
  return notRead(`looks like ${formatTitle(looksLike)}, not like ${formatTitle(told)}: use --format ${looksLike}.`)
}

/** Files that people take for a CSV or text. */
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
  /** The number of open objects and lists; 1: outermost. */
  readonly depth: number
}

/** In order, of the JSON at a file's beginning. */
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

/**
 * Each record has one key of each list. If the user names the service, one of the first list is enough. Tried in this
 * order.
 */
const KEYS: { readonly [Name in Exclude<FormatName, 'csv'>]: readonly (readonly string[])[] } = {
  bellhop: [['kind'], ['format']],
  sns: [['EndpointArn']],
  pinpoint: [['ChannelType'], ['Address']],
  twilio: [['binding_type', 'bindingType'], ['address']],
  onesignal: [['identifier'], ['device_type']],
  parse: [
    ['deviceToken', 'deviceType'],
    ['installationId', 'pushType', 'GCMSenderId', 'appIdentifier', 'channels'],
  ],
  webpush: [['endpoint', ...SUBSCRIPTION_FIELDS], ['p256dh']],
  firebase: [[...TOKEN_FIELDS, ...TOKENS_FIELDS]],
}

function jsonFormat(text: string, keys: readonly Key[]): FormatName | null {
  if (text.slice(0, 200).includes(BELLHOP_EXPORT)) return 'bellhop'
  const found = JSON_FORMATS.find((name) => name !== 'bellhop' && KEYS[name].every((names) => hasAny(keys, names)))
  // Quotation marks are escaped if the subscription is a text.
  if ((found === undefined || found === 'firebase') && /"p256dh\\?"/.test(text)) return 'webpush'
  // These may be tokens.
  return found ?? (/^\s*\[\s*"/.test(text) ? 'firebase' : null)
}

const JSON_FORMATS = Object.keys(KEYS) as (keyof typeof KEYS)[]

function mayBe(told: FormatName, looksLike: FormatName, keys: readonly Key[]): boolean {
  if (told === looksLike) return true
  return told !== 'csv' && looksLike !== 'bellhop' && hasAny(keys, KEYS[told][0] ?? [])
}

function hasAny(keys: readonly Key[], names: readonly string[]): boolean {
  return keys.some(({ name }) => names.includes(name))
}

/** Services put a whole list under these keys. */
const LISTS = new Set(['results', 'Endpoints', 'players', 'bindings'])

function jsonShape(text: string, keys: readonly Key[], name: FormatName): Shape {
  const list = keys.find((key) => key.depth === 1 && LISTS.has(key.name))
  if (list !== undefined) return { kind: 'json', depth: 2, under: list.name }
  if (/^\s*\[/.test(text)) return { kind: 'json', depth: 1, under: null }
  const isLine = isObject(text.trimStart().split('\n', 1)[0] ?? '')
  // Concatenated parts of an export may lack line ends.
  if (name === 'pinpoint') return { kind: 'json', depth: 0, under: null }
  if (name === 'webpush') return isLine ? { kind: 'lines' } : subscriptionShape(keys)
  if (name !== 'firebase') return isLine ? { kind: 'lines' } : { kind: 'json', depth: 0, under: null }

  const first = keys.find((key) => TOKEN_FIELDS.includes(key.name) || TOKENS_FIELDS.includes(key.name))
  if (first?.depth === 1) {
    // `tokens` holds the whole document, or this is one record of many.
    const isAlone = !isLine || !/\n\s*\{/.test(text)
    if (TOKENS_FIELDS.includes(first.name) && keys[0] === first && isAlone)
      return { kind: 'json', depth: 2, under: first.name }
    return isLine ? { kind: 'lines' } : { kind: 'json', depth: 0, under: null }
  }
  return { kind: 'json', depth: first === undefined ? 1 : first.depth - 1, under: null }
}

/** For a document of several lines, not a list. */
function subscriptionShape(keys: readonly Key[]): Shape {
  const at = keys.findIndex(({ name }) => name === 'endpoint')
  const depth = (keys[at]?.depth ?? 1) - 1
  const parent = keys.slice(0, Math.max(at, 0)).findLast((key) => key.depth === depth)
  const isNested = parent !== undefined && SUBSCRIPTION_FIELDS.includes(parent.name)
  return { kind: 'json', depth: isNested ? depth - 1 : depth, under: null }
}

function isObject(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
