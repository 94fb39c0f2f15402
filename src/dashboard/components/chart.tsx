import { count } from './text.ts'

interface Series {
  readonly name: string
  /** Its colour's class. */
  readonly mark: 'first' | 'second'
  readonly values: readonly number[]
}

interface Props {
  readonly caption: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

const WIDTH = 600
const HEIGHT = 140

/** Bars side by side, for the eye only: the page has the table of it. */
export function Chart({ caption, labels, series }: Props) {
  const most = Math.max(1, ...series.flatMap(({ values }) => values))
  const step = WIDTH / Math.max(1, labels.length)
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
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {series.flatMap(({ name, mark, values }, at) =>
          values.map((value, day) => {
            const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT)
            return (
              <rect
                key={`${name} ${labels[day]}`}
                class={value === 0 ? 'none' : mark}
                x={day * step + 2 + at * width}
                y={HEIGHT - height}
                width={width}
                height={height}
              >
                <title>{`${labels[day]}: ${count(value)} ${name}`}</title>
              </rect>
            )
          }),
        )}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </p>
    </figure>
  )
}
