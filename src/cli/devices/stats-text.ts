import { DAY_MS } from '../../clock.ts'
import type { DeviceCount } from '../../device/device-search-store.ts'
import { PLATFORM } from '../../platform.ts'
import type { Day } from '../../stats/tally-store.ts'
import type { LanguageDay } from '../../stats/receipt-count-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, dayOf, grouped, percent } from '../../text/format.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import type { Style } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'
import type { Column } from '../terminal/table-text.ts'

export interface ApplicationStats {
  readonly id: string
  readonly name: string
  readonly days: readonly Day[]
  /** Of pushes in several languages. */
  readonly languages: readonly LanguageDay[]
  readonly devices: readonly DeviceCount[]
  readonly gone: number
}

const MIN_BAR = 8
const MAX_BAR = 60

export function statsText(stats: readonly ApplicationStats[], style: Style): string {
  const [first, second] = stats
  if (first === undefined) return 'There are no applications yet: bellhop app create NAME adds one.\n'
  if (second === undefined) return oneText(first, style)
  const days = first.days.map(({ day }, at) => {
    const { t, s, o, received } = sums(stats.flatMap((one) => one.days[at] ?? []))
    return { day, t, s, o, received }
  })
  const registered = ({ devices }: ApplicationStats) => devices.reduce((sum, one) => sum + one.registered, 0)
  const lines = listing<ApplicationStats & Counts>(
    stats.map((one) => ({ ...one, ...sums(one.days) })),
    [
      ['Application', ({ name }) => escapeControls(name)],
      ['Addressed', ({ t = 0 }) => grouped(t), 'right'],
      ['Accepted', ({ s }) => grouped(s), 'right'],
      ...reportColumns(days, percent),
      ['Devices', (one) => grouped(registered(one)), 'right'],
      ['Gone in 30 days', ({ gone }) => grouped(gone), 'right'],
    ],
    style.paint,
  )
  return [...chart(days, style), '', ...lines, ''].join('\n')
}

/** Apps that report no arrivals get no columns for them. */
function reportColumns(
  all: readonly Counts[],
  shareOf: (count: number, accepted: number) => string = shareOfSome,
): readonly Column<Counts>[] {
  const pair = (title: string, count: (one: Counts) => number): readonly Column<Counts>[] => [
    [title, (one) => grouped(count(one)), 'right'],
    ['', (one) => shareOf(count(one), one.s), 'right'],
  ]
  const areReported = all.some(({ received }) => received > 0)
  return [...(areReported ? pair('Received', ({ received }) => received) : []), ...pair('Opened', ({ o }) => o)]
}

function shareOfSome(count: number, accepted: number): string {
  return accepted > 0 ? percent(count, accepted) : ''
}

/** Days in UTC. `language` null: the push's own text. */
export function statsJson({ id, name, days, languages, devices, gone }: ApplicationStats): object {
  return {
    id,
    name,
    ...sums(days),
    days: days.map(({ day, ...counts }) => ({ date: dateOf(day), ...counts })),
    languages: languages.flatMap(({ day, language, ...counts }) =>
      language === '' ? [] : { date: dateOf(day), language: language === OWN_TEXT ? null : language, ...counts },
    ),
    language_unknown: languages.flatMap(({ day, language, ...counts }) =>
      language === '' ? { date: dateOf(day), ...counts } : [],
    ),
    devices: Object.fromEntries(devices.map(({ platform, registered }) => [platform, registered])),
    gone_30_days: gone,
  }
}

function oneText(stats: ApplicationStats, style: Style): string {
  const { name, days, devices, gone } = stats
  const { paint, legible } = style
  const { t, s, o, received } = sums(days)
  const totals = [
    `${grouped(t)} addressed`,
    `${grouped(s)} accepted`,
    ...(received > 0 ? [`${grouped(received)} received (${percent(received, s)})`] : []),
    `${grouped(o)} opened (${percent(o, s)})`,
  ]
  const platforms = devices.map(({ platform, registered }) => `${grouped(registered)} ${PLATFORM[platform].name}`)
  return [
    paint('bold', escapeControls(name)),
    '',
    ...chart(days, style),
    '',
    ...languageTable(stats, style),
    legible(`In ${counted(days.length, 'day')}: ${totals.join(' · ')}`),
    legible(`Devices: ${platforms.join(' · ')} · ${grouped(gone)} gone in the last 30 days`),
    '',
  ].join('\n')
}

