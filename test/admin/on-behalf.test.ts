import { describe, expect, test } from 'bun:test'
import { createAdminCaller } from './admin-caller.ts'
import { fileService } from '../support/file-service.ts'

// With all that a backend's calls are held to, and administrators' are not.
const service = await fileService({ limits: { backendRate: 1, backendBurst: 1, quota: 1 } })
const call = createAdminCaller(service)
const v1 = `/api/applications/${service.application.id}/v1`

const TOKEN = 'a1'.repeat(32)
const ALL = { platform: [0, 1], sound: '', badge: '' }

describe('the public API on behalf of an application', () => {
  test('registers, lists and sends without headers, rate or quota', async () => {
    expect(await call('PUT', `${v1}/deviceToken`, { token: TOKEN, platform: 0, tag: ['beta'] })).toMatchObject({
      status: 201,
      body: { token: TOKEN },
    })
    const listed = await call('GET', `${v1}/deviceToken/all?limit=10`)
    expect(listed.status).toBe(200)
    expect(listed.body).toContainEqual(expect.objectContaining({ token: TOKEN, tag: ['beta'] }))
    const sent = await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Hello' })
    expect(sent.status).toBe(200)
    expect(await call('GET', `${v1}/push/${sent.body.id}`)).toMatchObject({ status: 200, body: { id: sent.body.id } })
    expect((await call('GET', `${v1}/deviceToken/one`, undefined, { token: TOKEN })).body).toMatchObject({
      token: TOKEN,
    })
  })

  test('keeps to Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'once' }
    const first = await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Once' }, key)
    const second = await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Once' }, key)
    expect(first).toMatchObject({ status: 200, body: { id: expect.any(String) } })
    expect(second.body).toEqual(first.body)
    expect(await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Other' }, key)).toMatchObject({ status: 409 })
  })

  test('says which field is wrong as the public API does', async () => {
    expect(await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Hello', ttl: 'soon' })).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message: expect.stringMatching(/^ttl must be /) },
    })
    expect(await call('POST', `${v1}/push/all`, '{"msg":')).toMatchObject({
      status: 400,
      body: { code: 'InvalidContent' },
    })
    expect(await call('POST', `${v1}/push/all`, { msg: 'x'.repeat(300_000) })).toMatchObject({
      status: 413,
      body: { code: 'RequestEntityTooLargeError' },
    })
  })

  test('has one support id, and no answer for pages of other origins', async () => {
    const { headers } = await call('GET', `${v1}/pushes`, undefined, { origin: service.adminUrl })
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('is there for applications and paths that there are', async () => {
    expect(await call('GET', '/api/applications/app_none/v1/pushes')).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: 'No application found' },
    })
    expect(await call('GET', `${v1}/nothing`)).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: '/nothing does not exist' },
    })
    expect(await call('DELETE', `${v1}/pushes`)).toMatchObject({ status: 405, body: { code: 'MethodNotAllowedError' } })
    expect(await call('GET', `${v1}/openapi.json`)).toMatchObject({ status: 404 })
  })

  test('is of the application in the path, whatever a header says', async () => {
    const other = service.addApplication('Other')
    const headers = { 'x-service-appid': service.application.id, 'x-service-secret': service.application.secret }
    const listed = await call('GET', `/api/applications/${other.id}/v1/deviceToken/all`, undefined, headers)
    expect(listed).toMatchObject({ status: 200, body: [] })
  })

  test('needs somebody', async () => {
    const response = await fetch(`${service.adminUrl}${v1}/pushes`)
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 401,
      body: { code: 'InvalidCredentials' },
    })
  })

  test('writes down what was changed, and by whom, without what was said', async () => {
    const token = 'b2'.repeat(32)
    await call('PUT', `${v1}/deviceToken`, { token, platform: 0 })
    const before = (await call('GET', '/api/log?limit=1')).body.entries[0]?.number ?? 0
    await call('POST', `${v1}/push/preview`, { ...ALL, msg: 'Secret words' })
    await call('POST', `${v1}/push/all`, { ...ALL, ttl: 'soon' })
    await call('POST', `${v1}/push/all`, { ...ALL, msg: 'Secret words' })
    await call('PUT', `${v1}/tag`, { token, platform: 0, tag: ['new'] })
    const { entries } = (await call('GET', '/api/log?limit=10')).body
    const added = entries.filter(({ number }: { number: number }) => number > before)
    const entry = { who: 'token test', origin: '127.0.0.1', subject: service.application.id }
    expect(added).toMatchObject([
      { ...entry, action: 'call', detail: { method: 'PUT', route: '/tag' }, result: 'ok' },
      { ...entry, action: 'push', detail: { method: 'POST', route: '/push/all' }, result: 'ok' },
      { ...entry, action: 'push', result: 'refused', code: 'InvalidArgument' },
    ])
    expect(JSON.stringify(added)).not.toContain('Secret')
  })
})
