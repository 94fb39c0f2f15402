import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type {
  ApplicationsAnswer,
  ApplicationSummary,
  NewApplicationAnswer,
} from '../../admin/api-types/application-types.ts'
import type { ProviderName, ProviderState } from '../../admin/api-types/credential-types.ts'
import { newSecret } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Asking, Opener } from '../components/dialog.tsx'
import { CheckField, checkedIn, keptIn, TextField } from '../components/field.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'

export function ProviderMark({ provider: { state, reason, simulated } }: { readonly provider: ProviderState }) {
  if (simulated) return <span class="state">simulated</span>
  if (state === 'none') return <span class="state">no key</span>
  if (state === 'ready') return <span class="state good">ready</span>
  return <span class="state bad">{reason ?? 'paused'}</span>
}

const providerColumn = (name: string, provider: ProviderName): Column<ApplicationSummary> => ({
  name,
  value: ({ providers }) => providers[provider].state,
  show: ({ providers }) => <ProviderMark provider={providers[provider]} />,
})

const COLUMNS: readonly Column<ApplicationSummary>[] = [
  { name: 'Application', kind: 'name', value: ({ name }) => name, link: ({ id }) => applicationPage(id) },
  { name: 'Devices', kind: 'number', value: ({ devices }) => devices },
  providerColumn('Apple', 'apns'),
  providerColumn('Google', 'fcm'),
  providerColumn('Browsers', 'webpush'),
  { name: 'ID', kind: 'code', value: ({ id }) => id },
]

export function ApplicationsPage() {
  const { value, problem } = useResource<ApplicationsAnswer>('/api/applications')
  return (
    <Page
      lead="Each is one of your apps, with its devices, secret and keys."
      action={<Opener kind="primary" text="New application" dialog={(close) => <NewApplication onClose={close} />} />}
      problem={problem}
      curl={[adminCurl('GET', '/api/applications'), adminCurl('POST', '/api/applications', { name: 'shop' })]}
    >
      {value?.applications.length === 0 && (
        <Empty title="No applications yet">
          <p>
            <a href="/welcome">Create one and send a first push</a> to three simulated phones. It takes half a minute.
          </p>
        </Empty>
      )}
      {value !== null && value.applications.length > 0 && (
        <DataTable caption="Applications" columns={COLUMNS} rows={value.applications} keyOf={({ id }) => id} />
      )}
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
