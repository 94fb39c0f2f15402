import { beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { markdown } from '../manual/markdown-files.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { expectFailure, statusesOf } from '../support/refusals.ts'
import { fileService } from '../support/file-service.ts'
import { ALIAS, contentOf, DEVICE, newWorld, UNKNOWN } from './world.ts'

/** OWASP API Security Top 10, 2023 (owasp.org/API-Security/editions/2023): each risk, and tests of it that stand elsewhere. */
const RISKS: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  'API1:2023 Broken Object Level Authorization': [
    ['security/access.test.ts', 'the secret of one application opens no other, and reaches nothing of it'],
    ['registry-model/registry-model.test.ts', 'two applications answer each call as the contract has it'],
  ],
  'API2:2023 Broken Authentication': [
    ['api/http/admission.test.ts', 'an unknown application and a wrong secret read the same'],
    ['api/http/admission.test.ts', 'an address that gets them wrong 20 times waits'],
    ['server/secrets-stay-inside.test.ts', 'by any route, whether it succeeds or fails'],
  ],
  'API3:2023 Broken Object Property Level Authorization': [
    ['api/http/robustness.test.ts', 'keys and names of the language'],
    [
      'api/features/unknown-fields.test.ts',
      'is 400 before anything else that is wrong, or missing since it is misspelled',
    ],
  ],
  'API4:2023 Unrestricted Resource Consumption': [
    ['api/http/bodies.test.ts', '8. a body larger than 256 KiB'],
    ['api/http/limits.test.ts', 'who calls more often than it allows is answered 429'],
    ['api/features/growth.test.ts', 'what goes beyond an ordinary registration is taken more slowly from one address'],
    ['api/http/connections.test.ts', 'in more than 2048 chunks is 413'],
  ],
  'API5:2023 Broken Function Level Authorization': [
    ['security/access.test.ts', 'the application id alone cannot'],
    ['api/http/every-route.test.ts', 'a route that forgets to say what it asks of the caller keeps the service from'],
  ],
  'API6:2023 Unrestricted Access to Sensitive Business Flows': [
    ['api/features/growth.test.ts', 'an application has as many devices as calls without its secret may bring'],
    ['api/features/blast-guard.test.ts', 'lets nothing out that addresses more devices, and says how many they are'],
    ['api/http/limits.test.ts', 'cannot be used up by whom has only the application id'],
    ['api/features/verified-users.test.ts', 'a user or alias without a proof is refused, and nothing is changed'],
  ],
  'API7:2023 Server Side Request Forgery': [
    ['webhook/address-guard.test.ts', 'is refused when any address of its name is private'],
    ['webhook/post.test.ts', 'follows no redirect'],
  ],
  'API8:2023 Security Misconfiguration': [
    ['api/http/admission.test.ts', 'what is our own fault is 500 with a support ID'],
    ['api/http/docs.test.ts', 'lets the browser load from nowhere else'],
    ['admin/own-names.test.ts', 'the admin side does not answer to'],
  ],
  'API9:2023 Improper Inventory Management': [
    [
      'api/http/every-route.test.ts',
      'of the running service are these, each documented with what it asks of the caller',
    ],
    ['api/http/docs.test.ts', 'is not there with --docs off, and the API is'],
  ],
  'API10:2023 Unsafe Consumption of APIs': [
    ['webhook/post.test.ts', 'reads little of an endless answer'],
    ['delivery/gone.test.ts', 'sets nobody aside: the device waits for another attempt'],
    ['gateway/transport/conformance-failures.test.ts', 'fails requests when the authority is not trusted'],
  ],
}

const clock = createFakeClock()
const service = await fileService({ clock })
// What an address may get wrong is limited: 20, and one more every 3 s.
beforeEach(() => clock.advance(60_000))

test('the manual has a row for each', () => {
  const rows = markdown('src/manual/access.md').match(/^\| (API\d+:2023 [^|]*?) +\|/gm) ?? []
  expect(rows.map((row) => row.replaceAll(/^\| | +\|$/g, ''))).toEqual(Object.keys(RISKS))
})

describe.each(Object.entries(RISKS))('%s', (_, elsewhere) => {
  test.each([...elsewhere])('is tested in test/%s: %s', async (file, name) => {
    expect(await Bun.file(join(import.meta.dir, '..', file)).text()).toContain(name)
  })
})

