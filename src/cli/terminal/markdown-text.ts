import type { Style } from './style.ts'
import { tableText } from './table-text.ts'
import type { Side } from './table-text.ts'

interface Options extends Pick<Style, 'paint' | 'legible'> {
  readonly columns: number
  /** Printed after a link's text; `null`: nothing. */
  readonly leadsTo: (href: string) => string | null
}

/** Text below headings, and code below text. */
const INDENT = 2

/** As in `tableText`. */
const GAP = 2

/** For a column of sentences. */
const MIN_COLUMN = 14

/** A table that is too wide becomes a list. List items hold text only. */
export function markdownText(markdown: string, { columns, paint, legible, leadsTo }: Options): string {
  const width = columns - INDENT
  const blocks: string[] = []
  const block = (lines: readonly string[], indent = INDENT) =>
    void blocks.push(lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join('\n'))
  let items: string[] = []
  let rows: string[][] = []
  let sides: Side[] = []

  Bun.markdown.render(markdown, {
    heading: (text) => block(wrapped(paint('bold', text), columns), 0),
    paragraph: (text) => block(wrapped(text, width)),
    code: (text) => block(text.replace(/\n$/, '').split('\n'), 2 * INDENT),
    listItem(text, { ordered, start = 1, index }) {
      const mark = ordered ? `${start + index}. ` : '- '
      const [first = '', ...rest] = wrapped(text, width - mark.length)
      items.push(mark + first, ...rest.map((line) => ' '.repeat(mark.length) + line))
      return ''
    },
    list() {
      block(items)
      items = []
    },
    th(text, meta) {
      sides.push(meta?.align === 'right' ? 'right' : 'left')
      return cell(text === '' ? '' : paint('bold', text))
    },
    td: cell,
    tr: () => void rows.push([]),
    table() {
      const [head = [], ...body] = rows.filter((row) => row.length > 0)
      block(aligned([head, ...body], sides, width) ?? listed(head, body, width))
      rows = []
      sides = []
    },
    html: () => '',
    // Without colours, marks show what is code.
    codespan: (text) => (paint('cyan', text) === text ? `\`${text}\`` : paint('cyan', text)),
    strong: (text) => paint('bold', text),
    link(text, { href }) {
      const where = leadsTo(href)
      return where === null || where === text ? text : `${text} (${where})`
    },
  })
  return legible(`${blocks.join('\n\n')}\n`)

  function cell(text: string): string {
    const row = rows.at(-1)
    if (row === undefined) rows.push([text])
    else row.push(text)
    return ''
  }
}

function wrapped(text: string, columns: number): readonly string[] {
  return Bun.wrapAnsi(text.replaceAll(/\s+/g, ' '), columns).split('\n')
}

/** `null`: the words alone are too wide. */
function aligned(rows: readonly (readonly string[])[], sides: readonly Side[], width: number) {
  const columns = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? ''))
  const wanted = columns.map((cells) => Math.max(...cells.map((text) => Bun.stringWidth(text))))
  const narrowest = columns.map(([head = '', ...cells], at) => {
    const numbers = sides[at] === 'right'
    const whole = [...wordsOf(head), ...(numbers ? cells : cells.flatMap(wordsOf))].map((text) => Bun.stringWidth(text))
    return Math.max(numbers ? 0 : Math.min(MIN_COLUMN, wanted[at] ?? 0), ...whole)
  })
  const spare = width - GAP * (columns.length - 1) - sum(narrowest)
  if (spare < 0) return null
  const missing = sum(wanted) - sum(narrowest)
  const share = missing === 0 ? 0 : Math.min(1, spare / missing)
  const widths = narrowest.map((floor, at) => floor + Math.floor(share * ((wanted[at] ?? 0) - floor)))
  const lines = rows.map((row) => {
    const cells = row.map((text, at) => wrapped(text, widths[at] ?? 0))
    const height = Math.max(...cells.map((cell) => cell.length))
    return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ''))
  })
  const [head = [], ...body] = lines
  const rule = widths.map((columnWidth) => '-'.repeat(columnWidth))
  return tableText([...head, rule, ...body.flat()], sides)
}

function listed(head: readonly string[], body: readonly (readonly string[])[], width: number): readonly string[] {
  return body.flatMap((cells, row) => [
    ...(row === 0 ? [] : ['']),
    ...cells.flatMap((text, at) => {
      if (text === '') return []
      const indent = at === 0 ? 0 : INDENT
      const [first = '', ...rest] = wrapped(head[at] ? `${head[at]}: ${text}` : text, width - 2 * INDENT)
      return [' '.repeat(indent) + first, ...rest.map((line) => ' '.repeat(indent + INDENT) + line)]
    }),
  ])
}

function wordsOf(text: string): readonly string[] {
  return Bun.stripANSI(text).split(' ')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
