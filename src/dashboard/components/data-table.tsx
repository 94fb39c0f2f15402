import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { csvOf } from './csv.ts'
import { clock, count, ZONE } from './text.ts'

export interface Column<Row> {
  readonly name: string
  /** `name`: chosen by a person, in either writing direction. Default: shown as it is. */
  readonly kind?: 'number' | 'time' | 'name' | 'code'
  /** As exported; a time as ISO 8601. */
  readonly value: (row: Row) => string | number | null
  readonly show?: (row: Row) => ComponentChildren
  /** `null`: no link. */
  readonly link?: (row: Row) => string | null
}

interface Props<Row> {
  /** Also names the exported files. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

/** Scrolls sideways if it is too wide, and says so. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: Props<Row>) {
  const { scroll, goesOn, look } = useOverflow()
  const save = (ending: string, type: string, text: () => string) => (
    <button
      type="button"
      class="quiet"
      onClick={() => saveFile(`${caption.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.${ending}`, type, text())}
    >
      {ending.toUpperCase()}
      <span class="unseen"> of {caption}</span>
    </button>
  )
  const table = () => [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ value }) => String(value(row) ?? ''))),
  ]
  const objects = () => rows.map((row) => Object.fromEntries(columns.map(({ name, value }) => [name, value(row)])))
  return (
    <div>
      <div class="scroll" ref={scroll} onScroll={look} tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ name, kind }) => (
                <th key={name} scope="col" class={kind}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} class={column.kind}>
                    {cellOf(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="files">
        {goesOn && <small class="goes-on">More columns →</small>}
        {columns.some(({ kind }) => kind === 'time') && <small>Times: {ZONE}</small>}
        {save('csv', 'text/csv', () => csvOf(table()))}
        {save('json', 'application/json', () => JSON.stringify(objects(), null, 2))}
      </p>
    </div>
  )
}

function useOverflow() {
  const scroll = useRef<HTMLDivElement>(null)
  const goesOn = useSignal(false)
  const look = (): void => {
    const { scrollLeft, clientWidth, scrollWidth } = scroll.current ?? document.body
    // Zoomed pages have fractions of pixels.
    goesOn.value = scrollLeft + clientWidth < scrollWidth - 1
  }
  useEffect(() => {
    const observer = new ResizeObserver(look)
    for (const element of [scroll.current, scroll.current?.firstElementChild]) {
      if (element) observer.observe(element)
    }
    return () => observer.disconnect()
  }, [])
  return { scroll, goesOn: goesOn.value, look }
}

function cellOf<Row>(column: Column<Row>, row: Row): ComponentChildren {
  const shown = column.show === undefined ? plainOf(column, row) : column.show(row)
  const href = column.link?.(row) ?? null
  return href === null ? shown : <a href={href}>{shown}</a>
}

function plainOf<Row>({ kind, value }: Column<Row>, row: Row): ComponentChildren {
  const plain = value(row)
  if (kind === 'name') return <bdi>{plain}</bdi>
  if (kind === 'code') return <code>{plain}</code>
  if (kind === 'number') return plain === null ? '–' : count(Number(plain))
  return kind === 'time' && plain !== null ? clock(String(plain)) : plain
}

function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
