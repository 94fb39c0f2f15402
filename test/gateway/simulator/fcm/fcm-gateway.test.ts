import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { constants } from 'node:http2'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { answered } from '../http2-client.ts'
import type { Reply } from '../http2-client.ts'
import { fcmSender, nextArrival } from '../senders.ts'
import type { FcmSender } from '../senders.ts'
import { grantForm } from '../signing.ts'

const clock = createFakeClock()
const NOW = clock.now()
let simulator: Simulator
let sender: FcmSender
beforeAll(async () => {
  simulator = await startSimulator({ clock, slowMs: 500, retryAfterSeconds: 7 })
  sender = await fcmSender(simulator, NOW)
})
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await simulator[Symbol.asyncDispose]()
})

const errorOf = ({ body }: Reply): unknown => JSON.parse(body).error
interface Detail {
  readonly errorCode?: string
  readonly statusCode?: number
  readonly reason?: string
  readonly fieldViolations?: readonly { readonly field: string }[]
  readonly violations?: readonly { readonly subject: string }[]
}

/** What tells one refusal from another: its code, its status, and a word of each detail. */
function factsOf(reply: Reply): string {
  const { code, status, details = [] } = JSON.parse(reply.body).error
  const words = details.map(({ errorCode, statusCode, reason, fieldViolations, violations }: Detail) =>
    statusCode === undefined
      ? (errorCode ?? reason ?? fieldViolations?.[0]?.field ?? violations?.[0]?.subject)
      : `APNs ${statusCode} ${reason}`,
  )
  return [code, status, ...words].join(' ')
}

const errorInfo = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata: expect.any(Object),
})

describe('an accepted message', () => {
  test('is answered with its name, each time another', async () => {
    const first = answered(await sender.push({ token: 'abc' }))
    const second = answered(await sender.push({ token: 'abc' }))
    expect(first).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=UTF-8' } })
    expect(first.headers['content-length']).toBeUndefined()
    const names = [first, second].map(({ body }) => JSON.parse(body).name)
    expect(names).toEqual([1, 2].map(() => expect.stringMatching(/^projects\/simulated-[0-9a-f]{12}\/messages\/\d+$/)))
    expect(names[0]).not.toBe(names[1])
  })

  test('is an arrival with all that was sent', async () => {
    const message = { token: 'abc', data: { a: 'b' }, android: { notification: { tag: 'news' } } }
    const { name } = JSON.parse(answered(await sender.push(message)).body)
    expect(simulator.arrivals().at(-1)).toEqual({
      provider: 'fcm',
      environment: null,
      token: 'abc',
      id: name,
      pushType: null,
      target: sender.projectId,
      collapse: 'news',
      headers: {},
      body: { message },
      status: 200,
      reason: null,
      at: clock.now(),
    })
  })

  test('that was only to be checked is given the name FCM gives then', async () => {
    const body = JSON.stringify({ validate_only: true, message: { token: 'abc' } })
    const headers = { ':method': 'POST', authorization: `Bearer ${sender.accessToken}` }
    const path = `/v1/projects/${sender.projectId}/messages:send`
    const reply = answered(await sender.client.send({ ...headers, ':path': path }, body))
    expect(JSON.parse(reply.body).name).toBe(`projects/${sender.projectId}/messages/fake_message_id`)
  })
})

