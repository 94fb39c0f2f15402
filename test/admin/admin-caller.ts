import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import { systemClock } from '../../src/clock.ts'
import type { Service } from '../support/service.ts'

export interface AdminAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed; `null`: there is none. */
  readonly body: any
}

export type AdminCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<AdminAnswer>

/** Calls the admin API of a service with a token of its own, called `test`. */
export function createAdminCaller({ adminUrl, database }: Pick<Service, 'adminUrl' | 'database'>): AdminCall {
  const authorization = `Bearer ${createAdminTokenStore({ database, clock: systemClock }).add('test')}`
  return async (method, path, body, headers = {}) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
}
