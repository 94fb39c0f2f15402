import { createHmac } from 'node:crypto'
import type { ImportedDevice } from '../../src/device/transfer/imported-device.ts'
import { arrivalsOf } from '../support/arrivals.ts'
import { newCaller } from '../support/caller.ts'
import { importDevice } from '../support/imported.ts'
import type { Credentials, Service } from '../support/service.ts'
import { ALIASES, USERS } from './arbitrary-audience.ts'
import type { RegistryAnswer, RegistryCall } from './call.ts'
import { proofOf } from './proof-model.ts'

interface Tenant extends Credentials {
  readonly userKey: string
}

/** The two applications of a model, as the service knows them. */
export type Applications = readonly [Tenant, Tenant]

/** Both have a user key, and adopt imported devices; the second verifies its users. */
export function newApplications(service: Service): Applications {
  const tenant = (verifyUsers: boolean): Tenant => {
    const { application } = newCaller(service, { adoptImported: true })
    service.limit(application, { verifyUsers })
    return { ...application, userKey: service.makeUserKey(application) }
  }
  return [tenant(false), tenant(true)]
}

/** The body as it is sent: with the proofs that the application's backend would make. */
function withProofs(body: RegistryCall['body'], { userKey }: Tenant): RegistryCall['body'] {
  const names = new Map<unknown, string>([...USERS, ...ALIASES].map((name) => [proofOf(name), name]))
  const proven = Object.entries(body).flatMap(([field, value]) => {
    const name = names.get(value)
    return name === undefined ? [] : [[field, createHmac('sha256', userKey).update(name).digest('hex')]]
  })
  return { ...body, ...Object.fromEntries(proven) }
}

/** Devices on a page of the list: fewer than there are, so that the pages are put together. */
const PAGE = 5

/** Makes the call, and waits until what it sends is over. */
export async function perform(
  service: Service,
  applications: Applications,
  call: RegistryCall,
): Promise<RegistryAnswer> {
  const { endpoint, of, by } = call
  if (endpoint === 'import')
    return { status: 200, body: importDevice(service, applications[of], importedOf(call.body)) }
  const [method = '', path = ''] = endpoint.split(' ')
  const own = applications[of]
  const application = by === 'thief' ? { ...own, secret: applications[1 - of]?.secret ?? '' } : own
  const as = by === 'app' ? 'device' : 'backend'
  const ask = (query = '') =>
    service.call(method, path + query, {
      application,
      as,
      headers: call.headers,
      ...(method !== 'GET' && { body: withProofs(call.body, own) }),
    })

  const { status, body, headers } = await ask(endpoint === 'GET /deviceToken/all' ? `?limit=${PAGE}` : '')
  if (status >= 400) return { status, body: { code: body.code } }
  if (endpoint === 'GET /deviceToken/all') {
    const all: unknown[] = body
    for (let link = headers.get('link'); link !== null;) {
      const next = await ask(/^<([^>]*)>; rel="next"$/.exec(link)?.[1])
      all.push(...next.body)
      link = next.headers.get('link')
    }
    return { status, body: all }
  }
  if (endpoint === 'POST /push/preview') {
    const { t, platforms, sample } = body
    return { status, body: { t, platforms, sample } }
  }
  if (endpoint !== 'POST /push/all' && endpoint !== 'POST /push/one') return { status, body }
  const { id, ...rest } = body
  await arrivalsOf(service, id)
  // What shows nothing has no tag at FCM, and carries the id all the same.
  const arrived = (await service.server.simulator()).arrivals().filter((one) => JSON.stringify(one.body).includes(id))
  return {
    status,
    body: rest,
    reached: arrived
      .filter(({ reason, status }) => status !== null && reason === null)
      .map(({ token }) => token)
      .sort(),
  }
}

function importedOf({ token, platform, user, tag, seenAt }: RegistryCall['body']): ImportedDevice {
  const times = { registeredAt: Number(seenAt), seenAt: Number(seenAt), updatedAt: Number(seenAt) }
  const said = { user, tag } as Pick<ImportedDevice, 'user' | 'tag'>
  return { token: String(token), platform: platform === '0' ? 0 : 1, ...said, ...times }
}
