import { suggestion } from '../text/nearest.ts'

/** Header names are in lower case. */
export interface HookEvent {
  readonly body: Readonly<Record<string, unknown>>
  readonly header: (name: string) => string | null
}

/** A text with `{{ path | filter argument }}` in it, split at its placeholders. */
export type Pattern = readonly (string | Placeholder)[]

export interface Placeholder {
  readonly path: string
  readonly filters: readonly { readonly name: FilterName; readonly argument: string | null }[]
}

/** Several texts where the pattern is a single placeholder of a list. */
export type Filled =
  | { readonly kind: 'filled'; readonly value: string | readonly string[] }
  | { readonly kind: 'missing' | 'unfit'; readonly path: string; readonly problem: string }

/** `null`: the filter does not take this value. */
type Filter = (text: string, argument: string) => string | null

interface FilterFacts {
  /** `null`: takes no argument. If it matches `''`, the argument is optional. */
  readonly argument: RegExp | null
  readonly optional?: true
  /** Completes "must be …": the argument, and the value. */
  readonly expected: string
  readonly takes: string
  readonly apply: Filter
}

const MAX_DECIMALS = 6

const FILTERS = {
  upper: { argument: null, expected: '', takes: 'a text', apply: (text) => text.toUpperCase() },
  lower: { argument: null, expected: '', takes: 'a text', apply: (text) => text.toLowerCase() },
  truncate: {
    argument: /^[1-9]\d{0,3}$/,
    expected: 'a number of characters from 1 to 9999',
    takes: 'a text',
    apply: (text, argument) => truncated(text, Number(argument)),
  },
  number: {
    argument: /^[0-6]$/,
    optional: true,
    expected: `a number of decimals from 0 to ${MAX_DECIMALS}`,
    takes: 'a number',
    apply: (text, argument) => {
      const value = numericText(text)
      if (value === null) return null
      const digits = argument === '' ? { maximumFractionDigits: MAX_DECIMALS } : digitsOf(Number(argument))
      return value.toLocaleString('en-US', digits)
    },
  },
  divide: {
    argument: /^[1-9]\d{0,8}$/,
    expected: 'a whole number above 0',
    takes: 'a number',
    apply: (text, argument) => {
      const value = numericText(text)
      return value === null ? null : String(value / Number(argument))
    },
  },
  date: {
    argument: /^[A-Za-z0-9_+/-]{1,64}$/,
    optional: true,
    expected: 'a time zone, such as Europe/Berlin',
    takes: 'a time: ISO 8601, or seconds or ms since 1970',
    apply: (text, argument) => dateText(text, argument === '' ? 'UTC' : argument),
  },
  default: { argument: /^.*$/s, expected: 'a text', takes: 'a text', apply: (text) => text },
} as const satisfies Readonly<Record<string, FilterFacts>>

type FilterName = keyof typeof FILTERS

const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

/** `items.0.name` in the body, or a header: `@x-github-event`. */
const PATH = /^(?:@[a-z0-9-]{1,64}|[\w$-]{1,64}(?:\.[\w$-]{1,64}){0,15})$/

const EXPECTED_PATH = 'a path such as data.object.id, or a header such as @x-github-event'

/** Credentials of the sender: never part of a push. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['@authorization', '@cookie', '@proxy-authorization'])

/** `problem`: one sentence for the template's author. */
export function readPattern(text: string): Pattern | { readonly problem: string } {
  const parts: (string | Placeholder)[] = []
  let at = 0
  for (const { 0: whole, 1: inner = '', index } of text.matchAll(/\{\{(.*?)\}\}/gs)) {
    if (index > at) parts.push(text.slice(at, index))
    const read = readPlaceholder(inner)
    if ('problem' in read) return read
    parts.push(read)
    at = index + whole.length
  }
  const rest = text.slice(at)
  if (rest.includes('{{')) return { problem: 'a placeholder is not closed by }}' }
  if (rest !== '' || parts.length === 0) parts.push(rest)
  return parts
}

/** Why `path` is none, quoting the template only. */
export function pathProblem(path: string): string | null {
  if (!PATH.test(path)) return `"${path}" is not ${EXPECTED_PATH}`
  if (SECRET_HEADERS.has(path)) return `${path} is not for a push`
  return null
}

export function hasPlaceholder(pattern: Pattern): boolean {
  return pattern.some((part) => typeof part !== 'string')
}

