import { problem } from '../../failure.ts'
import { guessColumns, readColumnMap } from '../../transfer/csv.ts'
import type { ColumnMap } from '../../transfer/csv.ts'
import { detect, formatTitle } from '../../transfer/detect.ts'
import type { Shape } from '../../transfer/detect.ts'
import type { FormatName } from '../../transfer/record.ts'
import { problems } from '../command.ts'
import type { CommandOutcome } from '../command.ts'
import type { ImportOptions } from './import-options.ts'

export interface ImportPlan {
  readonly kind: 'plan'
  readonly name: FormatName
  readonly shape: Shape
  readonly map: ColumnMap
  readonly said: string
}

/** `name`: of the file. */
export function planImport(head: Uint8Array, name: string, options: ImportOptions): ImportPlan | CommandOutcome {
  const found = detect(head, options.format)
  if (found.kind === 'not-read') return problem(`${name} ${found.problem}`)
  const { shape } = found
  const columns = shape.kind === 'csv' ? shape.columns : null
  const { map: wanted, problems: wrong } =
    options.map === null ? { map: new Map(), problems: [] } : readColumnMap(options.map, columns)
  if (wrong.length > 0) return problems(...wrong.map((each) => `--map: ${each}.`))

  const title = formatTitle(found.name)
  if (found.name !== 'csv' || columns === null) {
    if (found.name === 'bellhop' && wanted.size > 0) return problems('--map does not apply to a Bellhop export.')
    if (options.platform !== null) {
      return problems(`--platform is for a CSV: ${name} reads as ${title}, which says itself what its devices are.`)
    }
    return { kind: 'plan', name: found.name, shape, map: wanted, said: `${name} reads as ${title}.` }
  }
  const map: ColumnMap = new Map([...guessColumns(columns), ...wanted])
  const quoted = columns.map((column) => JSON.stringify(column)).join(', ')
  if (!map.has('token'))
    return problems(`No column of ${name} is a token. The columns are ${quoted}. Choose one with --map token=COLUMN.`)
  if (!map.has('platform') && options.platform === null) {
    return problems(
      `No column of ${name} is a platform: use --platform ios or android for all rows, or --map platform=COLUMN.`,
    )
  }
  const said = `${name} reads as CSV: ${[...map].map(([field, from]) => `${field} from ${from.map((each) => JSON.stringify(each)).join(' and ')}`).join(', ')}`
  const used = new Set([...map.values()].flat())
  const unused = columns.filter((column) => !used.has(column)).map((column) => JSON.stringify(column))
  return {
    kind: 'plan',
    name: 'csv',
    shape,
    map,
    said: unused.length === 0 ? `${said}.` : `${said}; not ${unused.join(', ')}.`,
  }
}
