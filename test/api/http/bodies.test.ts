import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

const PATH = '/deviceToken'
const DEVICE = { token: 'abcd', platform: '0' }
const MAX_BYTES = 256 * 1024

const service = await fileService()

/** A device as JSON that is this many bytes long. */
function jsonOf(bytes: number): string {
  const text = JSON.stringify(DEVICE)
  return text + ' '.repeat(bytes - text.length)
}

function digest(algorithm: 'md5' | 'sha256' | 'sha512', text: string): string {
  return new Bun.CryptoHasher(algorithm).update(text).digest('base64')
}

/** Sends it and expects that it was taken, or that nothing was stored. */
async function send(body: unknown, headers: Record<string, string | null> = {}, stored = false): Promise<Answer> {
  const caller = newCaller(service)
  const answer = await service.put(PATH, body, { application: caller.application, headers })
  expect(await caller.devices()).toHaveLength(stored ? 1 : 0)
  return answer
}

async function accepted(body: unknown, headers: Record<string, string | null> = {}): Promise<void> {
  expect(await send(body, headers, true)).toMatchObject({ status: 201, body: { token: DEVICE.token } })
}

describe('8. a body larger than 256 KiB', () => {
  test('is 413, by a single byte, whether or not its length is announced', async () => {
    const streamed = (text: string) => new Blob([text]).stream()
    await accepted(jsonOf(MAX_BYTES))
    for (const body of [jsonOf(MAX_BYTES + 1), jsonOf(10 * MAX_BYTES)]) {
      const message = 'The body is larger than 262144 bytes.'
      expectFailure(await send(body), 413, 'RequestEntityTooLargeError', message)
      const { id, secret } = service.application
      const response = await fetch(service.url + PATH, {
        method: 'PUT',
        headers: { 'accept-version': '1', 'x-service-appid': id, 'x-service-secret': secret },
        body: streamed(body),
      })
      expect(response.status).toBe(413)
      expect(await response.json()).toEqual({ code: 'RequestEntityTooLargeError', message })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await service.get('/deviceToken/all')).body).toEqual([])
  })
})

describe('9. Content-Type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"',
  ])('%s is JSON', async (type) => {
    await accepted(DEVICE, { 'content-type': type })
  })

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'application/vnd.api+json',
    'text/plain; application/json',
    'json',
    '',
  ])('%p is not', async (type) => {
    const answer = await send(JSON.stringify(DEVICE), { 'content-type': type })
    expectFailure(answer, 400, 'InvalidHeader', 'Content-Type must be application/json.')
  })

  test('absent is not JSON either, but no body needs none', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(DEVICE))
    const answer = await send(bytes, { 'content-type': null })
    expectFailure(answer, 400, 'InvalidHeader', 'Content-Type must be application/json.')
    for (const type of [null, 'text/plain']) {
      const empty = await send(undefined, { 'content-type': type })
      expectFailure(empty, 409, 'MissingParameter', 'token is required.')
    }
  })

  test('a GET needs none', async () => {
    for (const type of [null, 'text/plain']) {
      expect(await service.get('/analytics', { headers: { 'content-type': type } })).toMatchObject({ status: 200 })
    }
  })
})

describe('Content-Encoding', () => {
  test.each(['gzip', 'br', 'deflate', 'x-gzip', 'gzip, identity'])('%s is refused by its name', async (encoding) => {
    const answer = await send(Bun.gzipSync(JSON.stringify(DEVICE)), { 'content-encoding': encoding })
    const problem = 'Content-Encoding must be identity or absent: compressed bodies are not read.'
    expectFailure(answer, 400, 'InvalidHeader', problem)
  })

  test.each(['identity', 'Identity', ''])('%p says nothing', async (encoding) => {
    await accepted(DEVICE, { 'content-encoding': encoding })
  })

  test('is not looked at without a body', async () => {
    expectFailure(await send(undefined, { 'content-encoding': 'gzip' }), 409, 'MissingParameter', 'token is required.')
  })
})

