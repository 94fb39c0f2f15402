import { beforeAll, describe, expect, test } from 'bun:test'
import { createFakeClock } from '../../support/fake-clock.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer, Credentials } from '../../support/service.ts'

const clock = createFakeClock()
const service = await fileService({ clock })

const NO_CREDENTIALS = 'Authentication headers not found.'
const WRONG_CREDENTIALS = 'Application ID and/or Secret unauthorized.'

describe('of two faults the one that is checked first is answered', () => {
  interface Request {
    method: string
    path: string
    headers: Record<string, string | null>
    fields: Record<string, unknown>
    /** What is sent for `fields`. */
    write: (text: string) => string
    rate: boolean
    quota: boolean
  }

  /** In the order of the checks. Each can be combined with every other. */
  const FAULTS: readonly [
    name: string,
    answer: readonly [number, string, string | RegExp],
    commit: (r: Request) => void,
  ][] = [
    ['no such path', [404, 'ResourceNotFound', '/nope does not exist'], (r) => (r.path = '/nope')],
    ['no such method', [405, 'MethodNotAllowedError', 'DELETE is not allowed'], (r) => (r.method = 'DELETE')],
    [
      'no version',
      [400, 'InvalidHeader', 'Accept-Version header is required.'],
      (r) => (r.headers['accept-version'] = null),
    ],
    ['no application', [400, 'InvalidHeader', NO_CREDENTIALS], (r) => (r.headers['x-service-appid'] = null)],
    [
      'a wrong secret',
      [401, 'InvalidCredentials', WRONG_CREDENTIALS],
      (r) => (r.headers['x-service-secret'] = 'wrong'),
    ],
    [
      'the rate',
      [429, 'TooManyRequestsError', 'You have exceeded your request rate of 0.001 r/s.'],
      (r) => (r.rate = true),
    ],
    ['the quota', [507, 'InsufficientStorageError', 'User is over API requests quota.'], (r) => (r.quota = true)],
    [
      'too large',
      [413, 'RequestEntityTooLargeError', 'The body is larger than 262144 bytes.'],
      (r) => (r.fields['unknown'] = 'x'.repeat(262_144)),
    ],
    [
      'not said to be JSON',
      [400, 'InvalidHeader', 'Content-Type must be application/json.'],
      (r) => (r.headers['content-type'] = 'text/plain'),
    ],
    [
      'compressed',
      [400, 'InvalidHeader', 'Content-Encoding must be identity or absent: compressed bodies are not read.'],
      (r) => (r.headers['content-encoding'] = 'gzip'),
    ],
    [
      'a wrong digest',
      [400, 'BadDigest', /^Content-MD5 does not match the body that arrived\. Support ID [0-9a-f-]{36}$/],
      (r) => (r.headers['content-md5'] = 'AAAA'),
    ],
    ['not JSON', [400, 'InvalidContent', /^Invalid JSON: \S/], (r) => (r.write = (text) => text.slice(0, -1))],
    ['a missing field', [409, 'MissingParameter', 'platform is required.'], (r) => delete r.fields['platform']],
    ['a wrong field', [400, 'InvalidArgument', 'token must be a string, not 5.'], (r) => (r.fields['token'] = 5)],
    [
      'a clash',
      [409, 'ConflictError', 'alias belongs to another device of the application.'],
      (r) => (r.fields['alias'] = 'taken'),
    ],
  ]
  const [plain, rate, quota, both] = [{}, { backendRate: 0.001, backendBurst: 2 }, { quota: 2 }, {}]
  Object.assign(both, rate, quota)
  let applications: readonly Credentials[]

  beforeAll(async () => {
    applications = [plain, rate, quota, both].map((limits, index) => service.addApplication(`order ${index}`, limits))
    // The two calls that are allowed.
    for (const application of applications) {
      for (const device of [{ token: 'holder', alias: 'taken' }, { token: 'other' }]) {
        const answer = await service.put('/deviceToken', { ...device, platform: '0' }, { application })
        expect(answer).toMatchObject({ status: 201 })
      }
    }
  })

  async function send(indices: readonly number[]): Promise<Answer> {
    const request: Request = {
      method: 'PUT',
      path: '/alias',
      headers: {},
      fields: { token: 'other', platform: '0', alias: 'free' },
      write: (text) => text,
      rate: false,
      quota: false,
    }
    for (const index of indices) FAULTS[index]?.[2](request)
    const application = applications[(request.rate ? 1 : 0) + (request.quota ? 2 : 0)]
    return service.call(request.method, request.path, {
      headers: request.headers,
      body: request.write(JSON.stringify(request.fields)),
      ...(application && { application }),
    })
  }

  test.each(FAULTS.map(([name], index) => [name, index] as const))('%s, before all that follow', async (_, first) => {
    const [status, code, text = ''] = FAULTS[first]?.[1] ?? []
    const message = text instanceof RegExp ? expect.stringMatching(text) : text
    const rest = FAULTS.keys().filter((index) => index > first)
    for (const faults of [[first], ...rest.map((later) => [later, first])]) {
      // What an address may get wrong is limited too: 20, and one more every 3 s.
      clock.advance(3000)
      const answer = await send(faults)
      expect([faults, answer.status, answer.body]).toEqual([faults, status, { code, message }])
    }
    const stored = service.database.statement<{ aliases: string }, []>(
      'SELECT group_concat(DISTINCT alias) AS aliases FROM device',
    )
    expect(stored.get()).toEqual({ aliases: 'taken' })
  })

  test('and without a fault it is let in', async () => {
    expect(await send([])).toMatchObject({ status: 200, body: { message: 'Alias set' } })
    // Taken back: the tests run in any order.
    const stored = service.database.statement<never, []>(
      `UPDATE device SET alias = NULL WHERE alias = 'free' AND token = 'other'`,
    )
    expect(stored.run()).toMatchObject({ changes: 1 })
  })
})
