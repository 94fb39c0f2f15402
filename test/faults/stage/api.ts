import { backendHeaders } from '../../support/service-process.ts'

/** Timeout of a call, in ms. */
const PATIENCE_MS = 20_000

export interface ApiAnswer {
  readonly status: number
  readonly body: any
}

export interface Api {
  /** Whether the service has an address. */
  readonly reachable: boolean
  /** `null`: no answer, and an unknown outcome. */
  call(method: 'GET' | 'PUT' | 'POST', path: string, body?: object): Promise<ApiAnswer | null>
}

/** Calls as one application. `address`: of the service, `null` while it has none. */
export function apiOf(application: { id: string; secret: string }, address: () => string | null): Api {
  const headers = backendHeaders(application)
  return {
    get reachable() {
      return address() !== null
    },
    async call(method, path, body) {
      const url = address()
      if (url === null) return null
      try {
        const response = await fetch(url + path, {
          method,
          headers,
          keepalive: false,
          signal: AbortSignal.timeout(PATIENCE_MS),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: await response.json() }
      } catch {
        return null
      }
    },
  }
}

/** GET /analytics; `null`: not answered with 200. */
export async function analyticsOf(api: Api): Promise<{ readonly t: number; readonly s: number } | null> {
  const answer = await api.call('GET', '/analytics')
  return answer?.status === 200 ? answer.body : null
}

export interface ListedDevice {
  readonly platform: string | number
  readonly token: string
  readonly tag: readonly string[]
  readonly alias: string | null
  readonly badge: number
}

/** GET /deviceToken/all; `null`: not answered with 200. */
export async function devicesOf(api: Api): Promise<readonly ListedDevice[] | null> {
  const answer = await api.call('GET', '/deviceToken/all')
  return answer?.status === 200 ? answer.body : null
}
