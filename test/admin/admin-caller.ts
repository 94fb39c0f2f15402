import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import { systemClock } from '../../src/clock.ts'
import type { Service } from '../support/service.ts'

export interface AdminAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed; `null`: there is none. */
  readonly body: any
}

export interface AdminCall {
  (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<AdminAnswer>
  /** The answer to a GET as it comes. */
  readonly open: (path: string) => Promise<Response>
}

/** Server-sent events of an answer, one after the other; ends with it. */
export async function* eventsOf(response: Response): AsyncGenerator<{ readonly event: string; readonly data: any }> {
  let text = ''
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const event = field('event')
      if (event !== undefined) yield { event, data: JSON.parse(field('data') ?? 'null') }
    }
  }
}

/** Calls the admin API of a service with a token of its own, called `test`. */
export function createAdminCaller({ adminUrl, database }: Pick<Service, 'adminUrl' | 'database'>): AdminCall {
  const authorization = `Bearer ${createAdminTokenStore({ database, clock: systemClock }).add('test')}`
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
  return Object.assign(call, { open: (path: string) => fetch(adminUrl + path, { headers: { authorization } }) })
}
