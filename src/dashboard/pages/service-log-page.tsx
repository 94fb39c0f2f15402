import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { ServiceLogLine } from '../../admin/api-types/operation-types.ts'
import { comebacks, noteAway } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useResource } from '../client/resource.ts'
import { ChoiceField } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

/** As many as the server keeps. */
const KEPT_LINES = 500

const LEVELS = { debug: '', info: '', warn: 'mind', error: 'bad' } as const

/** What the service writes, as it does. */
export function ServiceLogPage() {
  const { query, route } = useLocation()
  const { level = 'info', application = '' } = query
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const asked = new URLSearchParams({ level, ...(application !== '' && { application }) })
  const path = `/api/service-log?${asked}`
  const show = (changed: object): void => {
    const shown = Object.entries({ level, application, ...changed }).filter(([, value]) => value !== '')
    route(`/service-log?${new URLSearchParams(shown)}`, true)
  }
  const lines = useSignal<readonly ServiceLogLine[]>([])
  useEffect(() => {
    lines.value = []
    const source = new EventSource(path)
    source.addEventListener('line', ({ data }: MessageEvent<string>) => {
      const line = JSON.parse(data) as ServiceLogLine
      // One that connects again is told the last ones again.
      const others = lines.value.filter(({ number }) => number !== line.number)
      lines.value = [line, ...others].slice(0, KEPT_LINES)
    })
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CONNECTING) noteAway()
    })
    return () => source.close()
  }, [path, comebacks.value])
  return (
    <Page title="Service log" lead="The newest first, as it is written" curl={[adminCurl('GET', path)]}>
      <div class="pair">
        <ChoiceField
          label="Show"
          value={level}
          onValue={(value) => show({ level: value })}
          options={[
            ['debug', 'everything'],
            ['info', 'all but what is for debugging'],
            ['warn', 'warnings and errors'],
            ['error', 'errors'],
          ]}
        />
        <ChoiceField
          label="Of"
          value={application}
          onValue={(value) => show({ application: value })}
          options={[
            ['', 'the service and every application'],
            ...(applications.value?.applications ?? []).map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      {lines.value.length === 0 ? (
        <p>Nothing of that was written yet.</p>
      ) : (
        <ol class="lines" tabIndex={0} aria-label="Lines">
          {lines.value.map(({ number, at, level: weight, event, fields }) => (
            <li key={number}>
              <small>{time(at)}</small> <span class={`state ${LEVELS[weight]}`}>{weight}</span> {event}{' '}
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
