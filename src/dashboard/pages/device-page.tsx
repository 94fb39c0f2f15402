import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { DeviceAnswer, DeviceView } from '../../admin/api-types/device-types.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { Asking } from '../components/asking.tsx'
import { DataTable } from '../components/data-table.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { Facts } from '../components/figures.tsx'
import { Page } from '../components/page.tsx'
import { time, tokenPart } from '../components/text.ts'
import { DeviceState } from './devices-page.tsx'
import { PLATFORMS } from '../client/platforms.ts'

/** One phone: what is known of it, and what became of the last pushes. */
export function DevicePage() {
  const { id = '', device = '' } = useRoute().params
  const path = applicationCall(id, 'devices', device)
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const { value, problem } = useResource<DeviceAnswer>(path)
  const asked = useSignal<'unregister' | 'erase' | null>(null)
  const close = (): void => {
    asked.value = null
  }
  const record = value?.device ?? null
  const user = record?.user ?? null
  return (
    <Page
      title={record === null ? 'Device' : `${PLATFORMS[record.platform].name} ${tokenPart(record.token, 8)}`}
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      problem={problem}
      curl={[
        adminCurl('GET', path),
        ...(record === null
          ? []
          : [publicCurl({ method: 'PUT', path: '/deviceToken/del', application: id, body: named(record) })]),
        ...(user === null ? [] : [publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user } })]),
      ]}
    >
      {record !== null && <Known device={record} />}
      <div class="buttons">
        {record?.state === 'registered' && (
          <button type="button" class="danger" onClick={() => (asked.value = 'unregister')}>
            Unregister …
          </button>
        )}
        {user !== null && (
          <button type="button" class="danger" onClick={() => (asked.value = 'erase')}>
            Erase the user …
          </button>
        )}
      </div>
      {value !== null && <Pushes id={id} pushes={value.pushes} />}
      {asked.value === 'unregister' && record !== null && <Unregister id={id} device={record} onClose={close} />}
      {asked.value === 'erase' && user !== null && <EraseUser application={id} user={user} onClose={close} />}
    </Page>
  )
}

const named = ({ token, platform }: DeviceView) => ({ token, platform })

function Known({ device }: { readonly device: DeviceView }) {
  const { token, platform, state, alias, user, tag, active, lat, lng, badge } = device
  const { fcmPlatform, facts, registeredAt, seenAt } = device
  return (
    <Facts
      of={[
        ['Token', <code>{token}</code>],
        ...(platform === '1' ? [['Phone', PHONE[fcmPlatform ?? 'android']] as const] : []),
        ['State', <DeviceState state={state} />],
        ['Alias', <bdi>{alias ?? '–'}</bdi>],
        ['User', <bdi>{user ?? '–'}</bdi>],
        ['Tags', <bdi>{tag.join(', ') || '–'}</bdi>],
        ['Types', <bdi>{active.join(', ') || '–'}</bdi>],
        ['Place', lat === null || lng === null ? '–' : `${lat}, ${lng}`],
        ['Badge', badge],
        ...facts.map(({ label, value }) => [label, <bdi>{value ?? '–'}</bdi>] as const),
        ['Registered', time(registeredAt)],
        ['Seen', time(seenAt)],
      ]}
    />
  )
}

/** What stands behind a token of FCM. */
const PHONE = { android: 'Android', ios: 'iPhone, reached through FCM' } as const

function Pushes({ id, pushes }: { readonly id: string; readonly pushes: DeviceAnswer['pushes'] }) {
  return (
    <>
      <h2>Its last pushes</h2>
      {pushes.length === 0 ? (
        <p>None of the last pushes was for this device.</p>
      ) : (
        <DataTable
          caption="Pushes to this device"
          columns={[
            {
              name: 'Push',
              value: ({ title, push }) => title ?? push,
              show: ({ title, push }) => (
                <a href={applicationPage(id, 'pushes', push)}>
                  <bdi>{title ?? `${push.slice(0, 13)}…`}</bdi>
                </a>
              ),
            },
            { name: 'Made', isTime: true, value: ({ createdAt }) => createdAt },
            {
              name: 'What became of it',
              value: ({ verdict }) => verdict,
              show: ({ verdict, explanation }) => (
                <>
                  <span class="state">{verdict.replaceAll('_', ' ')}</span> {explanation}
                </>
              ),
            },
          ]}
          rows={pushes}
          keyOf={({ push }) => push}
        />
      )}
    </>
  )
}

interface Unregistering {
  readonly id: string
  readonly device: DeviceView
  readonly onClose: () => void
}

function Unregister({ id, device, onClose }: Unregistering) {
  const { route } = useLocation()
  return (
    <Asking
      title="Unregister this device"
      submit="Unregister"
      isDangerous
      onSubmit={async () => {
        await call('PUT', onBehalf(id, '/deviceToken/del'), { body: named(device) })
        route(applicationPage(id, 'devices'))
      }}
      onClose={onClose}
    >
      <p>Nothing goes to it any more until its app registers it again, which it does at its next launch.</p>
    </Asking>
  )
}