describe('10. a digest of the body', () => {
  const text = ` ${JSON.stringify(DEVICE)}\n`
  const [md5, sha256, sha512] = [digest('md5', text), digest('sha256', text), digest('sha512', text)]

  const zeros = 'A'.repeat(43)

  test('that is right for the raw bytes, or of a kind that is not checked, is fine', async () => {
    const right: readonly Record<string, string>[] = [
      { 'content-md5': md5 },
      { 'content-digest': `sha-256=:${sha256}:` },
      { 'content-digest': `sha-512=:${sha512}:` },
      { 'content-digest': `sha-256=:${sha256}:,sha-512=:${sha512}:` },
      { 'content-digest': `unixsum=:AAA=:, sha-256=:${sha256}:` },
      { 'content-digest': 'md5=:AAAA:' },
      { 'content-md5': md5, 'content-digest': `sha-256=:${sha256}:` },
    ]
    for (const headers of right) await accepted(text, headers)
  })

  test.each([
    ['Content-MD5', [digest('md5', JSON.stringify(DEVICE)), md5.toLowerCase(), md5.slice(0, -2), 'x', '']],
    [
      'Content-Digest',
      [
        `sha-256=:${zeros}=:`,
        `sha-256=:${sha512}:`,
        `sha-256=${sha256}`,
        `sha-256=:${sha256}:, sha-512=:${zeros}=:`,
        `sha-512=:${zeros}=:,sha-256=:${sha256}:`,
      ],
    ],
  ])('that is wrong is BadDigest, with a support ID that is in the log: %s', async (header, values) => {
    for (const value of values) {
      const answer = await send(text, { [header]: value })
      const id = answer.headers.get('x-request-id')
      const message = `${header} does not match the body that arrived. Support ID ${id}`
      expectFailure(answer, 400, 'BadDigest', message)
      expect(service.log).toContainEqual(expect.objectContaining({ level: 'warn', requestId: id }))
    }
  })

  test('each of two must be right', async () => {
    const [goodMd5, badMd5] = [{ 'content-md5': md5 }, { 'content-md5': 'x' }]
    const [good, bad] = [{ 'content-digest': `sha-256=:${sha256}:` }, { 'content-digest': `sha-256=:${zeros}=:` }]
    for (const headers of [
      { ...goodMd5, ...bad },
      { ...badMd5, ...good },
    ]) {
      expect(await send(text, headers)).toMatchObject({ status: 400, body: { code: 'BadDigest' } })
    }
  })

  test('may be there once for each algorithm: more are refused, right or wrong', async () => {
    const member = { 'sha-256': `sha-256=:${sha256}:`, 'sha-512': `sha-512=:${sha512}:` }
    const values = [
      [`${member['sha-256']}, ${member['sha-256']}`, 'sha-256'],
      [`${member['sha-512']}, ${member['sha-256']}, sha-512=:${zeros}=:`, 'sha-512'],
      [Array.from({ length: 120 }, () => member['sha-512']).join(','), 'sha-512'],
    ] as const
    for (const [value, algorithm] of values) {
      const answer = await send(text, { 'content-digest': value })
      const id = answer.headers.get('x-request-id')
      expectFailure(answer, 400, 'BadDigest', `Content-Digest has more than one ${algorithm}. Support ID ${id}`)
    }
  })

  test('is checked for an empty body, and not for a GET', async () => {
    const empty = { 'content-md5': digest('md5', '') }
    expectFailure(await send(undefined, empty), 409, 'MissingParameter', 'token is required.')
    expect(await send(undefined, { 'content-md5': md5 })).toMatchObject({ status: 400, body: { code: 'BadDigest' } })
    expect(await service.get('/analytics', { headers: { 'content-md5': 'x' } })).toMatchObject({ status: 200 })
  })
})

