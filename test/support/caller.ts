import { expect } from 'bun:test'
import type { Limits } from '../../src/application/application.ts'
import type { DeviceRecord } from '../../src/device/device-record.ts'
import type { Answer, Call, Credentials, Service } from './service.ts'

/** A device record as it is read off the wire, unchecked. */
export type Listed = Omit<DeviceRecord, 'platform'> & { readonly platform: string }

/** An application of its own on a shared service: what a test leaves in the registry, no other test sees. */
export interface Caller {
  readonly application: Credentials
  put(path: string, body: unknown, as?: Call['as']): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  /** PUT /deviceToken, which must succeed. */
  register(body: Readonly<Record<string, unknown>>): Promise<Listed>
  /** All registered devices, in the order of their registration. */
  devices(): Promise<Listed[]>
}

let callers = 0

export function newCaller(service: Service, limits: Partial<Limits> = {}): Caller {
  const application = service.addApplication(`caller ${++callers}`, limits)
  return {
    application,
    put: (path, body, as) => service.put(path, body, { application, ...(as && { as }) }),
    post: (path, body) => service.post(path, body, { application }),
    get: (path) => service.get(path, { application }),
    async register(body) {
      const answer = await service.put('/deviceToken', body, { application })
      expect([200, 201]).toContain(answer.status)
      return answer.body
    },
    async devices() {
      const answer = await service.get('/deviceToken/all', { application })
      expect(answer.status).toBe(200)
      return answer.body
    },
  }
}

/** The service with an application of its own in place of the first: calls without another one are this one's. */
export function newTenant(service: Service, limits: Partial<Limits> = {}, simulated = true): Service {
  const application = service.addApplication(`tenant ${++callers}`, limits, simulated)
  const call: Service['call'] = (method, path, more) => service.call(method, path, { application, ...more })
  return {
    ...service,
    application,
    call,
    put: (path, body, more) => call('PUT', path, { ...more, body }),
    post: (path, body, more) => call('POST', path, { ...more, body }),
    get: (path, more) => call('GET', path, more),
  }
}
