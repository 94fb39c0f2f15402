import { beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import { devicePropertyRoutes } from '../../../src/device/routes/device-property-routes.ts'
import { deviceRoutes } from '../../../src/device/routes/device-routes.ts'
import { registryRoutes } from '../../../src/device/routes/registry-routes.ts'
import { userRoutes } from '../../../src/device/routes/user-routes.ts'
import { createApi } from '../../../src/http/api.ts'
import { createGate } from '../../../src/http/gate.ts'
import { cancelRoutes } from '../../../src/push/cancel-routes.ts'
import { previewRoutes } from '../../../src/push/preview/preview-routes.ts'
import { pushRoutes } from '../../../src/push/push-routes.ts'
import { shownRoutes } from '../../../src/push/shown/shown-routes.ts'
import { statusRoutes } from '../../../src/push/status/status-routes.ts'
import { statsRoutes } from '../../../src/stats/stats-routes.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

/** The document's table (contract, "Endpoints"), and which of them need the secret ("Authentication", rule 2). */
const CONTRACT = [
  'PUT /deviceToken',
  'PUT /deviceToken/batch with the secret',
  'PUT /deviceToken/del',
  'PUT /alias',
  'PUT /tag',
  'PUT /tag/del',
  'PUT /geo',
  'GET /deviceToken/all with the secret',
  'GET /feedback with the secret',
  'GET /deviceToken/one',
  'POST /push/all with the secret',
  'POST /push/one with the secret',
  'PUT /badge',
  'PUT /stats',
  'GET /analytics with the secret',
]

/** What there is beside it. */
const BESIDE = [
  'POST /push/preview with the secret',
  'GET /push/{id} with the secret',
  'GET /pushes with the secret',
  'GET /push/{id}/failures with the secret',
  'GET /push/{id}/device with the secret',
  'POST /push/{id}/cancel with the secret',
  'DELETE /push/{id}/shown with the secret',
  'PUT /push/{id}/shown with the secret',
  'PUT /user/del with the secret',
]

/** What anybody may read. */
const OPEN = [
  '/docs',
  '/docs/client',
  '/docs/start.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui.js',
  '/healthz',
  '/llms.txt',
  '/manual',
  '/manual/:topic',
  '/openapi-3.0.json',
  '/openapi.json',
]

interface Route {
  readonly method: string
  /** As it is documented: `/push/{id}`. */
  readonly pattern: string
  /** One that is called. */
  readonly path: string
  readonly secret: boolean
}

const ID = '019a9f7e-3c1b-7000-8000-000000000000'

const clock = createFakeClock()
const service = await fileService({ clock })
// What an address may get wrong is limited: 20, and one more every 3 s.
beforeEach(() => clock.advance(60_000))

/** The app as the service puts it together, of these plugins; nobody calls it. */
function routesOf(plugins: (gate: ReturnType<typeof createGate>) => readonly AnyElysia[]) {
  const uncalled = {} as never
  const gate = createGate(uncalled)
  return createApi({ gate, log: uncalled, routes: plugins(gate) }).routes
}

const routes = routesOf((gate) => {
  const uncalled = {} as never
  return [
    deviceRoutes({
      gate,
      pushServices: [],
      commit: uncalled,
      devices: uncalled,
      bounds: uncalled,
      judgeProof: uncalled,
      log: uncalled,
    }),
    devicePropertyRoutes({
      gate,
      commit: uncalled,
      devices: uncalled,
      bounds: uncalled,
      judgeProof: uncalled,
      badgeSet: uncalled,
    }),
    registryRoutes({ gate, devices: uncalled, feedback: uncalled }),
    userRoutes({ gate, audited: uncalled, eraseUser: uncalled }),
    pushRoutes({ gate, devices: uncalled, pushing: uncalled }),
    cancelRoutes({ gate, audited: uncalled, commit: uncalled, clock, cancellations: uncalled, deliveries: uncalled }),
    shownRoutes({ gate, audited: uncalled, commit: uncalled, takeBack: uncalled, deliveries: uncalled }),
    previewRoutes({ gate, clock, counting: uncalled, devices: uncalled, pushing: uncalled }),
    statusRoutes({ gate, clock, statuses: uncalled, explanations: uncalled, pauseOf: uncalled }),
    statsRoutes({ gate, commit: uncalled, clock, stats: uncalled, clear: uncalled, counted: uncalled }),
  ]
})

const guarded: readonly Route[] = routes
  .filter(({ path }) => !OPEN.includes(path))
  .map(({ method, path, hooks }) => ({
    method,
    pattern: path.replace(':id', '{id}'),
    path: path.replace(':id', ID),
    secret: 'secret' in (hooks.detail?.security?.[0] ?? {}),
  }))

/** `PUT /tag`, or `GET /feedback with the secret`. */
const nameOf = ({ method, pattern, secret }: Omit<Route, 'path'>) =>
  `${method} ${pattern}${secret ? ' with the secret' : ''}`

function call(
  { method, path }: Pick<Route, 'method' | 'path'>,
  headers: Record<string, string | null> = {},
): Promise<Answer> {
  return service.call(method, path, { headers })
}

describe('the routes', () => {
  test('are those of the document, those beside it, and those that anybody may read', () => {
    expect(guarded.map(nameOf).toSorted()).toEqual([...CONTRACT, ...BESIDE].toSorted())
    const open = routes.filter(({ path }) => OPEN.includes(path))
    expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(OPEN.map((path) => `GET ${path}`))
  })

  test('of the running service are these, each documented with what it asks of the caller', async () => {
    const { body } = await service.get('/openapi.json', { as: 'nobody', headers: { 'accept-version': null } })
    const documented = Object.entries<Record<string, { security: object[] }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => {
        expect(security[0]).toHaveProperty('appId')
        return nameOf({ method: method.toUpperCase(), pattern: path, secret: 'secret' in (security[0] ?? {}) })
      }),
    )
    expect(documented.toSorted()).toEqual([...CONTRACT, ...BESIDE].toSorted())
  })

  test('a route that forgets to say what it asks of the caller keeps the service from starting', () => {
    const forgetful = () => [new Elysia().get('/deviceToken/export', () => 'everything')]
    expect(() => routesOf(forgetful)).toThrow('GET /deviceToken/export documents no security.')
  })

  test.each(OPEN.map((path) => path.replace(':topic', 'server')))('GET %s needs no header', async (path) => {
    // As it is: fetch would ask for gzip, and count what it unpacks.
    const headers = { 'accept-encoding': 'identity' }
    const response = await fetch(service.url + path, { headers })
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const { byteLength } = await response.bytes()
    const head = await fetch(service.url + path, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, response.headers.get('content-type')])
    expect(head.headers.get('content-length')).toBe(String(byteLength))
    expect(await head.text()).toBe('')
  })
})