/** With bars if the terminal is wide enough: accepted drawn full, the rest of addressed shaded. */
function chart(days: readonly Day[], { columns, unicode, paint }: Style): readonly string[] {
  const [title = '', ...lines] = listing<Day>(days, [
    ['Day (UTC)', ({ day }) => dateOf(day)],
    ['Addressed', ({ t }) => grouped(t), 'right'],
    ['Accepted', ({ s }) => grouped(s), 'right'],
    ...reportColumns(days),
  ])
  const used = Math.max(...[title, ...lines].map((line) => line.length))
  // The last column stays free: some terminals wrap when it is written.
  const room = columns === null ? 0 : Math.min(columns - used - 3, MAX_BAR)
  if (room < MIN_BAR) return [paint('dim', title), ...lines]
  const max = Math.max(...days.map(({ t, s }) => Math.max(t, s)))
  return [
    paint('dim', title),
    ...days.map(({ t, s }, at) => {
      const { full, rest } = bar({ value: Math.max(t, s), whole: s, max }, room, unicode)
      return `${(lines[at] ?? '').padEnd(used)}  ${paint('cyan', full)}${paint('dim', rest)}`.trimEnd()
    }),
  ]
}

function languageTable({ languages, days }: ApplicationStats, { paint, legible }: Style): readonly string[] {
  if (languages.length === 0) return []
  const byText = Map.groupBy(languages, ({ language }) => language)
  const texts = [...byText]
    .map(([language, some]) => Object.assign({ language }, sums(some)))
    .toSorted((a, b) => Number(a.language === '') - Number(b.language === '') || b.s - a.s)
  const lines = listing<{ readonly language: string } & Counts>(
    texts,
    [
      ['Language', ({ language }) => (language === OWN_TEXT ? 'own text' : language || 'unknown')],
      ['Accepted', ({ s }) => grouped(s), 'right'],
      ...reportColumns(languages),
    ],
    paint,
  )
  return [legible(`Pushes sent in several languages in ${counted(days.length, 'day')}:`), ...lines, '']
}

type Counts = Pick<Day, 's' | 'o' | 'received'> & { readonly t?: number }

function sums(days: readonly Counts[]): Omit<Day, 'day'> {
  const sum = (count: (day: Counts) => number) => days.reduce((total, day) => total + count(day), 0)
  return {
    t: sum(({ t = 0 }) => t),
    s: sum(({ s }) => s),
    o: sum(({ o }) => o),
    received: sum(({ received }) => received),
  }
}

function dateOf(day: number): string {
  return dayOf(day * DAY_MS)
}

const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** `whole`, a part of `value`, is drawn full and the rest shaded, scaled to `max`. All but 0 has a mark. */
function bar(
  { value, whole, max }: { readonly value: number; readonly whole: number; readonly max: number },
  width: number,
  unicode: boolean,
): { readonly full: string; readonly rest: string } {
  if (value <= 0 || max <= 0) return { full: '', rest: '' }
  const columns = Math.min((value / max) * width, width)
  const full = Math.min((whole / max) * width, columns)
  if (!unicode) {
    const shown = Math.max(Math.round(columns), 1)
    const marked = whole > 0 ? Math.min(Math.max(Math.round(full), 1), shown) : 0
    return { full: '#'.repeat(marked), rest: '.'.repeat(shown - marked) }
  }
  const missing = Math.round(columns) - Math.ceil(full)
  const eighths = Math.max(Math.round(full * 8), whole > 0 ? 1 : 0)
  const drawn = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
  return { full: drawn, rest: '░'.repeat(Math.max(missing, drawn === '' ? 1 : 0)) }
}
