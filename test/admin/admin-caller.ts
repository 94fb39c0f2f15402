import { misfits, operationsOf } from '../support/openapi.ts'
import type { Json } from '../support/openapi.ts'
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
  /** The last entry of the audit log. */
  readonly newest: () => Promise<any>
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

/** By method, what there is, with its path in parts. */
type Described = ReadonlyMap<string, readonly { readonly parts: readonly string[]; readonly detail: Json }[]>

let description: Promise<{ readonly document: Json; readonly calls: Described }> | null = null

async function describe(adminUrl: string) {
  const document = (await (await fetch(`${adminUrl}/openapi.json`)).json()) as Json
  const described = operationsOf(document).map(({ method, path, detail }) => ({
    method,
    parts: path.split('/'),
    detail,
  }))
  // What is spelled out goes before what stands for anything.
  const placeholders = ({ parts }: (typeof described)[number]) => parts.filter((part) => part.startsWith('{')).length
  const inOrder = described.toSorted((a, b) => placeholders(a) - placeholders(b))
  const calls = Map.groupBy(inOrder, ({ method, parts }) => `${method} ${parts.length}`)
  return { document, calls }
}

/** Whatever a test calls for: an answer is as the document of the admin API says. */
async function expectDescribed(
  adminUrl: string,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<void> {
  if (!path.startsWith('/api/') || path.includes('/v1/')) return
  const { document, calls } = await (description ??= describe(adminUrl))
  const segments = new URL(path, adminUrl).pathname.split('/')
  const found = calls
    .get(`${method} ${segments.length}`)
    ?.find(({ parts }) => parts.every((part, n) => part === segments[n] || part.startsWith('{')))
  const schema = found?.detail['responses'][status]?.content?.['application/json']?.schema
  if (schema === undefined) {
    if (status === 200) throw new Error(`${method} ${path} is not in the document`)
    return
  }
  const wrong = misfits(document, schema, body)
  if (wrong.length > 0) throw new Error(`${method} ${path} ${status} is not as documented: ${wrong.join('; ')}`)
}

/** Calls the admin API of a service with a token of its own, called `test`. What is answered must be as documented. */
export function createAdminCaller({ adminUrl, database }: Pick<Service, 'adminUrl' | 'database'>): AdminCall {
  const tokens = createAdminTokenStore({ database, clock: systemClock })
  const authorization = `Bearer ${tokens.add('test', { purpose: 'administer', expiresAt: null })}`
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = text === '' ? null : JSON.parse(text)
    await expectDescribed(adminUrl, method, path, response.status, answer)
    return { status: response.status, headers: response.headers, body: answer }
  }
  return Object.assign(call, {
    open: (path: string) => fetch(adminUrl + path, { headers: { authorization } }),
    newest: async () => (await call('GET', '/api/log?limit=1')).body.entries[0],
  })
}

export interface SentByPage {
  readonly cookie?: string
  readonly token?: string
  readonly body?: unknown
  /** `null`: none, as of a program. Default the page's own. */
  readonly origin?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the admin API as a page in a browser does. */
export async function callAsPage(adminUrl: string, method: string, path: string, sent: SentByPage = {}) {
  const { cookie, token, body, origin = adminUrl, headers = {} } = sent
  const response = await fetch(adminUrl + path, {
    method,
    headers: {
      ...(method !== 'GET' && origin !== null && { origin }),
      ...(cookie !== undefined && { cookie }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}