describe('API1:2023 Broken Object Level Authorization', () => {
  test('a push, its failures and its devices are those of their own application, whoever knows the id', async () => {
    const [own, other] = [await newWorld(service), await newWorld(service)]
    const before = await contentOf(service, other.application)
    for (const endpoint of ['GET /push/{id}', 'GET /push/{id}/failures', 'POST /push/{id}/cancel']) {
      const answer = await own.byBackend(endpoint, { id: other.push })
      expectFailure(answer, 404, 'ResourceNotFound', 'No push found')
    }
    expect(await contentOf(service, other.application)).toEqual(before)
  })

  test('cursors and keys of one application lead to nothing of another', async () => {
    const [own, other] = [await newWorld(service), await newWorld(service)]
    await other.byBackend('PUT /deviceToken', { body: UNKNOWN })
    const page = await service.get('/deviceToken/all?limit=1', { application: other.application })
    const cursor = /[?&](after=\d+)/.exec(page.headers.get('link') ?? '')?.[1]
    const { body: rest } = await service.get(`/deviceToken/all?${cursor}`, { application: own.application })
    expect([cursor, rest]).toEqual([expect.any(String), []])
    const body = { platform: '0', msg: 'Hello', sound: '', badge: '', send_at: 3600 }
    const call = { body, headers: { 'idempotency-key': 'order-17' } }
    const [first, second] = [await own.byBackend('POST /push/all', call), await other.byBackend('POST /push/all', call)]
    expect([first.status, second.status, first.body.id === second.body.id]).toEqual([200, 200, false])
  })
})

describe('API2:2023 Broken Authentication', () => {
  test('credentials are read of their headers alone', async () => {
    const { id, secret } = service.application
    const elsewhere: readonly Record<string, string>[] = [
      { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      { authorization: `Bearer ${secret}` },
      { cookie: `x-service-secret=${secret}` },
      { x_service_secret: secret },
    ]
    for (const headers of elsewhere) {
      const answer = await service.get(`/analytics?X-SERVICE-SECRET=${secret}`, { as: 'device', headers })
      expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    }
  })
})

describe('API3:2023 Broken Object Property Level Authorization', () => {
  test('a registration sets what it is for, and nothing else of the device', async () => {
    const { byId, device } = await newWorld(service)
    const before = await device()
    const more = {
      badge: 99,
      setbadgecount: 99,
      id: 1,
      application: 2,
      state: 1,
      environment: 1,
      created_at: '2020-01-01T00:00:00.000Z',
      registered_at: 0,
      seen_at: 0,
      updated_at: 0,
      warnings: ['mine'],
    }
    expect(await byId('PUT /deviceToken', { body: { ...DEVICE, ...more } })).toMatchObject({ status: 200 })
    expect(await device()).toEqual({ ...before, updated_at: new Date(clock.now()).toISOString() })
  })

  test('a record tells nothing but its documented members', async () => {
    const { byId } = await newWorld(service)
    const { body } = await byId('GET /deviceToken/one', { headers: { token: DEVICE.token } })
    const documented = 'token platform lat lng active tag alias badge created_at updated_at user'
    expect(Object.keys(body).join(' ')).toBe(documented)
  })
})

describe('API4:2023 Unrestricted Resource Consumption', () => {
  test('whoever has the id alone is held to the rate of an address, while the backend goes on', async () => {
    const application = service.addApplication('held', { rate: 1, burst: 5 })
    const call = () => service.put('/deviceToken', DEVICE, { application, as: 'device' })
    expect(statusesOf(await Promise.all(Array.from({ length: 12 }, call)))).toEqual({ 200: 4, 201: 1, 429: 7 })
    expect(await service.put('/deviceToken', DEVICE, { application })).toMatchObject({ status: 200 })
  })
})

describe('API5:2023 Broken Function Level Authorization', () => {
  test('another method, path or header makes an endpoint of the backend none of the app', async () => {
    const { application } = await newWorld(service)
    const before = await contentOf(service, application)
    const tries = [
      ['PUT', '/deviceToken/batch', {}],
      ['PUT', '//deviceToken//batch', {}],
      ['POST', '/deviceToken/batch', { 'x-http-method-override': 'PUT' }],
      ['PUT', '/deviceToken/../deviceToken/batch', {}],
      ['PUT', '/deviceToken', { 'x-original-url': '/deviceToken/batch', 'x-rewrite-url': '/deviceToken/batch' }],
      ['GET', '/readyz', {}],
      ['GET', '/metrics', {}],
    ] as const
    for (const [method, path, headers] of tries) {
      const body = { tokens: [UNKNOWN.token], platform: '0' }
      const call = { application, as: 'device', headers, ...(method !== 'GET' && { body }) } as const
      expect([400, 404, 405, 409]).toContain((await service.call(method, path, call)).status)
    }
    expect(await contentOf(service, application)).toEqual(before)
  })
})

describe('API6:2023 Unrestricted Access to Sensitive Business Flows', () => {
  test('an alias that somebody has guessed brings no push of its owner to another phone', async () => {
    const { byId, byBackend } = await newWorld(service)
    await byId('PUT /deviceToken', { body: { ...UNKNOWN, alias: ALIAS } })
    await byId('PUT /alias', { body: { ...UNKNOWN, alias: ALIAS } })
    await byId('PUT /alias', { body: { platform: '0', current_alias: ALIAS, alias: 'gone' } })
    const { body } = await byBackend('POST /push/preview', { body: { alias: ALIAS, msg: 'Your code is 123456' } })
    expect(body).toMatchObject({ t: 1, sample: [{ token: DEVICE.token, alias: ALIAS }] })
  })

  test('nor does a user who has to be proven, by whatever door', async () => {
    const { byId, byBackend, foreignProof } = await newWorld(service, { verifyUsers: true })
    const names: object[] = [
      { user: 'ann' },
      { user: 'ann', user_proof: foreignProof('ann') },
      { replaces: DEVICE.token },
    ]
    for (const more of names) {
      const { status, body } = await byId('PUT /deviceToken', { body: { ...UNKNOWN, ...more } })
      expect([status, body.code]).toEqual([401, 'InvalidCredentials'])
    }
    const { body } = await byBackend('POST /push/preview', { body: { users: 'ann', msg: 'Your code is 123456' } })
    expect(body).toMatchObject({ t: 1, sample: [{ token: DEVICE.token }] })
  })
})

describe('API7:2023 Server Side Request Forgery', () => {
  test('an address in a push is sent to the phone, and asked by nobody here', async () => {
    let asked = 0
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(String(++asked)) })
    const { byBackend } = await newWorld(service)
    const image = `https://127.0.0.1:${server.port}/image.png`
    const body = { ...DEVICE, msg: 'Hello', sound: '', badge: '', image, link: `http://127.0.0.1:${server.port}/` }
    const { body: push } = await byBackend('POST /push/one', { body })
    await service.logged(({ event, push: id }) => event === 'push sent' && id === push.id)
    const arrived = (await service.server.simulator()).arrivals().find(({ collapse }) => collapse === push.id)
    expect(arrived?.body).toMatchObject({ image })
    expect(asked).toBe(0)
  })
})