describe.each(guarded.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const { method, path, secret } = route

  test('asks for a version that is served', async () => {
    const without = await call(route, { 'accept-version': null })
    expectFailure(without, 400, 'InvalidHeader', 'Accept-Version header is required.')
    const other = await call(route, { 'accept-version': '2' })
    expectFailure(other, 400, 'InvalidVersion', `2 is not supported by ${method} ${path}`)
  })

  test('asks for the credentials it needs, and refuses wrong ones also where it needs none', async () => {
    const absent = [{ 'x-service-appid': null }, ...(secret ? [{ 'x-service-secret': null }] : [])]
    for (const headers of absent) {
      const answer = await call(route, headers)
      expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    }
    const wrong = [{ 'x-service-appid': 'app_unknown' }, { 'x-service-secret': 'wrong' }]
    for (const headers of wrong) {
      const answer = await call(route, headers)
      expectFailure(answer, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
    }
  })

  test('lets in whoever has them', async () => {
    const enough = await call(route, secret ? {} : { 'x-service-secret': null })
    // Past admission, it misses a field, finds no push of that id, or has an answer.
    expect([200, 404, 409]).toContain(enough.status)
    if (enough.status === 404) expect(enough.body.message).toBe('No push found')
    if (enough.status === 409) expect(enough.body.code).toBe('MissingParameter')
  })

  test('is 405 with every other method, and Allow says which is right', async () => {
    const methods = guarded.filter((one) => one.path === path).map((one) => one.method)
    const allow = method === 'GET' ? 'GET, HEAD' : methods.toSorted().join(', ')
    for (const other of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND']) {
      if (allow.split(', ').includes(other)) continue
      const answer = await service.call(other, path, { as: 'nobody', headers: { 'accept-version': null } })
      if (other === 'HEAD') expect(answer.status).toBe(405)
      else expectFailure(answer, 405, 'MethodNotAllowedError', `${other} is not allowed`)
      expect([other, answer.headers.get('allow')]).toEqual([other, allow])
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  if (method === 'GET') {
    test('HEAD has the headers of GET, and no body', async () => {
      const [get, head] = [await call(route), await call({ ...route, method: 'HEAD' })]
      expect([head.status, head.body]).toEqual([get.status, ''])
      const other = /^(x-request-id|date|ratelimit-.*)$/
      const comparable = ({ headers }: Answer) => Object.fromEntries([...headers].filter(([name]) => !other.test(name)))
      expect(comparable(head)).toEqual(comparable(get))
      const stranger = await call({ ...route, method: 'HEAD' }, { 'x-service-appid': 'app_unknown' })
      expect(stranger.status).toBe(401)
    })
  }

  test('is another path with a slash at its end, in another letter case, or percent-encoded', async () => {
    const first = path.charCodeAt(1).toString(16)
    // Anything else there would be the id of a push.
    const longer = /^\/push\/[^/]+$/.test(path) ? `${path}/x` : `${path}x`
    for (const other of [`${path}/`, path.toUpperCase(), `/%${first}${path.slice(2)}`, longer, `/x${path}`]) {
      const answer = await service.call(method, `${other}?${path}`)
      expectFailure(answer, 404, 'ResourceNotFound', `${other} does not exist`)
    }
  })

  test('is the same path with repeated slashes', async () => {
    const plain = await call(route)
    for (const other of [`/${path}`, path.replaceAll('/', '///')]) {
      const doubled = await service.call(method, `${other}?x=//y`)
      expect([doubled.status, doubled.body]).toEqual([plain.status, plain.body])
      const stranger = await service.call(method, other, { headers: { 'x-service-secret': 'wrong' } })
      expectFailure(stranger, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
    }
  })
})
