import { useSignal } from '@preact/signals'
import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { AttentionPoint, OverviewAnswer, OverviewDay } from '../../admin/api-types/overview-types.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationPage } from '../client/paths.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { changeOf, sumOf, todayOf, weekdayOf, weeksOf } from '../client/weeks.ts'
import type { DayCount } from '../client/weeks.ts'
import { Chart } from '../components/chart.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Choices, keptIn } from '../components/field.tsx'
import { Figures } from '../components/figures.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { PushTable, ScheduledTable } from '../components/push/push-table.tsx'
import { count, share } from '../components/text.ts'
import { WelcomePage } from './welcome-page.tsx'

/** 90 days is the longest range of the charts. */
const OVERVIEW = '/api/overview?days=90'

const DAY_COLUMNS: readonly Column<OverviewDay>[] = [
  { name: 'Day (UTC)', value: ({ day }) => day },
  { name: 'Addressed', kind: 'number', value: ({ addressed }) => addressed },
  { name: 'Accepted', kind: 'number', value: ({ accepted }) => accepted },
  { name: 'Received', kind: 'number', value: ({ received }) => received },
  { name: 'Opened', kind: 'number', value: ({ opened }) => opened },
  { name: 'New devices', kind: 'number', value: ({ registered }) => registered },
  { name: 'Lost devices', kind: 'number', value: ({ lost }) => lost },
]

export function OverviewPage() {
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const overview = useResource<OverviewAnswer>(OVERVIEW)
  useFresh(overview)
  if (applications.value?.applications.length === 0) return <WelcomePage />
  return (
    <Page curl={[adminCurl('GET', OVERVIEW)]}>
      <Loaded of={overview}>{(value) => <Overview {...value} />}</Loaded>
    </Page>
  )
}

/** In the order of an operator's questions: is it working, what was sent, what is next? */
function Overview({ attention, days, devices: { byState }, scheduled, pushes }: OverviewAnswer) {
  return (
    <>
      <Attention points={attention} />
      <Sent days={days} registered={byState.registered} />
      <h2>Scheduled next</h2>
      {scheduled.length === 0 ? <p>Nothing is scheduled.</p> : <ScheduledTable pushes={scheduled.map(listed)} />}
      <h2>Latest pushes</h2>
      {pushes.length === 0 ? (
        <p>
          No pushes yet. <a href="/applications">Choose an application</a> to send one.
        </p>
      ) : (
        <PushTable caption="Latest pushes" pushes={pushes.map(listed)} />
      )}
      <Days days={days} />
    </>
  )
}

const listed = (push: OverviewAnswer['pushes'][number]) =>
  Object.assign({}, push, { application: push.application.id, applicationName: push.application.name })

/** The others are folded. */
const MAX_NOTICES = 4

function Attention({ points }: { readonly points: readonly AttentionPoint[] }) {
  if (points.length === 0) {
    return (
      <Notice level="good">
        <p>Everything is working.</p>
      </Notice>
    )
  }
  const [shown, folded] = [points.slice(0, MAX_NOTICES), points.slice(MAX_NOTICES)]
  return (
    <>
      {shown.map(noticeOf)}
      {folded.length > 0 && (
        <details>
          <summary>{count(folded.length)} more</summary>
          {folded.map(noticeOf)}
        </details>
      )}
    </>
  )
}

const noticeOf = ({ level, text, fix, application }: AttentionPoint) => (
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
)

function Sent({ days, registered }: { readonly days: readonly OverviewDay[]; readonly registered: number }) {
  const { today, weekAgo, weekAgoDay } = todayOf(days, 'accepted')
  const [sent, opened] = [weeksOf(days, 'accepted'), weeksOf(days, 'opened')]
  const change = changeOf(sent.before, sent.last)
  const week = days.slice(-7)
  return (
    <Figures
      of={[
        [
          'Sent today (UTC)',
          count(today),
          weekAgoDay && weekAgo !== null && `${count(weekAgo)} last ${weekdayOf(weekAgoDay)}`,
        ],
        [
          'Sent in 7 days',
          count(sent.last),
          change === null ? 'nothing the week before' : `${change} on the week before`,
        ],
        ['Opened in 7 days', share(opened.last, sent.last), `${share(opened.before, sent.before)} the week before`],
        [
          'Registered devices',
          count(registered),
          `${count(sumOf(week, 'registered'))} new in 7 days, ${count(sumOf(week, 'lost'))} reported unregistered`,
        ],
      ]}
    />
  )
}

const RANGES = ['7', '30', '90'].map((days) => [days, `${days} days`] as const)

function Days({ days }: { readonly days: readonly OverviewDay[] }) {
  const range = useSignal('30')
  const shown = days.slice(-Number(range.value))
  const names = shown.map(({ day }) => day)
  const valuesOf = (name: DayCount): readonly number[] => shown.map((day) => day[name] ?? 0)
  return (
    <>
      <h2>Day by day</h2>
      <Choices legend="Range" options={RANGES} {...keptIn(range)} />
      <Chart
        caption="Notifications"
        days={names}
        series={[
          { name: 'accepted', mark: 'first', values: valuesOf('accepted') },
          { name: 'opened', mark: 'second', values: valuesOf('opened') },
        ]}
      />
      <Chart
        caption="Devices"
        days={names}
        series={[
          { name: 'new', mark: 'first', values: valuesOf('registered') },
          { name: 'lost', mark: 'second', values: valuesOf('lost') },
        ]}
      />
      <details>
        <summary>Show as table</summary>
        <DataTable caption="Days" columns={DAY_COLUMNS} rows={shown} keyOf={({ day }) => day} />
      </details>
    </>
  )
}