describe('11. a body that is not a JSON object', () => {
  test.each([
    '{',
    '{"token":',
    `{'token':1}`,
    '{"a":1}}',
    '{"a":1,}',
    ' ',
    'token=a',
    'NaN',
    '\u0000',
    '{"token":"a\u0000"}',
    '{"token":"a\n"}',
  ])('is InvalidContent: %p is not JSON', async (text) => {
    const answer = await send(text)
    expect([answer.status, answer.body.code]).toEqual([400, 'InvalidContent'])
    expect(answer.body.message).toMatch(/^Invalid JSON: JSON Parse error: \S/)
    expect(Object.keys(answer.body)).toEqual(['code', 'message'])
  })

  test('is told of without what moves a terminal, also where the parser repeats that', async () => {
    const answer = await send('{"token":\u009b}')
    expectFailure(answer, 400, 'InvalidContent', String.raw`Invalid JSON: JSON Parse error: Unrecognized token '\x9b'`)
  })

  test.each(['[]', '[{}]', 'null', 'true', '5', '"x"', '""'])('is InvalidContent: %s is no object', async (text) => {
    expectFailure(await send(text), 400, 'InvalidContent', 'The body must be a JSON object.')
  })

  test('is InvalidContent: bytes that are not UTF-8, or compressed', async () => {
    const latin1 = Buffer.from('{"token":"caf\xe9","platform":"0"}', 'latin1')
    for (const bytes of [latin1, Bun.gzipSync(Buffer.from(JSON.stringify(DEVICE)))]) {
      const answer = await send(bytes, { 'content-type': 'application/json' })
      expectFailure(answer, 400, 'InvalidContent', 'Invalid JSON: it is not UTF-8')
    }
  })

  test('a byte order mark and white space around the object are read over', async () => {
    await accepted(`\ufeff${JSON.stringify(DEVICE)}`)
    await accepted(`\r\n\t ${JSON.stringify(DEVICE)} \r\n`)
  })

  test('no body at all on a PUT or POST is an empty object', async () => {
    for (const [method, path, field] of [
      ['PUT', '/deviceToken', 'token is required.'],
      ['PUT', '/badge', 'token is required.'],
      ['POST', '/push/one', 'platform is required.'],
      ['POST', '/push/all', 'platform is required for a broadcast.'],
    ] as const) {
      expectFailure(await service.call(method, path), 409, 'MissingParameter', field)
      expectFailure(await service.call(method, path, { body: {} }), 409, 'MissingParameter', field)
    }
  })

  test('of a name given twice the last counts', async () => {
    await accepted('{"token":"no","platform":"0","token":"abcd"}')
  })
})

describe('12. and 13. fields', () => {
  test('a missing field is told before a wrong one, in the order of the document', async () => {
    const answers = [{}, { platform: 9 }, { token: 5 }, { token: 5, platform: null }, { token: 5, platform: 9 }]
    const messages = await Promise.all(answers.map(async (body) => (await send(body)).body))
    expect(messages).toEqual([
      { code: 'MissingParameter', message: 'token is required.' },
      { code: 'MissingParameter', message: 'token is required.' },
      { code: 'MissingParameter', message: 'platform is required.' },
      { code: 'MissingParameter', message: 'platform is required.' },
      { code: 'InvalidArgument', message: 'token must be a string, not 5.' },
    ])
  })

  test('an unknown device is 404', async () => {
    const unknown = {
      ...DEVICE,
      tag: 'a',
      alias: 'a',
      lat: 1,
      lng: 1,
      setbadgecount: 1,
    }
    for (const path of ['/alias', '/tag', '/tag/del', '/geo', '/badge']) {
      expectFailure(await service.put(path, unknown), 404, 'ResourceNotFound', 'No device found')
    }
    const push = { ...DEVICE, msg: 'a', sound: '', badge: '' }
    expectFailure(await service.post('/push/one', push), 404, 'ResourceNotFound', 'No device found')
  })
})
