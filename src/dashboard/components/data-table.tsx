import type { ComponentChildren } from 'preact'
import { csvOf } from './csv.ts'
import { saveFile } from './save-file.ts'
import { time } from './text.ts'

export interface Column<Row> {
  readonly name: string
  readonly isNumber?: boolean
  /** ISO 8601; shown on one line. */
  readonly isTime?: boolean
  /** As it is written into a file. */
  readonly value: (row: Row) => string | number | null
  /** As it is shown. Default the value, of a time in the zone of whoever looks. */
  readonly show?: (row: Row) => ComponentChildren
}

interface Props<Row> {
  /** What is in it; also the name of its files. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

/** A table, which can be had as a file. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: Props<Row>) {
  const file = caption.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const table = () => [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ value }) => String(value(row) ?? ''))),
  ]
  const objects = () => rows.map((row) => Object.fromEntries(columns.map(({ name, value }) => [name, value(row)])))
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" class={classOf(column)}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} class={classOf(column)}>
                    {shown(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="files">
        <button type="button" class="quiet" onClick={() => saveFile(`${file}.csv`, 'text/csv', csvOf(table()))}>
          CSV<span class="unseen"> of {caption}</span>
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => saveFile(`${file}.json`, 'application/json', JSON.stringify(objects(), null, 2))}
        >
          JSON<span class="unseen"> of {caption}</span>
        </button>
      </p>
    </div>
  )
}

function classOf<Row>({ isNumber = false, isTime = false }: Column<Row>): string {
  return isNumber ? 'number' : isTime ? 'time' : ''
}

function shown<Row>({ isTime = false, value, show }: Column<Row>, row: Row): ComponentChildren {
  if (show !== undefined) return show(row)
  const plain = value(row)
  return isTime && plain !== null ? time(String(plain)) : plain
}
