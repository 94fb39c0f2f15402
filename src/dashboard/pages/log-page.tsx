import { useLocation } from 'preact-iso/router'
import type { AdminLogAnswer } from '../../admin/api-types/administrator-types.ts'
import { adminCurl } from '../client/curl.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'

/** What administrators did. */
export function LogPage() {
  const { query } = useLocation()
  const before = query['before']
  const path = `/api/log?limit=100${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`
  const { value, problem } = useResource<AdminLogAnswer>(path)
  return (
    <Page
      title="Who did what"
      lead="Administrators, tokens and commands, kept for 400 days. Nobody can change it from here."
      problem={problem}
      curl={[adminCurl('GET', path)]}
    >
      {value?.entries.length === 0 && (
        <Empty title="That was all">
          <p>
            <a href="/log">The newest entries</a>
          </p>
        </Empty>
      )}
      {value !== null && value.entries.length > 0 && (
        <DataTable
          caption="Log"
          columns={[
            { name: 'When', isTime: true, value: ({ at }) => at },
            { name: 'Who', value: ({ who }) => who, show: ({ who }) => <bdi>{who}</bdi> },
            { name: 'What', value: ({ action }) => action },
            { name: 'To what', value: ({ subject }) => subject, show: ({ subject }) => <bdi>{subject}</bdi> },
            { name: 'More', value: ({ detail }) => textOf(detail) },
          ]}
          rows={value.entries}
          keyOf={({ number }) => number}
        />
      )}
      <p class="buttons">
        {before !== undefined && <a href="/log">Newest</a>}
        {value !== null && value.next !== null && <a href={`/log?before=${value.next}`}>Older</a>}
      </p>
    </Page>
  )
}

function textOf(detail: Readonly<Record<string, unknown>>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
