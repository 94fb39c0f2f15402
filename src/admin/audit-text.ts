import { isoTime } from '../text/format.ts'
import type { AdminLogEntry } from './admin-log-store.ts'

export function auditJson(entry: AdminLogEntry) {
  return { ...entry, at: isoTime(entry.at) }
}

const COLUMNS = ['number', 'at', 'who', 'origin', 'action', 'subject', 'result', 'code', 'changes', 'detail', 'command']

/** RFC 4180, with a header line. */
export function* auditCsv(entries: Iterable<AdminLogEntry>): Generator<string> {
  yield csvLine(COLUMNS)
  for (const entry of entries) {
    const { number, at, who, origin, action, subject, result, code, changes, detail, command } = entry
    const more = [JSON.stringify(changes), JSON.stringify(detail), command]
    yield csvLine([String(number), isoTime(at), who, origin, action, subject, result, code, ...more])
  }
}

/** `rate: 10 → 20, push: 019a…` */
export function auditMoreText({ changes, detail, code }: Pick<AdminLogEntry, 'changes' | 'detail' | 'code'>): string {
  return [
    ...(code === '' ? [] : [code]),
    ...Object.entries(changes).map(([name, { before, after }]) => `${name}: ${shown(before)} → ${shown(after)}`),
    ...Object.entries(detail).map(([name, value]) => `${name}: ${shown(value)}`),
  ].join(', ')
}

function shown(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A CSV line (RFC 4180). A cell that a spreadsheet would read as a formula becomes text. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
