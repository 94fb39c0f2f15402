import { CSV, PLAIN } from '../device/columns.ts'
import { FIELDS, keysOf, platformOf, statedOf, textOf } from './record.ts'
import type { Entry, RecordField, FileRecord, Stated } from './record.ts'

/** Several columns may hold tags. */
export type ColumnMap = ReadonlyMap<RecordField, readonly string[]>

/** The most frequent of `,`, `;` and tab. */
export function separatorOf(header: string): string {
  const unquoted = header.replaceAll(/"(?:[^"]|"")*"/g, '')
  const count = (separator: string) => unquoted.split(separator).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}

/** RFC 4180. A quotation mark inside an unquoted cell is a character. */
export function csvCellsOf(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const cells: string[] = []
  for (let at = 0; ;) {
    if (text[at] !== '"') {
      const end = text.indexOf(separator, at)
      cells.push(end === -1 ? text.slice(at) : text.slice(at, end))
      if (end === -1) return cells
      at = end + 1
      continue
    }
    const close = closing(text, at)
    cells.push(text.slice(at + 1, close).replaceAll('""', '"'))
    const end = text.indexOf(separator, close + 1)
    if (end === -1) return cells
    at = end + 1
  }
}

/** The closing mark is not doubled. */
function closing(text: string, at: number): number {
  for (let from = at + 1; ;) {
    const close = text.indexOf('"', from)
    if (close === -1) return text.length
    if (text[close + 1] !== '"') return close
    from = close + 2
  }
}

/** `null`: more cells than columns. */
export function csvRecordOf(columns: readonly string[], cells: readonly string[]): FileRecord | null {
  if (cells.length > columns.length) return null
  const record: Record<string, string> = {}
  for (const [at, column] of columns.entries()) record[column] = cells[at] ?? ''
  return record
}

/** Reads `--map`: `token=Device Token,tag=Plan,tag=City`. `columns` `null`: unknown. */
export function readColumnMap(
  text: string,
  columns: readonly string[] | null,
): { readonly map: ColumnMap; readonly problems: readonly string[] } {
  const map = new Map<RecordField, readonly string[]>()
  const problems: string[] = []
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    const column = pair.slice(equals + 1).trim()
    const field = FIELDS.find((each) => each === name)
    if (equals === -1 || column === '') problems.push(`"${pair}" is not FIELD=COLUMN`)
    else if (field === undefined) problems.push(`"${name}" is not one of ${FIELDS.join(', ')}`)
    else if (columns !== null && !columns.includes(column)) {
      problems.push(`there is no column "${column}", but ${columns.map((each) => JSON.stringify(each)).join(', ')}`)
    } else map.set(field, field === 'tag' || field === 'active' ? [...(map.get(field) ?? []), column] : [column])
  }
  return { map, problems }
}

export function guessColumns(columns: readonly string[]): ColumnMap {
  const plain = columns.map((column) => column.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  const map = new Map<RecordField, readonly string[]>()
  for (const field of FIELDS) {
    const at = [field, ...CSV[field]].map((name) => plain.indexOf(name.replaceAll('_', ''))).find((i) => i >= 0)
    const column = at === undefined ? undefined : columns[at]
    if (column !== undefined) map.set(field, [column])
  }
  return map
}

/** A number is a name in these fields. */
const NAMES: ReadonlySet<RecordField> = new Set(['token', 'alias', ...PLAIN])

/** Mapped columns override `stated`. */
export function mapped(record: FileRecord, map: ColumnMap, stated: Stated = {}): Entry {
  const said: { [Name in RecordField]?: unknown } = { ...stated }
  for (const [field, columns] of map) {
    const values = columns.map((column) => valueAt(record, column)).filter((value) => statedOf(value) !== undefined)
    if (values.length === 0) continue
    if (field === 'tag' || field === 'active') {
      const before = Array.isArray(stated[field]) ? stated[field] : []
      said[field] = [...before, ...values.flatMap(listOf)]
    } else if (field === 'platform') {
      const word = textOf(values[0])
      said.platform = (word === undefined ? null : platformOf(word)) ?? values[0]
    } else said[field] = NAMES.has(field) ? textOf(values[0]) : values[0]
  }
  const { p256dh, auth, ...others } = said
  const keys = keysOf(p256dh, auth)
  return { kind: 'device', stated: keys === undefined ? others : { ...others, keys } }
}

/** `Attributes.Token` is a nested member, unless a column has that name. */
function valueAt(record: FileRecord, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name]
  let value: unknown = record
  for (const part of name.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as FileRecord)[part] : undefined
  }
  return value
}

/** A JSON array, or names separated by `|`. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return [textOf(value) ?? value]
  if (value.trimStart().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(value)
      if (Array.isArray(list)) return list
    } catch {
      // A name that begins with a bracket.
    }
  }
  return value
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
