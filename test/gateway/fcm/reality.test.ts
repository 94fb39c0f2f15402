import { describe, expect, test } from 'bun:test'
import type { Outcome } from '../../../src/gateway/gateway.ts'
import type { GatewayReply } from '../../support/gateway.ts'
import { gone, later, misconfigured, rejected } from '../outcome.ts'
import { apnsError, fcmError, refusal, startFirebase, TAKEN } from './firebase.ts'

/* What Google has been seen to answer, over TLS and HTTP/2, and what must follow. */

const page = (status: number): GatewayReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: `<!DOCTYPE html><html lang=en><title>Error ${status}</title><p><b>${status}.</b> That’s an error.`,
})

const EMPTY_401: GatewayReply = { status: 401, headers: { 'content-length': '0' }, body: '' }
const DEAD = refusal(404, 'NOT_FOUND', 'Requested entity was not found.')

/** What FCM says of an answer of Apple. */
function ofApple(said: [number, string, string, errorCode: string], status: number, reason: string): GatewayReply {
  const [code, name, message, errorCode] = said
  return refusal(code, name, message, fcmError(errorCode), apnsError(status, reason))
}

const badArgument = (message: string): [number, string, string, string] => [
  400,
  'INVALID_ARGUMENT',
  message,
  'INVALID_ARGUMENT',
]

