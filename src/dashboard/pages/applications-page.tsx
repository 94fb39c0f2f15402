import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type {
  ApplicationsAnswer,
  ApplicationSummary,
  NewApplicationAnswer,
} from '../../admin/api-types/application-types.ts'
import type { ProviderState } from '../../admin/api-types/credential-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { newSecret } from '../client/new-secret.ts'
import { applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { Asking } from '../components/asking.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { CheckField, keptIn, TextField } from '../components/field.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { count } from '../components/text.ts'

/** What of a credential is known at a glance. */
export function ProviderMark({ provider: { state, reason, simulated } }: { readonly provider: ProviderState }) {
  if (simulated) return <span class="state">simulated</span>
  if (state === 'none') return <span class="state">no key</span>
  if (state === 'ready') return <span class="state good">ready</span>
  return <span class="state bad">{reason ?? 'paused'}</span>
}

const COLUMNS: readonly Column<ApplicationSummary>[] = [
  {
    name: 'Application',
    value: ({ name }) => name,
    show: ({ id, name }) => (
      <a href={applicationPage(id)}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: 'Devices', isNumber: true, value: ({ devices }) => devices, show: ({ devices }) => count(devices) },
  {
    name: 'Apple',
    value: ({ providers }) => providers.apns.state,
    show: ({ providers }) => <ProviderMark provider={providers.apns} />,
  },
  {
    name: 'Google',
    value: ({ providers }) => providers.fcm.state,
    show: ({ providers }) => <ProviderMark provider={providers.fcm} />,
  },
  {
    name: 'Browsers',
    value: ({ providers }) => providers.webpush.state,
    show: ({ providers }) => <ProviderMark provider={providers.webpush} />,
  },
  { name: 'ID', value: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
]

export function ApplicationsPage() {
  const { value, problem } = useResource<ApplicationsAnswer>('/api/applications')
  const isOpen = useSignal(false)
  const open = (
    <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
      New application
    </button>
  )
  return (
    <Page
      title="Applications"
      lead="One app of yours each, with its devices, its secret and its keys"
      action={open}
      problem={problem}
      curl={[adminCurl('GET', '/api/applications'), adminCurl('POST', '/api/applications', { name: 'shop' })]}
    >
      {value?.applications.length === 0 && (
        <Empty title="No application yet">
          <p>
            <a href="/welcome">Name one, and send a first push</a> to three simulated phones: it takes half a minute.
          </p>
        </Empty>
      )}
      {value !== null && value.applications.length > 0 && (
        <DataTable caption="Applications" columns={COLUMNS} rows={value.applications} keyOf={({ id }) => id} />
      )}
      {isOpen.value && <NewApplication onClose={() => (isOpen.value = false)} />}
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
      <CheckField
        label="On the simulator: nothing goes to Apple or Google"
        checked={simulate.value}
        onValue={(value) => (simulate.value = value)}
      />
    </Asking>
  )
}
