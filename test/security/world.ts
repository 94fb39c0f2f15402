import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { Limits } from '../../src/application/application.ts'
import type { ImportedDevice } from '../../src/device/transfer/imported-device.ts'
import { newCaller } from '../support/caller.ts'
import { importDevice } from '../support/imported.ts'
import type { Answer, Call, Credentials, Service } from '../support/service.ts'

/** An application that adopts imported devices, with a phone, and a push that is to be sent in an hour. */
export interface World {
  readonly application: Credentials
  /** The id of the push. */
  readonly push: string
  /** A call with the id alone: what whoever has the app can make. */
  readonly byId: (endpoint: string, call?: EndpointCall) => Promise<Answer>
  /** A call of its backend. */
  readonly byBackend: (endpoint: string, call?: EndpointCall) => Promise<Answer>
  /** A proof of a user or alias under the user key of this application, and under that of another. */
  readonly proof: (name: string) => string
  readonly foreignProof: (name: string) => string
  /** Brings a device in by an import. */
  readonly importDevice: (device: ImportedDevice) => void
  /** The record of the phone, or of another. */
  readonly device: (token?: string) => Promise<any>
}

export type EndpointCall = Pick<Call, 'headers'> & { readonly body?: object; readonly id?: string }

export const DEVICE = { token: 'ab'.repeat(32), platform: '0' }
export const ALIAS = 'user-17'
/** Registered nowhere. */
export const UNKNOWN = { token: 'cd'.repeat(32), platform: '0' }

/** Whatever application it is for, the phone has the same token and alias. */
export async function newWorld(service: Service, limits: Partial<Limits> = {}): Promise<World> {
  const caller = newCaller(service, { adoptImported: true })
  const { application } = caller
  service.limit(application, limits)
  const body = { ...DEVICE, alias: ALIAS, user: 'ann', tag: ['vip'], active: ['news'], lat: 52.52, lng: 13.405 }
  expect(await service.put('/deviceToken', body, { application })).toMatchObject({ status: 201 })
  const later = { platform: ['0'], msg: 'Hello', sound: '', badge: '', send_at: 3600 }
  expect(await service.post('/push/all', later, { application })).toMatchObject({ status: 200 })
  const push: string = (await service.get('/pushes', { application })).body[0].id
  const made =
    (as: 'device' | 'backend') =>
    (endpoint: string, call: EndpointCall = {}) =>
      callAs(service, endpoint, { id: push, ...call, as, application })
  return {
    application,
    push,
    byId: made('device'),
    byBackend: made('backend'),
    proof: proving(() => service.makeUserKey(application)),
    foreignProof: proving(() => service.makeUserKey(newCaller(service).application)),
    importDevice: (device) => importDevice(service, application, device),
    device: async (token = DEVICE.token) => (await caller.devices()).find((each) => each.token === token),
  }
}

/** Makes the key with the first proof. */
function proving(makeKey: () => string): (name: string) => string {
  let key: string | null = null
  return (name) =>
    createHmac('sha256', (key ??= makeKey()))
      .update(name)
      .digest('hex')
}

/** `PUT /tag` with a body, `GET /push/{id}` of the push `id`. */
export function callAs(
  service: Service,
  endpoint: string,
  { id = '', ...call }: EndpointCall & Pick<Call, 'as' | 'application'>,
): Promise<Answer> {
  const [method = '', path = ''] = endpoint.split(' ')
  return service.call(method, path.replace('{id}', id), call)
}

/** All that can be read of an application. */
export async function contentOf(service: Service, application: Credentials): Promise<unknown> {
  const paths = ['/deviceToken/all', '/pushes', '/analytics', '/feedback']
  const answers = await Promise.all(paths.map((path) => service.get(path, { application })))
  return answers.map(({ status, body }) => [status, body])
}
