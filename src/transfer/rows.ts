import type { Platform } from '../device/device.ts'
import type { ImportedDevice, ImportedFeedback } from '../device/transfer/imported-device.ts'
import type { PlatformDay } from '../stats/tally-store.ts'
import { isJsonObject } from '../text/json-object.ts'
import { readBellhopLine } from './bellhop-lines.ts'
import { checkDevice, feedbackOf, tallyOf } from './check-row.ts'
import type { RowComplaint, RowCheck } from './check-row.ts'
import { csvCellsOf, mapped, csvRecordOf } from './csv.ts'
import type { ColumnMap } from './csv.ts'
import { FOREIGN_FORMATS } from './detect.ts'
import type { Shape } from './detect.ts'
import type { Entry, FileRecord, FormatName, Stated } from './record.ts'
import { splitJson } from './split-json.ts'
import { splitLines } from './split-lines.ts'
import type { Piece, Split } from './split.ts'

export type Row = {
  readonly line: number
  /** For the report of refused rows. */
  readonly source: () => unknown
  /** Why the row is refused, or the fields left out. */
  readonly complaints: readonly RowComplaint[]
} & (
  | { readonly kind: 'device'; readonly device: ImportedDevice }
  | { readonly kind: 'refused' }
  | { readonly kind: 'feedback'; readonly feedback: ImportedFeedback }
  | { readonly kind: 'tally'; readonly tally: PlatformDay }
  | { readonly kind: 'header'; readonly header: FileRecord }
)

export interface RowOptions {
  readonly name: FormatName
  readonly shape: Shape
  /** Wins over the format. */
  readonly map: ColumnMap
  /** For rows without one. */
  readonly platform: Platform | null
  /** As in `RowCheck`, like `now`. */
  readonly noBrowsers: string | null
  readonly now: number
}

export function splitOf(shape: Shape): Split {
  if (shape.kind === 'json') return splitJson(shape)
  if (shape.kind === 'lines') return splitLines({ quoted: false })
  return splitLines({ quoted: true, separator: shape.separator.charCodeAt(0) })
}

/** Skip the header of a CSV. */
export function rowReader({
  name,
  shape,
  map,
  platform,
  noBrowsers,
  now,
}: RowOptions): (piece: Piece) => readonly Row[] {
  const format = FOREIGN_FORMATS[name] ?? null
  const check: RowCheck = { names: format?.names ?? columnNames(map), isForeign: name !== 'bellhop', noBrowsers, now }
  const parsed = shape.kind === 'csv' ? (piece: Piece) => cells(piece, shape) : json

  function entriesOf(record: unknown, key: string | null): readonly Entry[] {
    if (name === 'bellhop') return [readBellhopLine(record)]
    if (format === null) return isJsonObject(record) ? [mapped(record, map)] : [NO_RECORD]
    const entries = format.read(record, key)
    if (map.size === 0 || !isJsonObject(record)) return entries
    return entries.map((entry) => (entry.kind === 'device' ? mapped(record, map, entry.stated) : entry))
  }

  function rowOf(entry: Entry, line: number, source: () => unknown): Row {
    const refused = (complaint: RowComplaint): Row => ({ kind: 'refused', line, source, complaints: [complaint] })
    switch (entry.kind) {
      case 'refused':
        return refused({ field: entry.field, reason: `${entry.field} ${entry.reason}.` })
      case 'header':
        return { kind: 'header', header: entry.record, line, source, complaints: [] }
      case 'feedback': {
        const feedback = feedbackOf(entry.record)
        return feedback === null ? refused(BAD_LINE) : { kind: 'feedback', feedback, line, source, complaints: [] }
      }
      case 'tally': {
        const tally = tallyOf(entry.record)
        return tally === null ? refused(BAD_LINE) : { kind: 'tally', tally, line, source, complaints: [] }
      }
      case 'device': {
        const checked = checkDevice(withPlatform(entry.stated, platform), check)
        if (checked.kind === 'refused') return refused({ field: checked.field, reason: checked.reason })
        return { kind: 'device', device: checked.device, line, source, complaints: checked.leftOut }
      }
    }
  }

  return (piece) => {
    const read = piece.broken ? { problem: 'opens a quotation mark that is never closed' } : parsed(piece)
    if ('problem' in read) {
      const complaint = { field: 'row', reason: `row ${read.problem}.` }
      return [{ kind: 'refused', line: piece.line, source: () => piece.text.slice(0, 4096), complaints: [complaint] }]
    }
    const { record } = read
    const source = () => (shape.kind === 'csv' ? withoutEmpty(record as FileRecord) : record)
    return entriesOf(record, piece.key).map((entry) => rowOf(entry, piece.line, source))
  }
}

type Parsed = { readonly record: unknown } | { readonly problem: string }

function cells({ text }: Piece, { separator, columns }: Extract<Shape, { kind: 'csv' }>): Parsed {
  const read = csvCellsOf(text, separator)
  const record = csvRecordOf(columns, read)
  return record === null ? { problem: `has ${read.length} cells, but there are ${columns.length} columns` } : { record }
}

function json({ text }: Piece): Parsed {
  try {
    return { record: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) }
  } catch {
    return { problem: 'must be JSON' }
  }
}

const BYTE_ORDER_MARK = 0xfeff

const NO_RECORD: Entry = { kind: 'refused', field: 'row', reason: 'must be an object' }
const BAD_LINE: RowComplaint = { field: 'row', reason: 'row must be a line of an export as Bellhop writes it.' }

function withPlatform(stated: Stated, platform: Platform | null): Stated {
  return platform === null || stated.platform !== undefined ? stated : { ...stated, platform }
}

/** A complaint uses the file's name of a mapped column. */
function columnNames(map: ColumnMap): RowCheck['names'] {
  return Object.fromEntries([...map].map(([field, [column = field]]) => [field, column]))
}

function withoutEmpty(record: FileRecord): FileRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))
}
