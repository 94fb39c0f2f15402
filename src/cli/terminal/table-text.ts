import type { Style } from './style.ts'

export type Side = 'left' | 'right'

/** Columns two spaces apart, as wide as they look: without colours, with wide characters. `sides`: default left. */
export function tableText(rows: readonly (readonly string[])[], sides: readonly Side[] = []): readonly string[] {
  const widths = Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, at) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[at] ?? ''))),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const fill = ' '.repeat(Math.max((widths[at] ?? 0) - Bun.stringWidth(cell), 0))
        if (sides[at] === 'right') return fill + cell
        return at === row.length - 1 ? cell : cell + fill
      })
      .join('  ')
      .trimEnd(),
  )
}

export type Column<Item> = readonly [title: string, cell: (item: Item) => string, side?: Side]

/** Titles are dim if `paint` is given. */
export function listing<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  paint?: Style['paint'],
): readonly string[] {
  const [title = '', ...lines] = tableText(
    [columns.map(([head]) => head), ...items.map((item) => columns.map(([, cell]) => cell(item)))],
    columns.map(([, , side = 'left']) => side),
  )
  return [paint === undefined ? title : paint('dim', title), ...lines]
}

/** For uncoloured text. A cut ends in `…`, or `~` without Unicode. */
export function shortened(text: string, columns: number, unicode: boolean): string {
  if (Bun.stringWidth(text) <= columns) return text
  let shown = ''
  let width = 1
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += Bun.stringWidth(segment)
    if (width > columns) break
    shown += segment
  }
  return shown + (unicode ? '…' : '~')
}

/** 80 if unknown, or if a terminal says 0, as some do. */
export function textColumns(terminal: { readonly columns: number } | null): number {
  return terminal === null || terminal.columns < MIN_COLUMNS ? USUAL_COLUMNS : terminal.columns
}

const MIN_COLUMNS = 20
const USUAL_COLUMNS = 80

/** For uncoloured text. Longer words stay whole. */
export function wrapped(text: string, columns: number): readonly string[] {
  return joined(text.split(' '), columns)
}

export function joined(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && Bun.stringWidth(last) + 1 + Bun.stringWidth(word) <= columns) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}
