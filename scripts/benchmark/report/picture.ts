import { median } from '../measure/process-figures.ts'
import type { Row, Section } from './result.ts'

const WIDTH = 760
const NAMES_WIDTH = 300
const FIGURES_WIDTH = 90
const HEAD_HEIGHT = 84
const LINE_HEIGHT = 34
const BAR_HEIGHT = 20
const BARS_WIDTH = WIDTH - NAMES_WIDTH - FIGURES_WIDTH

/** A bar that exceeds all others by more than this is cut. */
const DWARFS = 1.25

export interface Bar {
  readonly name: string
  readonly role: NonNullable<Row['role']> | 'compared'
  readonly value: number
  /** In units of the picture. */
  readonly length: number
  readonly cut: boolean
}

/**
 * Column `key` as bars: the service, then the others from fastest to slowest, then limits, which do not set the scale.
 */
export function barsOf({ rows }: Section, key: string): readonly Bar[] {
  const figures = rows.map((row) => median(row.values[key] ?? []))
  const measured = figures.filter((value) => !Number.isNaN(value))
  const reachable = figures.filter((value, at) => !Number.isNaN(value) && rows[at]?.role !== 'limit')
  const scale = BARS_WIDTH / Math.min(Math.max(...measured), Math.max(...reachable) * DWARFS)
  return rows
    .map(({ name, role }, at): Bar => {
      const value = figures[at] ?? Number.NaN
      const length = Math.min(BARS_WIDTH, value * scale)
      return { name, role: role ?? 'compared', value, length, cut: value * scale > BARS_WIDTH + 0.5 }
    })
    .filter(({ value }) => !Number.isNaN(value))
    .toSorted((a, b) => PLACE[a.role] - PLACE[b.role] || (a.role === 'service' ? 0 : b.value - a.value))
}

const PLACE = { service: 0, compared: 1, limit: 2 }

export interface Words {
  readonly title: string
  /** Below the title. */
  readonly caption: string
}

/** Column `key` as a self-contained SVG for light and dark mode. */
export function barPicture(section: Section, key: string, { title, caption }: Words): string {
  const bars = barsOf(section, key)
  const height = HEAD_HEIGHT + bars.length * LINE_HEIGHT + 12
  const said = bars.map(({ name, value }) => `${name}: ${shown(value)}`).join('; ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(`${caption} ${said}.`)}</desc>
<style>${STYLE}</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
<text class="head" x="20" y="34">${escaped(title)}</text>
<text class="caption" x="20" y="58">${escaped(caption)}</text>
${bars.map((bar, at) => barText(bar, HEAD_HEIGHT + at * LINE_HEIGHT)).join('\n')}
</svg>
`
}

/** Sets both backgrounds: a picture in a README can't know the page's. */
const STYLE = `
text { font: 14px system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: #24292f }
.head { font-size: 17px; font-weight: 600 }
.caption, .detail { font-size: 12.5px; font-weight: 400; fill: #57606a }
.name { text-anchor: end }
.service { fill: #0b6e4f }
text.service, .figure.service { font-weight: 700; fill: #0b6e4f }
.compared { fill: #8a99a8 }
.limit { fill: #c9d1d9 }
text.compared, text.limit { fill: #24292f }
.ground { fill: #ffffff }
.cut { fill: none; stroke: #ffffff; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
text, text.compared, text.limit { fill: #e6edf3 }
.caption, .detail { fill: #9198a1 }
.service, text.service, .figure.service { fill: #3fbf8f }
.compared { fill: #6b7a89 }
.limit { fill: #3d4753 }
.ground { fill: #0d1117 }
.cut { stroke: #0d1117 }
}
`

function barText({ name, role, value, length, cut }: Bar, top: number): string {
  const line = top + BAR_HEIGHT / 2 + 5
  const [main = '', ...details] = name.split(', ')
  const detail = details.length === 0 ? '' : ` <tspan class="detail">${escaped(details.join(', '))}</tspan>`
  const end = NAMES_WIDTH + length
  const broken = `<path class="cut" d="M${(end - 26).toFixed(1)} ${top + BAR_HEIGHT + 3} l8 -26 m7 26 l8 -26"/>`
  return [
    `<text class="name ${role}" x="${NAMES_WIDTH - 12}" y="${line}">${escaped(main)}${detail}</text>`,
    `<rect class="${role}" x="${NAMES_WIDTH}" y="${top}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="3"/>`,
    ...(cut ? [broken] : []),
    `<text class="figure ${role}" x="${(end + 8).toFixed(1)}" y="${line}">${shown(value)}</text>`,
  ].join('')
}

function shown(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
