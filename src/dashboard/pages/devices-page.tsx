import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { DeviceSearchAnswer, DeviceView } from '../../admin/api-types/device-types.ts'
import { callList } from '../client/call.ts'
import type { ListPage } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { tokenPart } from '../components/text.ts'
import { PLATFORMS } from '../client/platforms.ts'

export function DeviceState({ state }: Pick<DeviceView, 'state'>) {
  return <span class={`state ${state === 'registered' ? 'good' : 'mind'}`}>{state}</span>
}

function columnsOf(id: string): readonly Column<DeviceView>[] {
  return [
    {
      name: 'Token',
      value: ({ token }) => token,
      show: ({ device, token }) => (
        <a href={applicationPage(id, 'devices', device)}>
          <code>{tokenPart(token, 16)}</code>
        </a>
      ),
    },
    { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
    { name: 'State', value: ({ state }) => state, show: DeviceState },
    { name: 'Alias', value: ({ alias }) => alias, show: ({ alias }) => <bdi>{alias}</bdi> },
    { name: 'User', value: ({ user }) => user, show: ({ user }) => <bdi>{user}</bdi> },
    { name: 'Seen', isTime: true, value: ({ seenAt }) => seenAt },
  ]
}

/** As `GET /deviceToken/all` of the public API has it. */
type ListedDevice = Pick<DeviceView, 'token' | 'platform' | 'alias'> & {
  readonly user?: string
  readonly created_at: string
}

function listColumnsOf(id: string): readonly Column<ListedDevice>[] {
  return [
    {
      name: 'Token',
      value: ({ token }) => token,
      show: ({ token }) => (
        <a href={`${applicationPage(id, 'devices')}?q=${encodeURIComponent(token)}`}>
          <code>{tokenPart(token, 16)}</code>
        </a>
      ),
    },
    { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
    { name: 'Alias', value: ({ alias }) => alias, show: ({ alias }) => <bdi>{alias}</bdi> },
    { name: 'User', value: ({ user = null }) => user, show: ({ user }) => <bdi>{user}</bdi> },
    { name: 'Registered', isTime: true, value: (device) => device.created_at },
  ]
}

/** Phones by what one knows of them. */
export function DevicesPage() {
  const id = useRoute().params['id'] ?? ''
  const { query, route } = useLocation()
  const asked = query['q'] ?? ''
  const typed = useSignal(asked)
  const path = `${applicationCall(id, 'devices', 'search')}?q=${encodeURIComponent(asked)}`
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const { value, problem } = useResource<DeviceSearchAnswer>(asked === '' ? null : path)
  const after = query['after']
  const listed = `/deviceToken/all?limit=50${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`
  const list = useResource<ListPage<ListedDevice>>(asked === '' ? onBehalf(id, listed) : null, (from, signal) =>
    callList(from, { signal }),
  )
  return (
    <Page
      title="Devices"
      lead="By token, alias, user or tag"
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      problem={problem ?? list.problem ?? application.problem}
      curl={[
        adminCurl('GET', asked === '' ? `${applicationCall(id, 'devices', 'search')}?q=vip` : path),
        publicCurl({ method: 'GET', path: listed, application: id }),
      ]}
    >
      <Form
        submit="Search"
        onSubmit={() => {
          route(`${applicationPage(id, 'devices')}?q=${encodeURIComponent(typed.value.trim())}`)
          return Promise.resolve()
        }}
      >
        <TextField
          type="search"
          label="Token, alias, user or tag"
          hint="Of a token 8 characters are enough; the others must be whole."
          value={typed.value}
          onValue={(text) => (typed.value = text)}
          spellcheck={false}
          autocomplete="off"
          required
        />
      </Form>
      <div aria-live="polite">
        {application.value?.devices === 0 && (
          <Empty title="No device yet">
            <p>
              An app registers its phone at every launch. <a href={`/welcome/${encodeURIComponent(id)}`}>Send a push</a>{' '}
              shows what it does for that, once it was sent.
            </p>
          </Empty>
        )}
        {value?.by === null && (
          <Empty title="Nothing found">
            <p>No device has that token, alias, user or tag.</p>
          </Empty>
        )}
        {value !== null && value.by !== null && (
          <>
            <h2>Found by {value.by}</h2>
            <DataTable caption="Devices" columns={columnsOf(id)} rows={value.devices} keyOf={({ device }) => device} />
          </>
        )}
        {list.value !== null && (list.value.rows.length > 0 || after !== undefined) && (
          <List id={id} page={list.value} isFirst={after === undefined} />
        )}
      </div>
    </Page>
  )
}

function List({
  id,
  page,
  isFirst,
}: {
  readonly id: string
  readonly page: ListPage<ListedDevice>
  readonly isFirst: boolean
}) {
  const here = applicationPage(id, 'devices')
  return (
    <>
      <h2>{isFirst ? 'Registered first' : 'Registered later'}</h2>
      {page.rows.length === 0 ? (
        <p>That was all.</p>
      ) : (
        <DataTable
          caption="Registered devices"
          columns={listColumnsOf(id)}
          rows={page.rows}
          keyOf={({ platform, token }) => `${platform} ${token}`}
        />
      )}
      <p class="buttons">
        {!isFirst && <a href={here}>From the first on</a>}
        {page.next !== null && <a href={`${here}?after=${page.next}`}>More</a>}
      </p>
    </>
  )
}