describe('a caller', () => {
  const LOGIN =
    'Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

  test.each([
    ['', 'Request is missing required authentication credential.', 'CREDENTIALS_MISSING'],
    ['Basic dTpw', 'Request is missing required authentication credential.', 'CREDENTIALS_MISSING'],
    ['Bearer x', 'Request had invalid authentication credentials.', 'ACCESS_TOKEN_TYPE_UNSUPPORTED'],
  ])('with authorization %p is told 401', async (authorization, message, reason) => {
    const reply = answered(await sender.push({ token: 'abc' }, { authorization }))
    expect(reply).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' },
    })
    expect(errorOf(reply)).toEqual({
      code: 401,
      message: `${message} ${LOGIN}`,
      status: 'UNAUTHENTICATED',
      details: [errorInfo(reason)],
    })
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: 'abc', status: 401, reason: 'UNAUTHENTICATED' })
  })

  test('whose access token expired is told so', async () => {
    const ownClock = createFakeClock()
    await using own = await startSimulator({ clock: ownClock })
    await using late = await fcmSender(own, ownClock.now())
    ownClock.advance(3_599_000)
    expect(errorOf(answered(await late.push({ token: 'abc' })))).toMatchObject({
      code: 401,
      details: [errorInfo('ACCESS_TOKEN_EXPIRED')],
    })
  })

  test('sends for a project that does not exist: 404 without FcmError', async () => {
    const reply = answered(await sender.push({ token: 'abc' }, { ':path': '/v1/projects/nowhere/messages:send' }))
    expect(errorOf(reply)).toEqual({ code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' })
    expect(simulator.arrivals().at(-1)).toMatchObject({ target: 'nowhere', status: 404, reason: 'NOT_FOUND' })
  })

  test("sends for another's project: 403 PERMISSION_DENIED", async () => {
    const other = JSON.parse(simulator.issue('other').serviceAccount).project_id
    const reply = answered(await sender.push({ token: 'abc' }, { ':path': `/v1/projects/${other}/messages:send` }))
    expect(errorOf(reply)).toEqual({
      code: 403,
      message: `Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/${other}' (or it may not exist).`,
      status: 'PERMISSION_DENIED',
      details: [errorInfo('IAM_PERMISSION_DENIED')],
    })
  })

  test.each([
    ['POST', '/'],
    ['POST', '/v1/projects/a/messages'],
    ['GET', '/v1/projects/a/messages:send'],
  ])('of %s %s is given a page', async (method, path) => {
    const reply = answered(await sender.push({ token: 'abc' }, { ':method': method, ':path': path }))
    expect(reply.status).toBe(404)
    expect(reply.headers['content-type']).toBe('text/html; charset=UTF-8')
    expect(reply.body).toContain('Error 404 (Not Found)!!1')
  })

  test('with a faulty message is told the fields', async () => {
    const reply = answered(await sender.push({ token: 'abc', data: { a: 1 } }))
    const description = "Invalid value at 'message.data[0].value' (TYPE_STRING), 1"
    expect(errorOf(reply)).toEqual({
      code: 400,
      message: description,
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'message.data[0].value', description }],
        },
      ],
    })
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: 'abc', status: 400, reason: 'INVALID_ARGUMENT' })
  })
})

