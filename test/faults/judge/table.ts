import type { Row } from '../run-scenario.ts'

const HEAD = ['fault', 'pushes', 'notifications', 'lost', 'repeated', 'longest delay', 'result'] as const

/** Whether nothing went wrong: a scenario that could not run is no failure, and no success either. */
export function holds({ result }: Row): boolean {
  return result.kind === 'skipped' || result.judgement.findings.length === 0
}

/** For the manual. */
export function markdownTable(rows: readonly Row[]): string {
  const rule = HEAD.map((name) => (name === 'fault' || name === 'result' ? '---' : '---:'))
  const lines = [HEAD, rule, ...rows.map((row) => cells(row, row.scenario.what))]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

export function tableHead(): string {
  return textLine(HEAD)
}

export function tableLine(row: Row): string {
  return textLine(cells(row, row.scenario.name))
}

function cells({ result }: Row, title: string): readonly string[] {
  if (result.kind === 'skipped') return [title, '', '', '', '', '', `skipped: ${result.why}`]
  const { pushes, notifications, lost, repeated, longestDelayMs, findings } = result.judgement
  return [
    title,
    String(pushes),
    String(notifications),
    String(lost),
    String(repeated),
    `${(longestDelayMs / 1000).toFixed(1)} s`,
    findings.length === 0 ? 'ok' : `FAILED: ${findings.join('; ')}`,
  ]
}

/** Of all columns but the last. */
const WIDTHS = [19, 8, 15, 6, 10, 15]

function textLine(line: readonly string[]): string {
  const padded = line.map((cell, at) => {
    const width = WIDTHS[at]
    if (width === undefined) return `  ${cell}`
    return at === 0 ? cell.padEnd(width) : cell.padStart(width)
  })
  return padded.join('')
}
