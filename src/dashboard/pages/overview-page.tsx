import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { OverviewAnswer, OverviewDay } from '../../admin/api-types/overview-types.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { Chart } from '../components/chart.tsx'
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
  { name: 'Addressed', isNumber: true, value: (day) => day.addressed, show: (day) => count(day.addressed) },
  { name: 'Accepted', isNumber: true, value: (day) => day.accepted, show: (day) => count(day.accepted) },
  { name: 'Received', isNumber: true, value: (day) => day.received, show: (day) => count(day.received) },
  { name: 'Opened', isNumber: true, value: (day) => day.opened, show: (day) => count(day.opened) },
  {
    name: 'New devices',
    isNumber: true,
    value: (day) => day.registered,
    show: (day) => (day.registered === null ? '–' : count(day.registered)),
  },
  { name: 'Lost devices', isNumber: true, value: (day) => day.lost, show: (day) => count(day.lost) },
]

/** One calm screen; with no application yet, how to get one. */
export function OverviewPage() {
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const overview = useResource<OverviewAnswer>('/api/overview')
  const told = overview.value
  if (applications.value?.applications.length === 0) return <WelcomePage />
  return (
    <Page
      title="Overview"
      lead="The last 30 days, by UTC"
      problem={overview.problem ?? applications.problem}
      curl={[adminCurl('GET', '/api/overview')]}
    >
      {told !== null && <Overview told={told} />}
    </Page>
  )
}

function Overview({ told: { attention, days, devices, pushes } }: { readonly told: OverviewAnswer }) {
  const sum = (of: keyof Omit<OverviewDay, 'day'>): number => days.reduce((total, day) => total + (day[of] ?? 0), 0)
  const accepted = sum('accepted')
  const { byPlatform, byState } = devices
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
          [
            'Devices',
            <>
              {count(byState.registered)} <small>+{count(sum('registered'))} in 30 days</small>
            </>,
          ],
          ['iOS, Android, web', [byPlatform.ios, byPlatform.android, byPlatform.web].map(count).join(', ')],
          [
            'Accepted',
            <>
              {count(accepted)} <small>of {count(sum('addressed'))}</small>
            </>,
          ],
          [
            'Opened',
            <>
              {count(sum('opened'))} <small>{share(sum('opened'), accepted)}</small>
            </>,
          ],
          [
            'Gone',
            <>
              {count(byState.gone)} <small>{count(sum('lost'))} in 30 days</small>
            </>,
          ],
          ['Quarantined', count(byState.quarantined)],
        ]}
      />
      <Chart
        caption="Notifications a day"
        labels={days.map(({ day }) => day)}
        series={[
          { name: 'accepted', mark: 'first', values: days.map((day) => day.accepted) },
          { name: 'opened', mark: 'second', values: days.map((day) => day.opened) },
        ]}
      />
      <Chart
        caption="Devices a day"
        labels={days.map(({ day }) => day)}
        series={[
          { name: 'new', mark: 'first', values: days.map(({ registered }) => registered ?? 0) },
          { name: 'lost', mark: 'second', values: days.map(({ lost }) => lost) },
        ]}
      />
      <h2>Latest pushes</h2>
      {pushes.length === 0 ? (
        <p>
          Nothing was sent yet. <a href="/applications">Choose an application</a> to send from.
        </p>
      ) : (
        <PushTable
          caption="Latest pushes"
          pushes={pushes.map((push) => Object.assign({}, push, { application: push.application.id }))}
        />
      )}
      <details>
        <summary>Day by day, as a table</summary>
        <DataTable caption="Days" columns={DAY_COLUMNS} rows={days} keyOf={({ day }) => day} />
      </details>
    </>
  )
}
