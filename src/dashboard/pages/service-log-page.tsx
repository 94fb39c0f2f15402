import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { ServiceLogLine } from '../../admin/api-types/operation-types.ts'
import { adminCurl } from '../client/curl.ts'
import { useEvents } from '../client/live.ts'
import { queryOf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationChoice } from '../components/application-choice.tsx'
import { Badge } from '../components/badge.tsx'
import { ChoiceField } from '../components/field.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

/** As many as the server keeps. */
const KEPT_LINES = 500

const LEVELS = { debug: 'plain', info: 'plain', warn: 'mind', error: 'bad' } as const

export function ServiceLogPage() {
  const { query, route } = useLocation()
  const { level = 'info', application = '' } = query
  const applications = useResource<ApplicationsAnswer>('/api/applications').value?.applications ?? []
  const path = `/api/service-log${queryOf({ level, application })}`
  const show = (changed: object): void => route(`/service-log${queryOf({ level, application, ...changed })}`, true)
  const lines = useSignal<readonly ServiceLogLine[]>([])
  useEvents(path, 'line', (data) => {
    if (data === null) return void (lines.value = [])
    const line = JSON.parse(data) as ServiceLogLine
    // A reconnected stream repeats lines.
    const others = lines.value.filter(({ number }) => number !== line.number)
    lines.value = [line, ...others].slice(0, KEPT_LINES)
  })
  return (
    <Page lead="Newest first, live" curl={[adminCurl('GET', path)]}>
      <div class="pair">
        <ChoiceField
          label="Level"
          value={level}
          onValue={(value) => show({ level: value })}
          options={[
            ['debug', 'debug and above'],
            ['info', 'info and above'],
            ['warn', 'warnings and errors'],
            ['error', 'errors'],
          ]}
        />
        <ApplicationChoice
          all="The service and all applications"
          applications={applications}
          value={application}
          onValue={(value) => show({ application: value })}
        />
      </div>
      {lines.value.length === 0 ? (
        <Empty title="No matching lines yet">
          <p>New lines appear here as the service writes them.</p>
        </Empty>
      ) : (
        <ol class="lines" tabIndex={0} aria-label="Lines">
          {lines.value.map(({ number, at, level: weight, event, fields }) => (
            <li key={number}>
              <small>{time(at)}</small> <Badge level={LEVELS[weight]}>{weight}</Badge> {event}{' '}
              <small>
                <bdi>{textOf(fields)}</bdi>
              </small>
            </li>
          ))}
        </ol>
      )}
    </Page>
  )
}

function textOf(fields: ServiceLogLine['fields']): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
}
