import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const clock = createFakeClock()
const service = await fileService({ clock })

const NO_CREDENTIALS = 'Authentication headers not found.'
const WRONG_CREDENTIALS = 'Application ID and/or Secret unauthorized.'

describe('1. a path that does not exist', () => {
  test('is 404 whatever the method and without credentials; the message has no query', async () => {
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await service.call(method, '/nope?x=/tag', { as: 'nobody' })
      expectFailure(answer, 404, 'ResourceNotFound', '/nope does not exist')
    }
    expectFailure(await service.get('/'), 404, 'ResourceNotFound', '/ does not exist')
  })
})

describe('2. OPTIONS', () => {
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }

  test('a real CORS preflight is answered 204 with what is allowed', async () => {
    const headers = { ...preflight, 'access-control-request-headers': 'x-service-appid,accept-version' }
    const answer = await service.call('OPTIONS', '/tag', {
      as: 'nobody',
      headers: { ...headers, 'accept-version': null },
    })
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'x-service-appid,accept-version',
      'x-request-id': expect.any(String),
    })
  })

  test('any other is 405, and a preflight for a path that does not exist 404', async () => {
    for (const name of [null, ...Object.keys(preflight)]) {
      const headers = name === null ? {} : { [name]: preflight[name as keyof typeof preflight] }
      const answer = await service.call('OPTIONS', '/tag', { headers })
      expectFailure(answer, 405, 'MethodNotAllowedError', 'OPTIONS is not allowed')
      expect(answer.headers.get('allow')).toBe('PUT')
    }
    const answer = await service.call('OPTIONS', '/nope', { headers: preflight })
    expectFailure(answer, 404, 'ResourceNotFound', '/nope does not exist')
  })

  test('a page of another origin may read every answer, also a failure', async () => {
    const headers = { origin: 'https://app.example' }
    for (const path of ['/analytics', '/deviceToken/all', '/deviceToken/one', '/nope', '/tag']) {
      const answer = await service.get(path, { headers })
      expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, '*'])
    }
    expect((await service.get('/analytics')).headers.has('access-control-allow-origin')).toBe(false)
  })
})

describe('3. Accept-Version', () => {
  test.each(['1', '1.0', '1.0.0', '~1', '^1', '1.x', '*', '>=1', 'v1'])('%s is served', async (version) => {
    expect(await service.get('/analytics', { headers: { 'accept-version': version } })).toMatchObject({ status: 200 })
  })

  test.each(['2', '~1.1', '1.0.1', '1.0.0-beta', 'abc', 'latest', '1, 2', '1; DROP'])('%s is not', async (version) => {
    const answer = await service.get('/analytics', { headers: { 'accept-version': version } })
    expectFailure(answer, 400, 'InvalidVersion', `${version} is not supported by GET /analytics`)
  })

  test('a long one is shown in part, and never served: of more than 64 characters, or 4 comparators', async () => {
    for (const version of ['9'.repeat(5000), '1 || '.repeat(13), '>=1 >=1 >=1 >=1 >=1']) {
      const answer = await service.get('/analytics', { headers: { 'accept-version': `${version}1` } })
      const shown = `${version}1`.slice(0, 64)
      expectFailure(answer, 400, 'InvalidVersion', `${shown} is not supported by GET /analytics`)
    }
    expect(await service.get('/analytics', { headers: { 'accept-version': '>=1 >=1 >=1 <2' } })).toMatchObject({
      status: 200,
    })
  })

  test('absent or empty is not a choice', async () => {
    for (const version of [null, '', ' ']) {
      const answer = await service.get('/analytics', { headers: { 'accept-version': version } })
      expectFailure(answer, 400, 'InvalidHeader', 'Accept-Version header is required.')
    }
  })
})