describe('API8:2023 Security Misconfiguration', () => {
  test('an answer is kept by nobody, is what it says it is, and lets no page send credentials along', async () => {
    const answers = [
      await service.get('/analytics', { headers: { origin: 'https://evil.example' } }),
      await service.get('/nope', { headers: { origin: 'https://evil.example' } }),
    ]
    for (const { headers } of answers) {
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.has('server') || headers.has('x-powered-by')).toBe(false)
    }
  })
})

describe('API9:2023 Improper Inventory Management', () => {
  test('one version is served, and there is nothing beside it', async () => {
    for (const version of ['0', '2', '1.0.0-beta']) {
      const answer = await service.get('/analytics', { headers: { 'accept-version': version } })
      expectFailure(answer, 400, 'InvalidVersion', `${version} is not supported by GET /analytics`)
    }
    for (const path of ['/v1/analytics', '/v2/analytics', '/api/analytics', '/admin', '/debug', '/internal', '/.env']) {
      expectFailure(await service.get(path), 404, 'ResourceNotFound', `${path} does not exist`)
    }
  })
})

describe('API10:2023 Unsafe Consumption of APIs', () => {
  test('an answer of a gateway that is none loses no device, and nothing of it is repeated to anybody', async () => {
    const { byBackend, device } = await newWorld(service)
    const before = await device()
    const page = '<script>alert(1)</script>\u001b[2J'.repeat(100)
    const simulator = await service.server.simulator()
    simulator.answerWith(() => ({ kind: 'answer', answer: { status: 400, headers: {}, body: page } }))
    const { body } = await byBackend('POST /push/one', { body: { ...DEVICE, msg: 'Hello', sound: '', badge: '' } })
    await service.logged(({ event, push }) => event === 'push sent' && push === body.id)
    simulator.answerWith(null)
    expect(await device()).toEqual(before)
    const told = await byBackend('GET /push/{id}/failures', { id: body.id })
    expect(told.body).toMatchObject([{ reason: 'HTTP 400' }])
    expect(JSON.stringify(service.log)).not.toContain('alert(1)')
  })
})