describe('a token orders', () => {
  test.each<[string, string, string]>([
    ['unregistered', 'UNREGISTERED', '404 NOT_FOUND UNREGISTERED'],
    ['invalid', 'INVALID_ARGUMENT', '400 INVALID_ARGUMENT INVALID_ARGUMENT message.token'],
    ['payload', 'INVALID_ARGUMENT', '400 INVALID_ARGUMENT message.android.notification.color INVALID_ARGUMENT'],
    ['mismatch', 'SENDER_ID_MISMATCH', '403 PERMISSION_DENIED SENDER_ID_MISMATCH'],
    ['thirdparty', 'THIRD_PARTY_AUTH_ERROR', '401 UNAUTHENTICATED THIRD_PARTY_AUTH_ERROR'],
    ['unauthenticated', 'UNAUTHENTICATED', '401 UNAUTHENTICATED ACCESS_TOKEN_EXPIRED'],
    ['denied', 'PERMISSION_DENIED', '403 PERMISSION_DENIED IAM_PERMISSION_DENIED'],
    ['noproject', 'NOT_FOUND', '404 NOT_FOUND'],
    ['throttled', 'QUOTA_EXCEEDED', '429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED device'],
    ['quota', 'RESOURCE_EXHAUSTED', '429 RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED'],
    ['internal', 'INTERNAL', '500 INTERNAL INTERNAL'],
    ['unavailable', 'UNAVAILABLE', '503 UNAVAILABLE UNAVAILABLE'],
    ['busy', 'UNAVAILABLE', '503 UNAVAILABLE UNAVAILABLE'],
    ['delivered', 'UNAVAILABLE', '503 UNAVAILABLE UNAVAILABLE'],
    ['notfound', 'NOT_FOUND', '404 NOT_FOUND'],
    ['iphonegone', 'INVALID_ARGUMENT', '400 INVALID_ARGUMENT INVALID_ARGUMENT APNs 410 Unregistered'],
    ['iphonebad', 'INVALID_ARGUMENT', '400 INVALID_ARGUMENT INVALID_ARGUMENT APNs 400 BadDeviceToken'],
    ['iphonetopic', 'INVALID_ARGUMENT', '400 INVALID_ARGUMENT INVALID_ARGUMENT APNs 400 DeviceTokenNotForTopic'],
    ['iphonekey', 'THIRD_PARTY_AUTH_ERROR', '401 UNAUTHENTICATED THIRD_PARTY_AUTH_ERROR APNs 403 InvalidProviderToken'],
    ['iphonebusy', 'UNAVAILABLE', '503 UNAVAILABLE UNAVAILABLE APNs 503 ServiceUnavailable'],
  ])('%s: %s', async (word, reason, facts) => {
    const reply = answered(await sender.push({ token: `${word}:abc` }))
    expect(factsOf(reply)).toBe(facts)
    expect(facts).toStartWith(`${reply.status} `)
    const retryAfter = ['quota', 'busy', 'delivered'].includes(word) ? '7' : undefined
    expect<string | undefined>(reply.headers['retry-after']).toBe(retryAfter)
    expect(simulator.arrivals().at(-1)).toMatchObject({ token: `${word}:abc`, status: reply.status, reason, id: null })
  })

  test.each([
    ['badgateway', 502, 'text/html; charset=UTF-8', 'Error 502 (Server Error)!!1'],
    ['frontend', 400, 'text/html; charset=UTF-8', 'Error 400 (Bad Request)!!1'],
    ['bodiless', 401, undefined, ''],
  ])('%s: %d, and nothing in JSON', async (word, status, type, title) => {
    const reply = answered(await sender.push({ token: `${word}:abc` }))
    expect([reply.status, reply.headers['content-type']]).toEqual([status, type])
    if (type === undefined) expect(reply.body).toBe('')
    else expect(reply.body).toContain(title)
    expect(simulator.arrivals().at(-1)).toMatchObject({ status, reason: null })
  })

  test.each([
    ['oauthclock', expect.stringContaining('Token must be a short-lived token')],
    ['oauthkey', 'Invalid JWT Signature.'],
  ])('%s: the access token has expired, and the next one is refused, once', async (word, description) => {
    await using own = await fcmSender(simulator, NOW, word)
    expect(errorOf(answered(await own.push({ token: `${word}:abc` })))).toMatchObject({
      code: 401,
      details: [errorInfo('ACCESS_TOKEN_EXPIRED')],
    })
    const { serviceAccount } = simulator.issue(word)
    const ask = async () => {
      const body = grantForm(serviceAccount, NOW)
      return await fetch(simulator.fcmTokenUrl, { method: 'POST', body, tls: { ca: simulator.ca } })
    }
    const refused = await ask()
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: description },
    ])
    expect((await ask()).status).toBe(200)
  })

  test('a refusal the first time only', async () => {
    const statuses: number[] = []
    for (let request = 0; request < 3; request++) {
      statuses.push(answered(await sender.push({ token: 'throttled-1:abc' })).status)
    }
    expect(statuses).toEqual([429, 200, 200])
  })

  test('slow: an answer after slowMs', async () => {
    const arrived = nextArrival(simulator)
    const reply = sender.push({ token: 'slow:abc' })
    await arrived
    clock.advance(499)
    expect(answered(await sender.push({ token: 'abc' })).status).toBe(200)
    expect(simulator.counts().fcm.openStreams).toBe(1)
    clock.advance(1)
    expect(answered(await reply).status).toBe(200)
  })

  test('reset and refused: RST_STREAM', async () => {
    expect(await sender.push({ token: 'reset:a' })).toEqual({ kind: 'none', code: constants.NGHTTP2_INTERNAL_ERROR })
    expect(await sender.push({ token: 'refused:a' })).toEqual({ kind: 'none', code: constants.NGHTTP2_REFUSED_STREAM })
  })

  test('close, goaway and farewell: the end of the connection', async () => {
    await using first = await fcmSender(simulator, clock.now())
    expect(await first.push({ token: 'close:a' })).toMatchObject({ kind: 'none' })
    expect(first.client.goaways).toEqual([])
    await using second = await fcmSender(simulator, clock.now())
    expect(await second.push({ token: 'goaway:a' })).toMatchObject({ kind: 'none' })
    expect(second.client.goaways).toEqual([{ code: constants.NGHTTP2_ENHANCE_YOUR_CALM, data: '' }])
    await using third = await fcmSender(simulator, clock.now())
    const goaway = new Promise((resolve) => third.client.session.once('goaway', resolve))
    expect(answered(await third.push({ token: 'farewell:a' })).status).toBe(200)
    await goaway
    expect(third.client.goaways).toEqual([{ code: constants.NGHTTP2_NO_ERROR, data: '' }])
  })

  test('silent: nothing', async () => {
    await using own = await fcmSender(simulator, clock.now())
    const arrived = nextArrival(simulator)
    let heard = false
    void own.push({ token: 'silent:abc' }).then(() => (heard = true))
    await arrived
    expect(answered(await own.push({ token: 'abc' })).status).toBe(200)
    expect(heard).toBe(false)
  })
})