describe('4. and 5. credentials', () => {
  /** Other tests have used up what this address may get wrong. */
  const recover = () => clock.advance(60_000)

  test('empty headers are as good as none', async () => {
    for (const name of ['x-service-appid', 'x-service-secret']) {
      const answer = await service.get('/analytics', { headers: { [name]: '' } })
      expectFailure(answer, 400, 'InvalidHeader', NO_CREDENTIALS)
    }
    const answer = await service.put('/stats', { platform: '0' }, { headers: { 'x-service-secret': '' } })
    expect(answer).toMatchObject({ status: 200 })
  })

  test('an unknown application and a wrong secret read the same, also where no secret is needed', async () => {
    recover()
    const other = service.addApplication('other')
    const wrong: readonly Record<string, string>[] = [
      { 'x-service-appid': 'app_unknown' },
      { 'x-service-secret': 'wrong' },
      { 'x-service-secret': other.secret },
      { 'x-service-appid': other.id },
      { 'x-service-secret': service.application.secret.toUpperCase() },
      { 'x-service-secret': service.application.secret.slice(0, -1) },
      { 'x-service-appid': '__proto__' },
    ]
    for (const headers of wrong) {
      expectFailure(await service.get('/analytics', { headers }), 401, 'InvalidCredentials', WRONG_CREDENTIALS)
      const open = await service.put('/stats', { platform: '0' }, { headers })
      expectFailure(open, 401, 'InvalidCredentials', WRONG_CREDENTIALS)
    }
    const nobody = await service.put('/stats', { platform: '0' }, { as: 'device', headers: wrong[0] ?? {} })
    expectFailure(nobody, 401, 'InvalidCredentials', WRONG_CREDENTIALS)
    expect(nobody.headers.has('www-authenticate')).toBe(false)
  })

  test('an application of which every call needs the secret says so, from the turn of its switch to the next', async () => {
    const { database } = service
    const application = service.addApplication('closed', { secretEverywhere: true })
    const body = { token: 'ab'.repeat(32), platform: '0' }
    const register = (as: 'device' | 'backend') => service.put('/deviceToken', body, { application, as })
    const closed = 'X-SERVICE-SECRET is required: every call of this application needs it.'
    expectFailure(await register('device'), 400, 'InvalidHeader', closed)
    expect(await register('backend')).toMatchObject({ status: 201 })
    const applications = createApplicationStore({ database, clock })
    applications.setLimits(application.id, { secretEverywhere: false })
    clock.advance(1000)
    expect(await register('device')).toMatchObject({ status: 200 })
    applications.setLimits(application.id, { secretEverywhere: true })
    clock.advance(1000)
    expectFailure(await register('device'), 400, 'InvalidHeader', closed)
  })

  test('an application made a moment ago is known', async () => {
    const application = service.addApplication('newest')
    expect(await service.get('/analytics', { application })).toMatchObject({ status: 200 })
  })

  test('an address that gets them wrong 20 times waits, 3 s for each further try; who gets them right does not', async () => {
    recover()
    const wrong = { headers: { 'x-service-secret': 'wrong' } }
    for (let attempt = 0; attempt < 20; attempt++) expect((await service.get('/analytics', wrong)).status).toBe(401)
    const refused = async (retryAfter: string) => {
      const answer = await service.get('/analytics', wrong)
      const message = 'Too many calls with wrong credentials from this address.'
      expectFailure(answer, 429, 'TooManyRequestsError', message)
      expect(answer.headers.get('retry-after')).toBe(retryAfter)
    }
    await refused('3')
    expect(await service.get('/analytics')).toMatchObject({ status: 200 })
    clock.advance(2000)
    await refused('1')
    clock.advance(1000)
    expect((await service.get('/analytics', wrong)).status).toBe(401)
    await refused('3')
  })
})

test('14. what is our own fault is 500 with a support ID that is in the log, and no more than that', async () => {
  const run = (sql: string) => service.database.statement<never, []>(sql).run()
  run('ALTER TABLE tally RENAME TO elsewhere')
  const answers = [await service.get('/analytics'), await service.put('/stats', { platform: '0' })]
  run('ALTER TABLE elsewhere RENAME TO tally')
  for (const answer of answers) {
    const id = answer.headers.get('x-request-id')
    expectFailure(answer, 500, 'InternalError', `Internal error. Support ID ${id}`)
    const error = expect.stringContaining('tally')
    expect(service.log).toContainEqual(expect.objectContaining({ level: 'error', requestId: id, error }))
  }
  expect(await service.put('/stats', { platform: '0' })).toMatchObject({ status: 200 })
})
