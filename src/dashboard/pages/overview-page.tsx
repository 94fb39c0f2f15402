import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { OverviewAnswer, OverviewDay } from '../../admin/api-types/overview-types.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Figures } from '../components/figures.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { PushTable } from '../components/push/push-table.tsx'
import { count, share } from '../components/text.ts'
import { WelcomePage } from './welcome-page.tsx'

const DAY_COLUMNS: readonly Column<OverviewDay>[] = [
  { name: 'Day', value: ({ day }) => day },
  { name: 'Addressed', kind: 'number', value: ({ addressed }) => addressed },
  { name: 'Accepted', kind: 'number', value: ({ accepted }) => accepted },
  { name: 'Received', kind: 'number', value: ({ received }) => received },
  { name: 'Opened', kind: 'number', value: ({ opened }) => opened },
  { name: 'New devices', kind: 'number', value: ({ registered }) => registered },
  { name: 'Lost devices', kind: 'number', value: ({ lost }) => lost },
]

export function OverviewPage() {
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const overview = useResource<OverviewAnswer>('/api/overview')
  if (applications.value?.applications.length === 0) return <WelcomePage />
  return (
    <Page
      lead="The last 30 days (UTC)"
      problem={overview.problem ?? applications.problem}
      curl={[adminCurl('GET', '/api/overview')]}
    >
      {overview.value !== null && <Overview {...overview.value} />}
    </Page>
  )
}

function Overview({ attention, days, devices: { byPlatform, byState }, pushes }: OverviewAnswer) {
  const valuesOf = (name: keyof Omit<OverviewDay, 'day'>): readonly number[] => days.map((day) => day[name] ?? 0)
  const sum = (name: keyof Omit<OverviewDay, 'day'>): number =>
    valuesOf(name).reduce((total, value) => total + value, 0)
  const labels = days.map(({ day }) => day)
  return (
    <>
      {attention.map(({ level, text, fix, application }) => (
        <Notice key={`${application?.id} ${text}`} level={level}>
          <p>
            {application !== null && (
              <>
                <a href={applicationPage(application.id)}>
                  <bdi>{application.name}</bdi>
                </a>
                {': '}
              </>
            )}
            {text}
          </p>
          {fix !== null && <p>{fix}</p>}
        </Notice>
      ))}
      <Figures
        of={[
          ['Devices', count(byState.registered), `+${count(sum('registered'))} in 30 days`],
          ['iOS, Android, web', [byPlatform.ios, byPlatform.android, byPlatform.web].map(count).join(', ')],
          ['Accepted', count(sum('accepted')), `of ${count(sum('addressed'))}`],
          ['Opened', count(sum('opened')), share(sum('opened'), sum('accepted'))],
          ['Gone', count(byState.gone), `${count(sum('lost'))} in 30 days`],
          ['Quarantined', count(byState.quarantined)],
        ]}
      />
      <Chart
        caption="Notifications a day"
        labels={labels}
        series={[
          { name: 'accepted', mark: 'first', values: valuesOf('accepted') },
          { name: 'opened', mark: 'second', values: valuesOf('opened') },
        ]}
      />
      <Chart
        caption="Devices a day"
        labels={labels}
        series={[
          { name: 'new', mark: 'first', values: valuesOf('registered') },
          { name: 'lost', mark: 'second', values: valuesOf('lost') },
        ]}
      />
      <h2>Latest pushes</h2>
      {pushes.length === 0 ? (
        <p>
          No pushes yet. <a href="/applications">Choose an application</a> to send one.
        </p>
      ) : (
        <PushTable
          caption="Latest pushes"
          pushes={pushes.map((push) => Object.assign({}, push, { application: push.application.id }))}
        />
      )}
      <details>
        <summary>Show as table</summary>
        <DataTable caption="Days" columns={DAY_COLUMNS} rows={days} keyOf={({ day }) => day} />
      </details>
    </>
  )
}

interface Series {
  readonly name: string
  readonly mark: 'first' | 'second'
  readonly values: readonly number[]
}

interface ChartProps {
  readonly caption: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

const WIDTH = 600
const HEIGHT = 140

/** Bars side by side. Hidden from screen readers: the page has the same numbers as a table. */
function Chart({ caption, labels, series }: ChartProps) {
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
