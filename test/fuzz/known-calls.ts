import { operationsOf } from '../support/openapi.ts'
import type { Json } from '../support/openapi.ts'
import type { KnownCall } from './message.ts'

interface Caller {
  readonly id: string
  readonly secret: string
}

/** Without what asks for the document itself: it is large, and nobody's input. */
const BESIDE = ['/healthz', '/manual', '/nowhere']

/** What an operator's programs ask for at the admin listener. */
const ADMIN = ['/healthz', '/readyz', '/metrics', '/nowhere']

/** Every call of the API document with each of its examples, as an app and as a backend make it. `push`: id of one. */
export function callsOf(document: Json, { id, secret }: Caller, push: string): readonly KnownCall[] {
  const identified = [
    ['Accept-Version', '1'],
    ['X-SERVICE-APPID', id],
  ] as const
  const described = operationsOf(document).flatMap(({ method, path, detail }): KnownCall[] => {
    const { example, examples = {} } = detail['requestBody']?.content['application/json'] ?? { example: null }
    const bodies: readonly (object | null)[] =
      example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
    const parameters: readonly Json[] = detail['parameters']
    const own = parameters
      .filter((one) => one['in'] === 'header' && one['required'] === true && one['name'] !== 'Accept-Version')
      .map((one) => [String(one['name']), String(one['example'])] as const)
    const asApp = [...identified, ...own]
    const asBackend = [...asApp, ['X-SERVICE-SECRET', secret] as const]
    return bodies.flatMap((body) =>
      [asApp, asBackend].map((headers) => ({ method, path: path.replace('{id}', push), headers, body })),
    )
  })
  const bare = BESIDE.map((path) => ({ method: 'GET', path, headers: [], body: null }))
  return [...described, ...bare]
}

export function adminCalls(): readonly KnownCall[] {
  return ADMIN.map((path) => ({ method: 'GET', path, headers: [], body: null }))
}
