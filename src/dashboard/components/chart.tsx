import { niceTop, count } from './text.ts'

interface Series {
  readonly name: string
  readonly mark: 'first' | 'second'
  readonly values: readonly number[]
}

interface Props {
  readonly caption: string
  /** `2026-11-26`, ascending, up to today. */
  readonly days: readonly string[]
  /** One value per day. */
  readonly series: readonly Series[]
}

const WIDTH = 600
const HEIGHT = 140

/** Hidden from screen readers: put the same numbers into a table. */
export function Chart({ caption, days, series }: Props) {
  if (days.length === 0) return null
  const top = niceTop(Math.max(1, ...series.flatMap(({ values }) => values)))
  const step = WIDTH / days.length
  const width = Math.max(1, (step - 4) / series.length)
  return (
    <figure class="chart">
      <figcaption>
        {caption}
        {series.map(({ name, mark }) => (
          <span key={name} class={`key ${mark}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div class="plot" aria-hidden="true">
        <p class="axis upright">
          <span>{count(top)}</span>
          <span>{top > 1 && count(top / 2)}</span>
          <span>0</span>
        </p>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          {[0.5, HEIGHT / 2].map((y) => (
            <line key={y} class="grid" x1={0} x2={WIDTH} y1={y} y2={y} />
          ))}
          <rect class="today" x={WIDTH - step} y={0} width={step} height={HEIGHT} />
          {series.flatMap(({ name, mark, values }, at) =>
            values.map((value, day) => {
              const height = value === 0 ? 1 : Math.max(3, (value / top) * HEIGHT)
              return (
                <rect
                  key={`${name} ${days[day]}`}
                  class={value === 0 ? 'none' : mark}
                  x={day * step + 2 + at * width}
                  y={HEIGHT - height}
                  width={width}
                  height={height}
                >
                  <title>{`${days[day]}: ${count(value)} ${name}`}</title>
                </rect>
              )
            }),
          )}
        </svg>
        <p class="axis">
          <span>{dayName(days[0])}</span>
          <span>{dayName(days[Math.floor(days.length / 2)])}</span>
          <span>today</span>
        </p>
      </div>
    </figure>
  )
}

function dayName(day = ''): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
}
