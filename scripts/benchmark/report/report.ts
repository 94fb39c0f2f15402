import { median } from '../measure/process-figures.ts'
import type { Column, Row, Section, Target } from './result.ts'

export interface Report {
  readonly conditions: readonly (readonly [name: string, value: string])[]
  readonly sections: readonly Section[]
  /** Unfinished sections. */
  readonly failures: readonly { readonly name: string; readonly why: string }[]
}

export type Verdict = 'aim reached' | 'reached' | 'missed'

/** Markdown, with headings from the second level. */
export function markdownReport({ conditions, sections, failures }: Report): string {
  const targets = sections.flatMap((section) => section.targets)
  return [
    table(['conditions', ''], ['---', '---'], conditions),
    ...failures.map(({ name, why }) => `**${name} could not be finished:** ${why}`),
    ...(targets.length === 0 ? [] : [`## Targets\n\n${targetTable(targets)}`]),
    ...sections.map(sectionText),
  ]
    .join('\n\n')
    .concat('\n')
}

export function verdictOf({ value, better, required, aim }: Target): Verdict {
  const reaches = (goal: number): boolean => (better === 'more' ? value >= goal : value <= goal)
  if (reaches(aim)) return 'aim reached'
  return reaches(required) ? 'reached' : 'missed'
}

/** `median (least–most)`; one value alone; or empty. */
export function cellOf(values: readonly number[] | undefined, digits: number): string {
  if (values === undefined || values.length === 0) return ''
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((n) => figure(n, digits))
  return least === most ? `${middle}` : `${middle} (${least}–${most})`
}

function targetTable(targets: readonly Target[]): string {
  const head = ['figure', 'measured', 'required', 'aim', '']
  const lines = targets.map((target) => {
    const sign = target.better === 'more' ? '≥' : '≤'
    const goal = (value: number): string => `${sign} ${withUnit(value, target)}`
    return [target.what, withUnit(target.value, target), goal(target.required), goal(target.aim), verdictOf(target)]
  })
  return table(head, ['---', '---:', '---:', '---:', '---'], lines)
}

function withUnit(value: number, { unit, digits }: Target): string {
  return unit === '×' ? `${figure(value, digits)}${unit}` : `${figure(value, digits)} ${unit}`
}

function sectionText({ title, conditions, columns, rows, notes }: Section): string {
  const head = ['', ...columns.map((column) => column.label)]
  const rule = ['---', ...columns.map(() => '---:')]
  const body = table(
    head,
    rule,
    rows.map((row) => [row.name, ...columns.map((column) => cell(row, column))]),
  )
  const list = notes.map((note) => `- ${note}`).join('\n')
  return [`## ${title}`, conditions, body, ...(list === '' ? [] : [list])].join('\n\n')
}

function cell(row: Row, { key, digits }: Column): string {
  return cellOf(row.values[key], digits)
}

function figure(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function table(head: readonly string[], rule: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, rule, ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}