describe('an iPhone behind FCM', () => {
  test.each<[name: string, GatewayReply, Outcome]>([
    [
      'that is gone leaves the registry',
      ofApple(badArgument('APNs device token is disabled.'), 410, 'Unregistered'),
      gone('INVALID_ARGUMENT: APNs Unregistered'),
    ],
    [
      'whose token has expired leaves it too',
      ofApple([404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED'], 410, 'ExpiredToken'),
      gone('UNREGISTERED: APNs ExpiredToken'),
    ],
    [
      'whose token Apple does not know is set aside',
      ofApple(badArgument('The APNs device token is invalid.'), 400, 'BadDeviceToken'),
      rejected('token', 'INVALID_ARGUMENT: APNs BadDeviceToken'),
    ],
    [
      'whose project has a bad APNs key waits, with Apple’s reason',
      ofApple(
        [401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', 'THIRD_PARTY_AUTH_ERROR'],
        403,
        'InvalidProviderToken',
      ),
      later('device', 'THIRD_PARTY_AUTH_ERROR: APNs InvalidProviderToken'),
    ],
    [
      'whose project has an APNs key of another topic waits: the key may be replaced',
      ofApple(badArgument('The topic is wrong.'), 400, 'DeviceTokenNotForTopic'),
      later('device', 'INVALID_ARGUMENT: APNs DeviceTokenNotForTopic'),
    ],
    [
      'that Apple throttles waits alone',
      ofApple([429, 'RESOURCE_EXHAUSTED', 'Too many requests.', 'QUOTA_EXCEEDED'], 429, 'TooManyRequests'),
      later('device', 'QUOTA_EXCEEDED: APNs TooManyRequests'),
    ],
    [
      'waits alone where Apple is down',
      ofApple([503, 'UNAVAILABLE', 'APNs is unavailable.', 'UNAVAILABLE'], 503, 'ServiceUnavailable'),
      later('device', 'UNAVAILABLE: APNs ServiceUnavailable'),
    ],
    [
      'stays where Apple minds the push',
      ofApple(badArgument('The payload is too large.'), 413, 'PayloadTooLarge'),
      rejected('push', 'INVALID_ARGUMENT: APNs PayloadTooLarge'),
    ],
  ])('%s', async (_name, answer, outcome) => {
    await using firebase = await startFirebase(() => answer)
    expect(await firebase.send()).toEqual(outcome)
    expect(firebase.google.calls).toHaveLength(1)
    expect(firebase.iphones).toEqual([[42, 'dGVzdA:APA91b']])
  })

  test('that is known is told of no more', async () => {
    await using firebase = await startFirebase(() =>
      refusal(401, 'UNAUTHENTICATED', 'Auth error', fcmError('THIRD_PARTY_AUTH_ERROR'), apnsError(403, 'BadTopic')),
    )
    await firebase.send({ fcmPlatform: 'ios' })
    await firebase.send({ fcmPlatform: 'android' })
    expect(firebase.iphones).toEqual([])
  })

  test('gets what APNs would', async () => {
    await using firebase = await startFirebase(() => TAKEN)
    await firebase.send({ fcmPlatform: 'ios', badge: 3 })
    expect(JSON.parse(firebase.fcm.calls[0]?.body ?? '')).toEqual({
      message: {
        token: 'dGVzdA:APA91b',
        apns: {
          headers: {
            'apns-push-type': 'alert',
            'apns-priority': '10',
            'apns-expiration': String(Math.floor((firebase.clock.now() + 3_600_000) / 1000)),
            'apns-collapse-id': '01890a5d-ac96-774b-bcce-b302099a8057',
          },
          payload: { aps: { alert: 'Hello', badge: 3 } },
        },
      },
    })
  })
})

describe('401 with an empty body for one token', () => {
  test('costs no access token while others are taken', async () => {
    await using firebase = await startFirebase(({ body }) => (body.includes('dead') ? EMPTY_401 : TAKEN))
    await firebase.send({ device: 1 })
    for (let n = 0; n < 5; n++) {
      await firebase.send({ device: 7, token: 'dead:1' })
      firebase.clock.advance(60_000)
    }
    expect(firebase.google.calls).toHaveLength(1)
  })

  test('is put down to the token once others were taken since', async () => {
    await using firebase = await startFirebase(({ body }) => (body.includes('dead') ? EMPTY_401 : TAKEN))
    await firebase.send({ device: 1 })
    const dead = { device: 7, token: 'dead:1' }
    expect(await firebase.send(dead)).toEqual(misconfigured('HTTP 401'))
    expect(await firebase.send(dead)).toEqual(misconfigured('HTTP 401'))
    await firebase.send({ device: 2 })
    expect(await firebase.send(dead)).toEqual(rejected('mismatch', 'HTTP 401'))
  })

  test('of an access token with which nothing was taken renews it, once', async () => {
    await using firebase = await startFirebase(({ headers }) =>
      headers.authorization === 'Bearer token-1' ? EMPTY_401 : TAKEN,
    )
    expect(await firebase.send()).toEqual({ kind: 'accepted' })
    expect(firebase.google.calls).toHaveLength(2)
  })
})

describe('404 without details', () => {
  test('gives up the token once others were taken since, and not on its own word', async () => {
    await using firebase = await startFirebase(({ body }) => (body.includes('dead') ? DEAD : TAKEN))
    const dead = { device: 7, token: 'dead:1' }
    await firebase.send({ device: 1 })
    expect(await firebase.send(dead)).toEqual(misconfigured('NOT_FOUND'))
    await firebase.send({ device: 2 })
    expect(await firebase.send(dead)).toEqual(rejected('mismatch', 'NOT_FOUND'))
  })

  test('for everybody gives up nobody: the project is not there', async () => {
    await using firebase = await startFirebase(() => TAKEN)
    await Promise.all([1, 2, 3].map((device) => firebase.send({ device })))
    firebase.fcm.handle(() => DEAD)
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all([1, 2, 3, 4].map((device) => firebase.send({ device })))
      expect(outcomes.every((outcome) => outcome?.kind === 'misconfigured')).toBe(true)
    }
  })

  test('of one that is taken again is forgotten', async () => {
    let isDead = true
    await using firebase = await startFirebase(() => (isDead ? DEAD : TAKEN))
    await firebase.send({ device: 7 })
    isDead = false
    await firebase.send({ device: 7 })
    await firebase.send({ device: 1 })
    isDead = true
    expect(await firebase.send({ device: 7 })).toEqual(misconfigured('NOT_FOUND'))
  })

  test('in a page of something in between gives up nobody', async () => {
    await using firebase = await startFirebase(({ body }) => (body.includes('dead') ? page(404) : TAKEN))
    for (let n = 0; n < 3; n++) {
      expect(await firebase.send({ device: 7, token: 'dead:1' })).toEqual(misconfigured('HTTP 404'))
      await firebase.send({ device: 1 })
    }
  })
})

describe('a Firebase Installation ID', () => {
  const FID = 'cAbCdEfGhIjKlMnOpQrStU'

  test.each(['UNREGISTERED', 'UNREGISTERED_FID'])(
    'that Google refuses as %s says what the app must do',
    async (code) => {
      await using firebase = await startFirebase(() =>
        refusal(404, 'NOT_FOUND', 'Requested entity was not found.', fcmError(code)),
      )
      expect(await firebase.send({ token: FID })).toEqual({
        kind: 'unregistered',
        since: null,
        reason: `${code}: the app was removed, or it has not called register() of Firebase Messaging`,
      })
    },
  )
})

describe('Google’s token endpoint', () => {
  const grantError = (description: string): GatewayReply => ({
    status: 400,
    body: JSON.stringify({ error: 'invalid_grant', error_description: description }),
  })
  const SHORT_LIVED =
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'

  test('that minds the time of an assertion blames the clock, also without a date', async () => {
    await using firebase = await startFirebase(() => TAKEN)
    firebase.google.handle(() => ({
      ...grantError(SHORT_LIVED),
      headers: { date: new Date(firebase.clock.now()).toUTCString() },
    }))
    const outcome = await firebase.send()
    expect(outcome).toMatchObject({ kind: 'misconfigured', certain: true })
    expect(outcome).toHaveProperty(
      'reason',
      expect.stringMatching(/short-lived token.*: is this machine's clock right\?$/),
    )
  })

  test('that does not know a new key yet is asked again, and then sends', async () => {
    await using firebase = await startFirebase(() => TAKEN)
    firebase.google.handle(() => grantError('Invalid JWT Signature.'))
    expect(await firebase.send()).toMatchObject({ kind: 'misconfigured', certain: true })
    firebase.google.handle(() => ({ status: 200, body: '{"access_token":"token","expires_in":3599}' }))
    expect(await firebase.send()).toEqual({ kind: 'accepted' })
  })
})
