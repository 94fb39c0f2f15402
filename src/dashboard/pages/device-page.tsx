import { useLocation, useRoute } from 'preact-iso/router'
import type { DeviceAnswer, DeviceView } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Confirming } from '../components/dialog.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { Facts } from '../components/figures.tsx'
import { Page } from '../components/page.tsx'
import { time, tokenPart } from '../components/text.ts'
import { DeviceState } from './devices-page.tsx'

export function DevicePage() {
  const { id } = useApplication()
  const { route } = useLocation()
  const path = applicationCall(id, 'devices', useRoute().params['device'] ?? '')
  const { value, problem } = useResource<DeviceAnswer>(path)
  const device = value?.device
  const named = device && { token: device.token, platform: device.platform }
  const user = device?.user ?? null
  const leave = (): void => route(applicationPage(id, 'devices'))
  return (
    <Page
      title={device && `${PLATFORMS[device.platform].name} ${tokenPart(device.token, 8)}`}
      problem={problem}
      curl={[
        adminCurl('GET', path),
        ...(named === undefined
          ? []
          : [publicCurl({ method: 'PUT', path: '/deviceToken/del', application: id, body: named })]),
        ...(user === null ? [] : [publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user } })]),
      ]}
    >
      {device !== undefined && <Known device={device} />}
      <div class="buttons">
        {device?.state === 'registered' && (
          <Confirming
            text="Unregister…"
            title="Unregister this device"
            submit="Unregister"
            onSubmit={async () => {
              await call('PUT', onBehalf(id, '/deviceToken/del'), { body: named })
              leave()
            }}
          >
            <p>It gets no pushes until its app registers it again, which most apps do at their next launch.</p>
          </Confirming>
        )}
        {user !== null && <EraseUser kind="danger" application={id} user={user} onErased={leave} />}
      </div>
      {value !== null && <Pushes id={id} pushes={value.pushes} />}
    </Page>
  )
}

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
        ['Last seen', time(seenAt)],
      ]}
    />
  )
}

const PHONE = { android: 'Android', ios: 'iPhone, reached through FCM' } as const

function Pushes({ id, pushes }: { readonly id: string; readonly pushes: DeviceAnswer['pushes'] }) {
  return (
    <>
      <h2>Latest pushes</h2>
      {pushes.length === 0 ? (
        <p>None of the application’s latest pushes was for this device.</p>
      ) : (
        <DataTable
          caption="Pushes to this device"
          columns={[
            {
              name: 'Push',
              value: ({ title, push }) => title ?? push,
              show: ({ title, push }) => <bdi>{title ?? `${push.slice(0, 13)}…`}</bdi>,
              link: ({ push }) => applicationPage(id, 'pushes', push),
            },
            { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
            {
              name: 'Result',
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
