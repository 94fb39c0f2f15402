import { describe, expect, test } from 'bun:test'
import { createAdminCaller } from './admin-caller.ts'
import { fileService } from '../support/file-service.ts'

const service = await fileService()
const call = createAdminCaller(service)

async function create(name: string, simulate = false) {
  const { status, body } = await call('POST', '/api/applications', { name, simulate })
  expect(status).toBe(200)
  return body as { readonly id: string; readonly name: string; readonly secret: string }
}

const wrong = (code: string, message: string, status = 400) => ({ status, body: { code, message } })

describe('applications', () => {
  test('are created, with a secret that is good at once', async () => {
    const application = await create('Corner Shop', true)
    expect(application).toEqual({
      id: expect.stringMatching(/^app_/),
      name: 'Corner Shop',
      secret: expect.stringMatching(/^bhs_/),
    })
    expect((await service.get('/pushes', { application })).body).toEqual([])
    expect((await call('GET', '/api/applications')).body.applications).toContainEqual({
      id: application.id,
      name: 'Corner Shop',
      simulated: true,
      devices: 0,
      acceptedToday: 0,
      providers: {
        apns: { state: 'ready', reason: null, simulated: true },
        fcm: { state: 'ready', reason: null, simulated: true },
        webpush: { state: 'ready', reason: null, simulated: true },
      },
    })
    expect(await call.newest()).toMatchObject({
      who: 'token test',
      action: 'create application',
      subject: application.id,
      detail: { name: 'Corner Shop', simulate: true },
    })
  })

  test('are not created by a body that is nested too deep', async () => {
    const name: unknown = JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`)
    expect(await call('POST', '/api/applications', { name })).toMatchObject(
      wrong('InvalidContent', 'The body is nested 65 levels deep: at most 64 are allowed.'),
    )
  })

  test('have a name of their own', async () => {
    await create('Twice')
    expect(await call('POST', '/api/applications', { name: 'Twice' })).toMatchObject(
      wrong('ConflictError', 'name is taken by another application.', 409),
    )
    for (const name of ['', ' x', 'a\nb', 'x'.repeat(101)]) {
      expect(await call('POST', '/api/applications', { name })).toMatchObject(
        wrong(
          'InvalidArgument',
          'name must be 1 to 100 characters, without control characters and without white space at an end.',
        ),
      )
    }
    expect(await call('POST', '/api/applications', {})).toMatchObject(
      wrong('MissingParameter', 'name is required.', 409),
    )
    expect(await call('POST', '/api/applications', { name: 'x', simulated: true })).toMatchObject(
      wrong('InvalidArgument', '"simulated" is not known here. Did you mean simulate?'),
    )
  })

  test('are shown with what belongs to them, and no secret', async () => {
    const { id, secret } = await create('Shown')
    const { body } = await call('GET', `/api/applications/${id}`)
    expect(body).toMatchObject({
      id,
      name: 'Shown',
      simulated: false,
      providers: {
        apns: { state: 'none', reason: null },
        fcm: { state: 'none', reason: null },
        webpush: { state: 'none', reason: null },
      },
      limits: { rate: 10, quotaPeriod: 'month', verifyUsers: false },
      labels: 0,
      credentials: [],
      webhook: null,
      userKey: null,
      use: { used: 0, quota: 10_000_000, endsAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00.000Z$/) },
    })
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(JSON.stringify(body)).not.toContain('secretHash')
  })

  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/simulate'],
    ['DELETE', ''],
    ['PUT', '/credentials/fcm'],
    ['DELETE', '/credentials/fcm'],
    ['POST', '/credentials/fcm/test'],
  ])('%s …%s of one that is not there is a 404', async (method, path) => {
    const body = { POST: { simulate: true }, DELETE: { name: 'x' }, PUT: { serviceAccount: '{}' } }[method] ?? {}
    const given = method === 'GET' || path.endsWith('test') || path === '/rotate-secret' ? undefined : body
    expect(await call(method, `/api/applications/app_none${path}`, given)).toMatchObject(
      wrong('ResourceNotFound', 'No application found', 404),
    )
  })
})

describe('limits', () => {
  test('are changed one by one, and hold at once', async () => {
    const application = await create('Limited')
    const path = `/api/applications/${application.id}`
    // Two administrators, each with a limit of their own.
    const both = await Promise.all([
      call('PATCH', path, { rate: 0.5, burst: 1 }),
      call('PATCH', path, { secretEverywhere: true, quotaPeriod: 'day' }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await call('GET', path)).body.limits).toMatchObject({
      rate: 0.5,
      burst: 1,
      secretEverywhere: true,
      quotaPeriod: 'day',
      quota: 10_000_000,
    })
    const refused = await service.put('/deviceToken', {}, { application, as: 'device' })
    expect(refused.body.message).toStartWith('X-SERVICE-SECRET is required')
  })

  test.each([
    [{ rate: -1 }, 'rate must be a number from 0 to 1000000, with at most 3 decimals, not -1.'],
    [{ rate: 0.0001 }, 'rate must be a number from 0 to 1000000, with at most 3 decimals, not 0.0001.'],
    [{ quota: 'many' }, 'quota must be a whole number from 0 to 1000000000000, not "many".'],
    [{ quotaPeriod: 'week' }, 'quotaPeriod must be one of day, month, not "week".'],
    [{ pushId: 'yes' }, 'pushId must be true or false, not "yes".'],
    [{ holdSeconds: 86_401 }, 'holdSeconds must be a whole number from 0 to 86400, not 86401.'],
    [{ rates: 1 }, '"rates" is not known here. Did you mean rate?'],
  ])('%j is refused by its name', async (given, message) => {
    const path = `/api/applications/${service.application.id}`
    expect(await call('PATCH', path, given)).toMatchObject(wrong('InvalidArgument', message))
  })
})

describe('the secret', () => {
  test('is made anew, and the one before is worth nothing', async () => {
    const { id, secret: before } = await create('Rotated')
    const { status, body } = await call('POST', `/api/applications/${id}/rotate-secret`)
    expect(status).toBe(200)
    expect((await service.get('/pushes', { application: { id, secret: before } })).status).toBe(401)
    expect((await service.get('/pushes', { application: { id, secret: body.secret } })).status).toBe(200)
    expect(body.previousUntil).toBeNull()
    expect(await call.newest()).toMatchObject({ action: 'rotate secret', subject: id, detail: { overlapSeconds: 0 } })
  })

  test('before it counts for as long as is asked for', async () => {
    const { id, secret: before } = await create('Overlapping')
    const path = `/api/applications/${id}/rotate-secret`
    const { body } = await call('POST', path, { overlapSeconds: 3600 })
    expect(Date.parse(body.previousUntil)).toBeGreaterThan(Date.now() + 3_000_000)
    for (const secret of [before, body.secret]) {
      expect((await service.get('/pushes', { application: { id, secret } })).status).toBe(200)
    }
    expect(await call('POST', path, { overlapSeconds: -1 })).toMatchObject(
      wrong('InvalidArgument', 'overlapSeconds must be a whole number from 0 to 31536000, not -1.'),
    )
  })
})

describe('the simulator', () => {
  test('is asked for twice where there are phones', async () => {
    const { id } = await create('Real')
    const path = `/api/applications/${id}/simulate`
    const device = { token: 'a1'.repeat(32), platform: 0 }
    expect((await call('PUT', `/api/applications/${id}/v1/deviceToken`, device)).status).toBe(201)
    expect(await call('POST', path, { simulate: true })).toMatchObject(
      wrong(
        'ConflictError',
        'It has 1 device: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience. With confirm it is done.',
        409,
      ),
    )
    expect((await call('POST', path, { simulate: true, confirm: true })).body).toMatchObject({ simulated: true })
    expect(await call.newest()).toMatchObject({ action: 'simulate', subject: id })
    expect((await call('POST', path, { simulate: false })).body).toMatchObject({ simulated: false })
    expect(await call('POST', path, {})).toMatchObject(wrong('MissingParameter', 'simulate is required.', 409))
  })
})

describe('deleting', () => {
  test('needs the name once more, and takes everything along', async () => {
    const application = await create('Doomed', true)
    const { id } = application
    const path = `/api/applications/${id}`
    await service.put('/deviceToken', { token: 'b2'.repeat(32), platform: 0 }, { application })
    expect(await call('DELETE', path, { name: 'doomed' })).toMatchObject(
      wrong('InvalidArgument', 'name must be the name of the application, as it is.'),
    )
    // Two administrators at once.
    const both = await Promise.all([call('DELETE', path, { name: 'Doomed' }), call('DELETE', path, { name: 'Doomed' })])
    expect(both.map(({ body }) => body)).toContainEqual({ state: 'erased' })
    expect(both.map(({ body }) => body)).toContainEqual({
      code: 'ConflictError',
      message: 'It is already being deleted.',
    })
    expect((await call('GET', path)).status).toBe(404)
    expect((await service.get('/pushes', { application })).status).toBe(401)
    const { entries } = (await call('GET', `/api/log?application=${id}&action=delete%20application`)).body
    expect(entries).toContainEqual(
      expect.objectContaining({
        result: 'ok',
        detail: { name: 'Doomed' },
        changes: { name: { before: 'Doomed', after: null } },
      }),
    )
    expect(entries.map(({ result, code }: { result: string; code: string }) => `${result} ${code}`).toSorted()).toEqual(
      ['ok ', 'refused ConflictError', 'refused InvalidArgument'],
    )
  })
})
