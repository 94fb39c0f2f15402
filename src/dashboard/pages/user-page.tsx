import { useLocation, useRoute } from 'preact-iso/router'
import type { UserAnswer } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, queryOf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { DeviceTable } from '../components/device-table.tsx'
import { EraseUser } from '../components/erase-user.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Page } from '../components/page.tsx'
import { PushResults } from '../components/push-results.tsx'
import { plural, tokenPart } from '../components/text.ts'

export function UserPage() {
  const { id } = useApplication()
  const { route } = useLocation()
  const user = useRoute().params['user'] ?? ''
  const path = applicationCall(id, 'users', user)
  const read = useResource<UserAnswer>(path)
  return (
    <Page
      title={user}
      lead={read.value !== null && `A user with ${plural(read.value.devices.length, 'device')}`}
      action={
        <a class="button primary" href={applicationPage(id, 'send') + queryOf({ users: user })}>
          Send to this user
        </a>
      }
      curl={[adminCurl('GET', path), publicCurl({ method: 'PUT', path: '/user/del', application: id, body: { user } })]}
    >
      <Loaded of={read}>
        {({ devices, pushes }) => (
          <>
            <h2>Devices</h2>
            <DeviceTable application={id} devices={devices} />
            <PushResults
              application={id}
              whose="user"
              pushes={pushes}
              keyOf={({ push, device }) => `${push} ${device}`}
              more={[{ name: 'Device', value: ({ device }) => nameIn(devices, device) }]}
            />
            <div class="buttons">
              <EraseUser
                kind="danger"
                application={id}
                user={user}
                onErased={() => route(applicationPage(id, 'users'))}
              />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function nameIn(devices: UserAnswer['devices'], device: number): string {
  const found = devices.find((one) => one.device === device)
  return found === undefined ? '' : `${PLATFORMS[found.platform].name} ${tokenPart(found.token, 8)}`
}
