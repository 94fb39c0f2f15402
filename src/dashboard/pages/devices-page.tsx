import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { DeviceSearchAnswer, DeviceView } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { callList } from '../client/call.ts'
import type { ListPage } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf, queryOf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { tokenPart } from '../components/text.ts'

export function DeviceState({ state }: Pick<DeviceView, 'state'>) {
  return <span class={`state ${state === 'registered' ? 'good' : 'mind'}`}>{state}</span>
}

type Shared = Pick<DeviceView, 'token' | 'platform' | 'alias'> & { readonly user?: string | null }

/** `link`: where the token leads. */
function columnsOf<Row extends Shared>(link: (row: Row) => string, ...more: readonly Column<Row>[]): Column<Row>[] {
  return [
    { name: 'Token', value: ({ token }) => token, show: ({ token }) => <code>{tokenPart(token, 16)}</code>, link },
    { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
    { name: 'Alias', kind: 'name', value: ({ alias }) => alias },
    { name: 'User', kind: 'name', value: ({ user = null }) => user },
    ...more,
  ]
}

/** As `GET /deviceToken/all` of the public API has it. */
type ListedDevice = Pick<DeviceView, 'token' | 'platform' | 'alias'> & {
  readonly user?: string
  readonly created_at: string
}

export function DevicesPage() {
  const { id, value: application } = useApplication()
  const { query, route } = useLocation()
  const here = applicationPage(id, 'devices')
  const { q: asked = '', by = '', after = '' } = query
  const typed = useSignal(asked)
  const search = (text: string): string => applicationCall(id, 'devices', 'search') + queryOf({ q: text, by })
  const { value, problem } = useResource<DeviceSearchAnswer>(asked === '' ? null : search(asked))
  const listed = `/deviceToken/all${queryOf({ limit: '50', after })}`
  const list = useResource<ListPage<ListedDevice>>(asked === '' ? onBehalf(id, listed) : null, callList)
  return (
    <Page
      lead="By token, alias, user or tag"
      problem={problem ?? list.problem}
      curl={[
        adminCurl('GET', search(asked === '' ? 'vip' : asked)),
        publicCurl({ method: 'GET', path: listed, application: id }),
      ]}
    >
      <Form submit="Search" onSubmit={() => Promise.resolve(route(here + queryOf({ q: typed.value.trim() })))}>
        <TextField
          type="search"
          label="Token, alias, user or tag"
          hint="The first 8 characters of a token are enough. Everything else must match exactly."
          {...keptIn(typed)}
          spellcheck={false}
          autocomplete="off"
          required
        />
      </Form>
      <div aria-live="polite">
        {application?.devices === 0 && (
          <Empty title="No devices yet">
            <p>
              An app registers its device at every launch.{' '}
              <a href={`/welcome/${encodeURIComponent(id)}`}>Send a push</a> to see the code for that.
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
            <DataTable
              caption="Devices"
              columns={columnsOf<DeviceView>(
                ({ device }) => applicationPage(id, 'devices', device),
                { name: 'State', value: ({ state }) => state, show: DeviceState },
                { name: 'Last seen', kind: 'time', value: ({ seenAt }) => seenAt },
              )}
              rows={value.devices}
              keyOf={({ device }) => device}
            />
          </>
        )}
        {list.value !== null && (list.value.rows.length > 0 || after !== '') && (
          <>
            <h2>{after === '' ? 'Registered first' : 'Registered later'}</h2>
            {list.value.rows.length === 0 ? (
              <p>No more devices.</p>
            ) : (
              <DataTable
                caption="Registered devices"
                columns={columnsOf<ListedDevice>(({ token }) => here + queryOf({ q: token }), {
                  name: 'Registered',
                  kind: 'time',
                  value: (device) => device.created_at,
                })}
                rows={list.value.rows}
                keyOf={({ platform, token }) => `${platform} ${token}`}
              />
            )}
            <p class="buttons">
              {after !== '' && <a href={here}>First page</a>}
              {list.value.next !== null && <a href={`${here}?after=${list.value.next}`}>More</a>}
            </p>
          </>
        )}
      </div>
    </Page>
  )
}
