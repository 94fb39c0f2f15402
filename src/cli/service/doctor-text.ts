import { GROUPS } from '../../doctor/finding.ts'
import type { DoctorCheck, Group, State } from '../../doctor/finding.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { textColumns, wrapped } from '../terminal/table-text.ts'

const HEADINGS: Readonly<Record<Exclude<Group, 'application'>, string>> = {
  machine: 'This machine',
  gateways: 'Apple and Google',
  database: 'The database',
}

interface Mark {
  readonly sign: string
  /** Its initial in ASCII, the whole word in a pipe. */
  readonly word: string
  readonly colour: Colour
}

const MARKS: Readonly<Record<State, Mark>> = {
  ok: { sign: '✓', word: 'ok', colour: 'green' },
  warning: { sign: '!', word: 'warning', colour: 'yellow' },
  failed: { sign: '✗', word: 'failed', colour: 'red' },
  skipped: { sign: '-', word: 'skipped', colour: 'dim' },
}

/** In a pipe, a line for each check. */
export function doctorText(checks: readonly DoctorCheck[], style: Style): string {
  const lines =
    style.columns === null
      ? [...checks.map(plainLine), '']
      : grouped(checks, style, textColumns({ columns: style.columns }) - INDENT)
  return `${[...lines, summary(checks)].join('\n')}\n`
}

/** One line: `{"ok":…,"checks":[{"id","group","application"?,"state","found","advice","ms"}]}`. */
export function doctorJson(checks: readonly DoctorCheck[]): string {
  const ok = checks.every(({ state }) => state !== 'failed')
  return jsonLine({
    ok,
    checks: checks.map(({ id, group, application, state, found, advice, ms }) => ({
      id,
      group,
      ...(application !== null && { application: application.id }),
      state,
      found,
      advice,
      ms,
    })),
  })
}

function plainLine({ id, application, state, found, advice }: DoctorCheck): string {
  const whose = application === null ? '' : ` (${application.name})`
  return escapeControls(`${MARKS[state].word} ${id}${whose}: ${found}${advice === null ? '' : ` ${advice}`}`)
}

function grouped(checks: readonly DoctorCheck[], style: Style, columns: number): readonly string[] {
  return GROUPS.flatMap((group) => {
    const own = checks.filter((check) => check.group === group)
    if (group !== 'application') return own.length === 0 ? [] : section(HEADINGS[group], own, style, columns)
    const ids = [...new Set(own.map(({ application }) => application?.id))]
    return ids.flatMap((id) => {
      const ofOne = own.filter(({ application }) => application?.id === id)
      return section(escapeControls(ofOne[0]?.application?.name ?? ''), ofOne, style, columns)
    })
  })
}

function section(heading: string, checks: readonly DoctorCheck[], style: Style, columns: number): readonly string[] {
  const lines = checks.flatMap(({ state, found, advice }) => {
    const { sign, word, colour } = MARKS[state]
    const mark = style.unicode ? sign : word.charAt(0)
    const [first = '', ...more] = wrapped(escapeControls(found), columns)
    return [
      `  ${style.paint(colour, mark)} ${first}`,
      ...[...more, ...(advice === null ? [] : wrapped(escapeControls(advice), columns))].map(
        (line) => `${' '.repeat(INDENT)}${line}`,
      ),
    ]
  })
  return [style.paint('bold', heading), ...lines, '']
}

const INDENT = 4

function summary(checks: readonly DoctorCheck[]): string {
  const count = (wanted: State): number => checks.filter(({ state }) => state === wanted).length
  return (['ok', 'warning', 'failed', 'skipped'] as const)
    .filter((state) => state === 'ok' || count(state) > 0)
    .map((state) => `${count(state)} ${state === 'warning' && count(state) !== 1 ? 'warnings' : state}`)
    .join(', ')
}
