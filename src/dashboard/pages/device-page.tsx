import { useLocation, useRoute } from 'preact-iso/router'
import type { DeviceAnswer, DeviceView } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf, queryOf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { DeviceState } from '../components/device-table.tsx'
import { Confirming } from '../components/dialog.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { Facts } from '../components/figures.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Page } from '../components/page.tsx'
import { PushResults } from '../components/push-results.tsx'
import { time, tokenPart } from '../components/text.ts'

export function DevicePage() {
  const { id } = useApplication()
  const { route } = useLocation()
  const path = applicationCall(id, 'devices', useRoute().params['device'] ?? '')
  const read = useResource<DeviceAnswer>(path)
  const device = read.value?.device
  const named = device && { token: device.token, platform: device.platform }
  const user = device?.user ?? null
  const leave = (): void => route(applicationPage(id, 'devices'))
  return (
    <Page
      title={device && `${PLATFORMS[device.platform].name} ${tokenPart(device.token, 8)}`}
      curl={[
        adminCurl('GET', path),
        ...(named === undefined
          ? []
          : [publicCurl({ method: 'PUT', path: '/deviceToken/del', application: id, body: named })]),
        ...(user === null ? [] : [publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user } })]),
      ]}
    >
      <Loaded of={read}>
        {({ device: shown, pushes }) => (
          <>
            <Known device={shown} />
            <div class="buttons">
              {shown.state === 'registered' && (
                <>
                  <a
                    class="button"
                    href={applicationPage(id, 'send') + queryOf({ token: shown.token, platform: shown.platform })}
                  >
                    Send to this device
                  </a>
                  <Confirming
                    text="Unregister…"
                    title="Unregister this device"
                    submit="Unregister"
                    onSubmit={async () => {
                      await call('PUT', onBehalf(id, '/deviceToken/del'), { body: named })
                      leave()
                    }}
                  >
                    <p>It gets no pushes until its app registers it again, usually at its next launch.</p>
                  </Confirming>
                </>
              )}
              {user !== null && <EraseUser kind="danger" application={id} user={user} onErased={leave} />}
            </div>
            <PushResults application={id} whose="device" pushes={pushes} keyOf={({ push }) => push} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Known({ device }: { readonly device: DeviceView }) {
  const { id } = useApplication()
  const { token, platform, state, alias, user, tag, active, lat, lng, badge } = device
  const { fcmPlatform, facts, registeredAt, seenAt } = device
  return (
    <Facts
      of={[
        ['Token', <code>{token}</code>],
        ...(platform === '1' ? [['Phone', PHONE[fcmPlatform ?? 'android']] as const] : []),
        ['State', <DeviceState state={state} />],
        ['Alias', <bdi>{alias ?? '–'}</bdi>],
        [
          'User',
          user === null ? (
            '–'
          ) : (
            <a href={applicationPage(id, 'users', user)}>
              <bdi>{user}</bdi>
            </a>
          ),
        ],
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
