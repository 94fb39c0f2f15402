import { useLocation } from 'preact-iso/router'
import type { AdminLogAnswer } from '../../admin/api-types/administrator-types.ts'
import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import { adminCurl } from '../client/curl.ts'
import { queryOf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationChoice } from '../components/application-choice.tsx'
import { Badge } from '../components/badge.tsx'
import { DataTable } from '../components/data-table.tsx'
import { TextField } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Paging } from '../components/paging.tsx'

type Entry = AdminLogAnswer['entries'][number]

const RESULTS = { ok: 'good', started: 'mind', refused: 'mind', failed: 'bad' } as const

export function LogPage() {
  const { query, route } = useLocation()
  const { before = '', who = '', action = '', application = '' } = query
  const applications = useResource<ApplicationsAnswer>('/api/applications').value?.applications ?? []
  const filter = { who, action, application }
  const path = `/api/log${queryOf({ limit: '100', ...filter, before })}`
  const log = useResource<AdminLogAnswer>(path)
  const nameOf = (subject: string): string => applications.find(({ id }) => id === subject)?.name ?? subject
  const pageOf = (changed: object): string => `/log${queryOf({ ...filter, ...changed })}`
  const narrow = (changed: object): void => route(pageOf(changed), true)
  return (
    <Page
      lead="Changes by administrators, tokens, commands and backends. Kept for 400 days."
      curl={[adminCurl('GET', path)]}
    >
      <div class="pair">
        <TextField label="Who" type="search" value={who} onValue={(text) => narrow({ who: text })} />
        <TextField
          label="Action"
          type="search"
          hint="The whole action, such as rotate secret"
          value={action}
          onValue={(text) => narrow({ action: text })}
        />
        <ApplicationChoice
          all="All"
          applications={applications}
          value={application}
          onValue={(id) => narrow({ application: id })}
        />
      </div>
      <Loaded of={log}>
        {({ entries, next }) => (
          <>
            {entries.length === 0 ? (
              <Empty title="No entries">
                <p>
                  <a href="/log">Show all entries</a>
                </p>
              </Empty>
            ) : (
              <DataTable
                caption="Log"
                columns={[
                  { name: 'Time', kind: 'time', value: ({ at }) => at },
                  { name: 'Who', kind: 'name', value: (entry) => entry.who },
                  { name: 'From', value: ({ origin }) => origin },
                  { name: 'Action', value: (entry) => entry.action },
                  {
                    name: 'Target',
                    value: ({ subject }) => subject,
                    show: ({ subject }) => <bdi>{nameOf(subject)}</bdi>,
                  },
                  {
                    name: 'Result',
                    value: resultOf,
                    show: (entry) => <Badge level={RESULTS[entry.result]}>{resultOf(entry)}</Badge>,
                  },
                  { name: 'Details', value: detailsOf },
                ]}
                rows={entries}
                keyOf={({ number }) => number}
              />
            )}
            <Paging from={before} next={next} pageOf={(from) => pageOf({ before: from })} />
          </>
        )}
      </Loaded>
      <p class="buttons">
        <a href={`/api/log/export${queryOf({ format: 'csv', ...filter })}`} download>
          Export as CSV
        </a>
        <a href={`/api/log/export${queryOf({ format: 'json', ...filter })}`} download>
          Export as JSON
        </a>
      </p>
    </Page>
  )
}

function resultOf({ result, code }: Entry): string {
  return code === '' ? result : `${result}: ${code}`
}

/** `rate: 10 → 20, push: 019a…, bellhop app limits …` */
function detailsOf({ changes, detail, command }: Entry): string {
  return [
    ...Object.entries(changes).map(([name, { before, after }]) => `${name}: ${shown(before)} → ${shown(after)}`),
    ...Object.entries(detail).map(([name, value]) => `${name}: ${shown(value)}`),
    ...(command === '' ? [] : [command]),
  ].join(', ')
}

function shown(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