/** Reads own properties only. */
export function valueAt({ body, header }: HookEvent, path: string): unknown {
  if (path.startsWith('@')) return header(path.slice(1)) ?? undefined
  let value: unknown = body
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/** A missing or non-text value never becomes text. */
export function fillPattern(pattern: Pattern, event: HookEvent): Filled {
  const [first] = pattern
  if (pattern.length === 1 && first !== undefined && typeof first !== 'string') return fillOne(first, event, true)
  let text = ''
  for (const part of pattern) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const found = fillOne(part, event, false)
    if (found.kind !== 'filled') return found
    text += String(found.value)
  }
  return { kind: 'filled', value: text }
}

function fillOne({ path, filters }: Placeholder, event: HookEvent, isAlone: boolean): Filled {
  const given = valueAt(event, path)
  const value = given ?? filters.find(({ name }) => name === 'default')?.argument ?? null
  if (value === null) return { kind: 'missing', path, problem: 'is missing' }
  if (Array.isArray(value) && isAlone) {
    const texts = value.map((one: unknown) => filtered(one, { path, filters }))
    const wrong = texts.find((one) => one.kind !== 'filled')
    if (wrong !== undefined) return wrong
    return { kind: 'filled', value: texts.flatMap((one) => (one.kind === 'filled' ? one.value : [])) }
  }
  return filtered(value, { path, filters })
}

function filtered(value: unknown, { path, filters }: Placeholder): Filled {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object'
    return { kind: 'unfit', path, problem: `is ${what}, not a text or a number` }
  }
  let text = String(value)
  for (const { name, argument } of filters) {
    const { apply, takes }: FilterFacts = FILTERS[name]
    const next = apply(text, argument ?? '')
    if (next === null) return { kind: 'unfit', path, problem: `is not ${takes}, which ${name} needs` }
    text = next
  }
  return { kind: 'filled', value: text }
}

function readPlaceholder(inner: string): Placeholder | { readonly problem: string } {
  const [path = '', ...rest] = splitAtBars(inner).map((part) => part.trim())
  const wrong = pathProblem(path)
  if (wrong !== null) return { problem: wrong }
  const filters: { name: FilterName; argument: string | null }[] = []
  for (const text of rest) {
    const [, name = '', quoted, plain] = /^(\w*)(?:\s+(?:"([^"]*)"|(\S+)))?$/s.exec(text) ?? []
    const found = FILTER_NAMES.find((one) => one === name)
    if (found === undefined) {
      const known = `${FILTER_NAMES.join(', ')}.${suggestion(name, FILTER_NAMES)}`
      return { problem: `there is no filter "${name === '' ? text : name}": ${known}`.replace(/\.$/, '') }
    }
    const argument = quoted ?? plain ?? null
    const { argument: pattern, optional, expected }: FilterFacts = FILTERS[found]
    if (pattern === null && argument !== null) return { problem: `${found} takes no argument` }
    const isMissing = argument === null && optional !== true
    if (pattern !== null && (isMissing || (argument !== null && !pattern.test(argument)))) {
      return { problem: `${found} needs ${expected}` }
    }
    if (found === 'date' && argument !== null && dateText('0', argument) === null) {
      return { problem: `date needs ${expected}` }
    }
    filters.push({ name: found, argument })
  }
  return { path, filters }
}

/** Ignores bars in quotation marks. */
function splitAtBars(text: string): readonly string[] {
  return text.match(/(?:"[^"]*"|[^|])+/g) ?? ['']
}

/** UTF-16 units in one character; the longest emoji has fewer. */
const MOST_UNITS = 40

/** Counts grapheme clusters (UAX #29). */
function truncated(text: string, most: number): string {
  // Segmenting is slow, and a text may be as long as a body.
  const part = text.slice(0, (most + 1) * MOST_UNITS)
  const characters = Array.from(new Intl.Segmenter('en').segment(part), ({ segment }) => segment)
  const isWhole = characters.length <= most && part.length === text.length
  return isWhole
    ? text
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}

const digitsOf = (decimals: number) => ({ minimumFractionDigits: decimals, maximumFractionDigits: decimals })

export function numericText(text: string): number | null {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/.test(text) ? Number(text) : null
}

/** Numbers up to here are seconds (until 2286), larger ones ms (from April 1970). */
const LAST_SECOND = 9_999_999_999

/** `2026-11-27 14:05`; `null`: no valid time or time zone. */
function dateText(text: string, timeZone: string): string | null {
  const number = numericText(text)
  const ms = number === null ? Date.parse(text) : number * (Math.abs(number) > LAST_SECOND ? 1 : 1000)
  if (Number.isNaN(new Date(ms).getTime())) return null
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    return format.format(ms)
  } catch {
    return null
  }
}
