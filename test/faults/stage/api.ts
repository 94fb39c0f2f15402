/** How long the harness waits for an answer of the API, in ms. */
const PATIENCE_MS = 20_000

export interface ApiAnswer {
  readonly status: number
  readonly body: any
}

export interface Api {
  /** Whether there is somebody to call. */
  readonly reachable: boolean
  /** `null`: no answer, and nobody knows what became of it. */
  call(method: 'GET' | 'PUT' | 'POST', path: string, body?: object): Promise<ApiAnswer | null>
}

/** Calls as one application; `address` is where the service is now, `null` while it is nowhere. */
export function apiOf({ id, secret }: { id: string; secret: string }, address: () => string | null): Api {
  const headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
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
