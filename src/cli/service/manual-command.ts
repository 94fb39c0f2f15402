import { problem } from '../../failure.ts'
import { findInManual } from '../../manual/find.ts'
import { PAGES, findPage, placeOf } from '../../manual/pages.ts'
import { suggestion } from '../../text/nearest.ts'
import { done, problems } from '../command.ts'
import type { CommandOutcome, RunCommand } from '../command.ts'
import { markdownText } from '../terminal/markdown-text.ts'
import { styleOf } from '../terminal/style.ts'
import type { Style } from '../terminal/style.ts'
import { shortened, tableText, textColumns } from '../terminal/table-text.ts'

/** Longer lines are hard to read. */
const MAX_COLUMNS = 110

export const run: RunCommand = async ({ words: [topic], flags }, context) => {
  const style = styleOf(context)
  const columns = Math.min(textColumns(context.terminal), MAX_COLUMNS)
  const wanted = flags.get('search')
  if (wanted !== undefined && topic !== undefined) return problems('manual takes a TOPIC or --search WORD, not both.')
  if (wanted !== undefined) return search(wanted, columns, style)
  if (topic === undefined) return done(contents(columns, style))
  const page = findPage(topic.toLowerCase())
  if (page === null) return problems(unknown(topic))
  return done(markdownText(page.text, { ...style, columns, leadsTo }))
}

function contents(columns: number, { paint, legible }: Style): string {
  const rows = PAGES.map(({ topic, summary }) => [`  ${paint('bold', topic)}`, summary.replaceAll('`', '')])
  const width = Math.max(...rows.map(([left = '']) => Bun.stringWidth(left)))
  const wrapped = rows.flatMap(([left = '', summary = '']) =>
    Bun.wrapAnsi(summary, columns - width - 2)
      .split('\n')
      .map((line, at) => [at === 0 ? left : '', line]),
  )
  return legible(['Pages of the manual, shown by bellhop manual TOPIC:', '', ...tableText(wrapped), ''].join('\n'))
}

function search(word: string, columns: number, { paint, legible, unicode }: Style): CommandOutcome {
  const found = word.trim() === '' ? [] : findInManual(word.trim())
  if (found.length === 0) return problem(`No page of the manual has "${word}".`)
  const rows = found.map(({ topic, heading, line }) => {
    // The cells of a table's row.
    const told = line.replaceAll(/^[|\s-]+|[|\s]+$/g, '').replaceAll(/\s*\|\s*/g, '  ')
    const text = `${heading}${told === '' ? '' : `: ${told}`}`.replaceAll('`', '')
    return [paint('bold', topic), shortened(text, columns - LONGEST_TOPIC - 2, unicode)]
  })
  return done(legible(`${tableText(rows).join('\n')}\n`))
}

const LONGEST_TOPIC = Math.max(...PAGES.map(({ topic }) => topic.length))

function unknown(topic: string): string {
  const near = suggestion(
    topic,
    PAGES.map((page) => page.topic),
  )
  const elsewhere = [...new Set(findInManual(topic).map((found) => found.topic))].slice(0, 3)
  const hint = near === '' && elsewhere.length > 0 ? ` Found in ${elsewhere.join(', ')}.` : near
  return `"${topic}" is not a page in the manual.${hint} bellhop manual lists all pages.`
}

function leadsTo(href: string): string | null {
  const place = placeOf(href)
  if (place === null) return href
  return place.topic === null ? null : `bellhop manual ${place.topic}`
}
