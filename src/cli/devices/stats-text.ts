import { DAY_MS } from '../../clock.ts'
import type { DeviceCount } from '../../device/device-search-store.ts'
import type { Day } from '../../stats/tally-store.ts'
import type { LanguageDay } from '../../stats/receipt-count-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, dayOf, grouped, percent } from '../../text/format.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import { PLATFORM } from '../../platform.ts'
import { bar } from '../terminal/chart.ts'
import type { Style } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'
import type { Side } from '../terminal/table-text.ts'

/** What an application has sent, and to whom. */
export interface ApplicationStats {
  readonly id: string
  readonly name: string
  /** Each day of the time asked for, in order. */
  readonly days: readonly Day[]
  /** Of pushes in several languages. */
  readonly languages: readonly LanguageDay[]
  readonly devices: readonly DeviceCount[]
  /** Devices declared dead in the last 30 days. */
  readonly gone: number
}

/** Columns of the table, and the fewest that are worth a bar. */
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
  const { paint } = style
  const areReported = days.some(({ received }) => received > 0)
  const rows = stats.map((one) => {
    const { t, s, o, received } = sums(one.days)
    const registered = one.devices.reduce((sum, { registered: count }) => sum + count, 0)
    return [
      escapeControls(one.name),
      grouped(t),
      grouped(s),
      ...(areReported ? [grouped(received), percent(received, s)] : []),
      grouped(o),
      percent(o, s),
      grouped(registered),
      grouped(one.gone),
    ]
  })
  const reports = [...(areReported ? ['Received', ''] : []), 'Opened', '']
  const head = ['Application', 'Addressed', 'Accepted', ...reports, 'Devices', 'Gone in 30 days']
  const sides: readonly Side[] = ['left', ...head.slice(1).map(() => 'right' as const)]
  const [title = '', ...lines] = tableText([head, ...rows], sides)
  return [...chart(days, style), '', paint('dim', title), ...lines, ''].join('\n')
}

/** One line of JSON for each application; days are dates, UTC. `language` null: the push's own text. */
export function statsJson({ id, name, days, languages, devices, gone }: ApplicationStats): object {
  return {
    id,
    name,
    ...sums(days),
    days: days.map(({ day, ...counts }) => ({ date: dateOf(day), ...counts })),
    languages: languages.map(({ day, language, ...counts }) => ({
      date: dateOf(day),
      language: language === OWN_TEXT ? null : language,
      ...counts,
    })),
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

/** A line for each day, and on a terminal with room for it a bar: what was accepted drawn full, of what was addressed. */
function chart(days: readonly Day[], { columns, unicode, paint }: Style): readonly string[] {
  // An app whose extension reports nothing has no columns for it.
  const areReported = days.some(({ received }) => received > 0)
  const share = (count: number, accepted: number) => (accepted > 0 ? percent(count, accepted) : '')
  const rows = days.map(({ day, t, s, o, received }) => [
    dateOf(day),
    grouped(t),
    grouped(s),
    ...(areReported ? [grouped(received), share(received, s)] : []),
    grouped(o),
    share(o, s),
  ])
  const head = ['Day (UTC)', 'Addressed', 'Accepted', ...(areReported ? ['Received', ''] : []), 'Opened', '']
  const sides: readonly Side[] = ['left', ...head.slice(1).map(() => 'right' as const)]
  const [title = '', ...lines] = tableText([head, ...rows], sides)
  const used = Math.max(...[title, ...lines].map((line) => line.length))
  // The last column stays free: some terminals go to the next line when it is written.
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

/** Empty where no push of those days had several languages. */
function languageTable({ languages, days }: ApplicationStats, { paint, legible }: Style): readonly string[] {
  if (languages.length === 0) return []
  const byText = Map.groupBy(languages, ({ language }) => language)
  const texts = [...byText]
    .map(([language, some]) => ({ language, counts: sums(some) }))
    .toSorted((a, b) => b.counts.s - a.counts.s)
  const areReported = languages.some(({ received }) => received > 0)
  const share = (count: number, accepted: number) => (accepted > 0 ? percent(count, accepted) : '')
  const reportsOf = ({ s, o, received }: Counts) => {
    const opened = [grouped(o), share(o, s)]
    return areReported ? [grouped(received), share(received, s), ...opened] : opened
  }
  const rows = texts.map(({ language, counts }) =>
    [language === OWN_TEXT ? 'own text' : language, grouped(counts.s)].concat(reportsOf(counts)),
  )
  const head = ['Language', 'Accepted', ...(areReported ? ['Received', ''] : []), 'Opened', '']
  const [title = '', ...lines] = tableText([head, ...rows], ['left', ...head.slice(1).map(() => 'right' as const)])
  const of = legible(`Pushes in several languages that went out in ${counted(days.length, 'day')}:`)
  return [of, paint('dim', title), ...lines, '']
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

/** `2026-11-20` */
function dateOf(day: number): string {
  return dayOf(day * DAY_MS)
}
