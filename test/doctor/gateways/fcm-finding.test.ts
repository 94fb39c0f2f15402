import { describe, expect, test } from 'bun:test'
import { fcmFinding, fidFinding, grantFinding, isRefusal } from '../../../src/doctor/gateways/fcm-finding.ts'
import type { Outcome } from '../../../src/gateway/gateway.ts'
import { fcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import { errorInfoDetail, googleError } from '../../../src/gateway/simulator/fcm/google-error.ts'
import { expectFinding } from '../expect-finding.ts'

const subject = {
  application: 'app_1',
  credential: {
    kind: 'service-account',
    projectId: 'corner-shop',
    clientEmail: 'push@corner-shop.iam.example',
    privateKeyId: 'k1',
  },
} as const

/** Tokens that make the simulator answer like Google. */
const ANSWERS = [
  ['invalid', 'ok', /lets push@corner-shop\.iam\.example send for project corner-shop/, null],
  ['unregistered', 'ok', /send for project corner-shop/, null],
  ['mismatch', 'ok', /send for project corner-shop/, null],
  ['payload', 'failed', /fault in the request itself \(INVALID_ARGUMENT\)/, /report a bug/],
  ['thirdparty', 'warning', /not the APNs key that is stored in Firebase/, /Firebase console/],
  ['unauthenticated', 'failed', /refuses the access token/, /Set the clock/],
  ['denied', 'failed', /may not send for project corner-shop/, /Firebase Cloud Messaging API Admin/],
  ['noproject', 'failed', /knows no project corner-shop/, /bellhop app fcm app_1/],
  ['throttled', 'warning', /trouble of its own/, /again in a few minutes/],
  ['quota', 'warning', /trouble of its own \(RESOURCE_EXHAUSTED\)/, /again in a few minutes/],
  ['internal', 'warning', /trouble of its own \(INTERNAL\)/, /status\.firebase/],
  ['badgateway', 'warning', /\(HTTP 502\)/, /status\.firebase/],
  ['unavailable', 'warning', /\(UNAVAILABLE\)/, /status\.firebase/],
] as const

function refusedWith(reason: string): string {
  return googleError({
    code: 403,
    message: 'No.',
    status: 'PERMISSION_DENIED',
    details: [errorInfoDetail(reason, { service: 'fcm.googleapis.com' })],
  }).body
}

describe('what an answer of FCM to an impossible token says', () => {
  for (const [refusal, state, found, advice] of ANSWERS) {
    test(`${refusal}: ${state}`, () => {
      const { status, body } = fcmRefusal(refusal, 'corner-shop', 2)
      expectFinding(fcmFinding(status, body, subject), state, found, advice)
    })
  }

  test('an API that is not enabled is said with the page that enables it', () => {
    const finding = fcmFinding(403, refusedWith('SERVICE_DISABLED'), subject)
    expect(finding.state).toBe('failed')
    expect(finding.found).toBe('The Firebase Cloud Messaging API (V1) is not enabled for project corner-shop.')
    expect(finding.advice).toContain(
      'https://console.cloud.google.com/apis/library/fcm.googleapis.com?project=corner-shop',
    )
  })

  test('a project that is gone, and a refusal that says nothing', () => {
    expect(fcmFinding(403, refusedWith('CONSUMER_SUSPENDED'), subject).found).toContain('suspended or deleted')
    const silent = fcmFinding(403, '<html>', subject)
    expect(silent.found).toContain('(PERMISSION_DENIED)')
    expect(silent.advice).toContain('enable the Firebase Cloud Messaging API (V1)')
  })

  test('a message that is accepted is suspicious, and so is nothing that looks like FCM', () => {
    const finding = fcmFinding(200, '{"name":"projects/corner-shop/messages/fake_message_id"}', subject)
    expect(finding.state).toBe('warning')
    expect(finding.found).toContain('accepted a token that does not exist')
    expect(finding.advice).toContain('--fcm-url')
  })
})

describe('what an answer of FCM to an impossible installation ID says', () => {
  const { credential } = subject
  const ofToken = { state: 'ok', found: 'Google lets it send.', advice: null } as const

  test('nothing more where Google judges the ID, or only its form', () => {
    const answers = (['unregistered', 'stale', 'invalid', 'noproject', 'busy'] as const).map((refusal) =>
      fcmRefusal(refusal, 'corner-shop', 2, true),
    )
    for (const { status, body } of [...answers, { status: 200, body: '{"name":"projects/p/messages/1"}' }]) {
      expect(fidFinding(status, body, { credential, ofToken })).toBe(ofToken)
    }
  })

  test('that nobody there knows such IDs', () => {
    const body = '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Unknown name \\"fid\\" at \'message\'"}}'
    const finding = fidFinding(400, body, { credential, ofToken })
    expectFinding(finding, 'warning', undefined, /--fcm-url/)
    expect(finding.found).toContain('knows no Firebase Installation IDs (INVALID_ARGUMENT)')
    const failed = { state: 'failed', found: 'No.', advice: 'Do.' } as const
    expect(fidFinding(400, body, { credential, ofToken: failed })).toBe(failed)
  })
})

const GRANTS = [
  [
    'access token: invalid_grant: Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    /from another time/,
    /Set the clock/,
  ],
  ['access token: invalid_grant: Invalid JWT Signature.', /key k1 of push@.* was deleted/, /Create a new key/],
  ['access token: invalid_grant: Invalid grant: account not found', /knows no service account/, /Create a new key/],
  ['access token: disabled_client: The account is disabled.', /is disabled/, /Enable it/],
  ['access token: invalid_grant', /\(invalid_grant\)/, /Set the clock .* was deleted/],
  ['access token: unauthorized_client: Bearer abc.def', /no access token \(unauthorized_client\)/, /Create a new key/],
  ['access token: HTTP 404', /no access token \(HTTP 404\)/, /Create a new key/],
  ['the private key cannot be used', /private key of push@.* cannot be used/, /Create a new key/],
] as const

describe('why Google gives no access token', () => {
  for (const [reason, found, advice] of GRANTS) {
    test(reason, () => {
      const finding = grantFinding({ kind: 'misconfigured', reason }, subject)
      expectFinding(finding, 'failed', found, advice)
      expect(finding.found + finding.advice).not.toContain('abc.def')
    })
  }

  test('a failure of Google is no fault of the account', () => {
    const outcome: Outcome = { kind: 'deferred', afterMs: null, scope: 'credential', reason: 'access token: HTTP 503' }
    expect(isRefusal(outcome)).toBe(true)
    expectFinding(grantFinding(outcome, subject), 'warning', /\(HTTP 503\)/)
    expect(isRefusal({ ...outcome, reason: 'ECONNREFUSED' })).toBe(false)
  })
})
