import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type {
  ApplicationsAnswer,
  ApplicationSummary,
  NewApplicationAnswer,
} from '../../admin/api-types/application-types.ts'
import type { OverviewAnswer } from '../../admin/api-types/overview-types.ts'
import type { ProviderName, ProviderState } from '../../admin/api-types/credential-types.ts'
import { newSecret } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationPage } from '../client/paths.ts'
import { ALL_PROVIDERS, PROVIDERS } from '../client/platforms.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { Badge } from '../components/badge.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Asking, Opener } from '../components/dialog.tsx'
import { CheckField, checkedIn, keptIn, TextField } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'

export function ProviderMark({ provider: { state, reason, simulated } }: { readonly provider: ProviderState }) {
  if (simulated) return <Badge level="plain">simulated</Badge>
  if (state === 'none') return <Badge level="plain">no key</Badge>
  if (state === 'ready') return <Badge level="good">ready</Badge>
  return <Badge level="bad">{reason ?? 'paused'}</Badge>
}

const providerColumn = (provider: ProviderName): Column<ApplicationSummary> => ({
  name: PROVIDERS[provider].name,
  value: ({ providers }) => providers[provider].state,
  show: ({ providers }) => <ProviderMark provider={providers[provider]} />,
})

const columnsWith = (problemsOf: (id: string) => number | null): readonly Column<ApplicationSummary>[] => [
  { name: 'Application', kind: 'name', value: ({ name }) => name, link: ({ id }) => applicationPage(id) },
  { name: 'Devices in any state', kind: 'number', value: ({ devices }) => devices },
  { name: 'Sent today (UTC)', kind: 'number', value: ({ acceptedToday }) => acceptedToday },
  {
    name: 'Problems',
    kind: 'number',
    value: ({ id }) => problemsOf(id),
    link: ({ id }) => (problemsOf(id) ? '/' : null),
  },
  ...ALL_PROVIDERS.map(providerColumn),
  { name: 'ID', kind: 'code', value: ({ id }) => id },
]

export function ApplicationsPage() {
  const list = useResource<ApplicationsAnswer>('/api/applications')
  const attention = useResource<OverviewAnswer>('/api/overview').value?.attention
  useFresh(list)
  const problemsOf = (id: string): number | null =>
    attention?.filter(({ application }) => application?.id === id).length ?? null
  return (
    <Page
      lead="Each is one of your apps, with its devices, secret and keys."
      action={<Opener kind="primary" text="New application" dialog={(close) => <NewApplication onClose={close} />} />}
      curl={[adminCurl('GET', '/api/applications'), adminCurl('POST', '/api/applications', { name: 'shop' })]}
    >
      <Loaded of={list}>
        {({ applications }) =>
          applications.length === 0 ? (
            <Empty title="No applications yet">
              <p>
                <a href="/welcome">Create one and send a first push</a> to three simulated phones. It takes half a
                minute.
              </p>
            </Empty>
          ) : (
            <DataTable
              caption="Applications"
              columns={columnsWith(problemsOf)}
              rows={applications}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      {list.value?.elsewhere.map(({ id, name, where }) => (
        <p key={id}>
          “{name}” {where}.
        </p>
      ))}
    </Page>
  )
}

function NewApplication({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const name = useSignal('')
  const simulate = useSignal(false)
  return (
    <Asking
      title="New application"
      submit="Create"
      onSubmit={async () => {
        const body = { name: name.value, simulate: simulate.value }
        const { id, secret } = await call<NewApplicationAnswer>('POST', '/api/applications', { body })
        newSecret.value = { application: id, secret }
        route(applicationPage(id))
      }}
      onClose={onClose}
    >
      <TextField label="Name" {...keptIn(name)} required autofocus />
      <CheckField label="Use the simulator: nothing is sent to Apple or Google" {...checkedIn(simulate)} />
    </Asking>
  )
}
