import { describe, expect, test } from 'bun:test'
import type { ApnsSummary } from '../../../src/application/credential.ts'
import { apnsFinding, isForOtherEnvironment, limitedTo } from '../../../src/doctor/gateways/apns-finding.ts'
import { expectFinding } from '../expect-finding.ts'

const key: ApnsSummary = {
  kind: 'key',
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.shop',
  environment: 'auto',
}
const certificate: ApnsSummary = { kind: 'certificate', topic: 'com.example.shop', environment: 'auto', expiresAt: 0 }
const subject = { application: 'app_1', credential: key, environment: 'production' } as const
const ofCertificate = { ...subject, credential: certificate }

/** Status, reason, state, and parts of the two sentences. */
const ANSWERS = [
  [400, 'BadDeviceToken', 'ok', /takes key ABC123DEFG of team DEF123GHIJ for com\.example\.shop \(production\)/, null],
  [410, 'Unregistered', 'ok', /takes key ABC123DEFG/, null],
  [410, 'ExpiredToken', 'ok', /takes key ABC123DEFG/, null],
  [400, 'DeviceTokenNotForTopic', 'warning', /not for com\.example\.shop/, /bundle id/],
  [400, 'BadTopic', 'failed', /does not take the topic com\.example\.shop/, /--topic .*bellhop app apns app_1/],
  [400, 'MissingTopic', 'failed', /which app/, /--topic/],
  [400, 'TopicDisallowed', 'failed', /does not let key ABC123DEFG .* send for the topic/, /team DEF123GHIJ/],
  [403, 'BadCertificate', 'failed', /does not take the certificate/, /Create a new one/],
  [403, 'BadCertificateEnvironment', 'failed', /not for the production environment/, /--environment/],
  [403, 'BadEnvironmentKeyInToken', 'failed', /not for the production environment/, /--environment/],
  [403, 'BadEnvironmentKeyIdInToken', 'failed', /not for the production environment/, /--environment/],
  [403, 'ExpiredProviderToken', 'failed', /more than an hour old/, /Set the clock/],
  [403, 'Forbidden', 'failed', /refuses key ABC123DEFG/, /membership is paid/],
  [403, 'InvalidProviderToken', 'failed', /signature of key ABC123DEFG for team DEF123GHIJ/, /AuthKey_ABC123DEFG\.p8/],
  [403, 'MissingProviderToken', 'failed', /signature did not reach Apple/, /\*\.push\.apple\.com/],
  [403, 'UnrelatedKeyIdInToken', 'failed', /not related/, /several applications on one connection/],
  [403, 'SomethingNew', 'failed', /refuses key .* \(SomethingNew\)/, /store it again/],
  [403, null, 'failed', /\(HTTP 403\)/, /store it again/],
  [429, 'TooManyProviderTokenUpdates', 'warning', /too many new signatures/, /Wait 20 minutes/],
  [429, 'TooManyRequests', 'warning', /takes key .* too often/, /again in a few minutes/],
  [400, 'IdleTimeout', 'warning', /closed the connection/, /again/],
  [503, 'Shutdown', 'warning', /closed the connection/, /again/],
  [500, 'InternalServerError', 'warning', /trouble of its own/, /system-status/],
  [503, 'ServiceUnavailable', 'warning', /trouble of its own/, /system-status/],
  [502, null, 'warning', /\(HTTP 502\)/, /system-status/],
  [200, null, 'warning', /accepted a device token that does not exist/, /--apns-url/],
  [404, null, 'warning', /HTTP 404, which APNs does not/, /--apns-url/],
  [302, null, 'warning', /HTTP 302/, /--apns-url/],
] as const

const FAULTS = [
  'BadCollapseId',
  'BadExpirationDate',
  'BadMessageId',
  'BadPath',
  'BadPriority',
  'DuplicateHeaders',
  'InvalidPushType',
  'MethodNotAllowed',
  'MissingDeviceToken',
  'PayloadEmpty',
  'PayloadTooLarge',
]

describe('what an answer of APNs to an impossible device token says', () => {
  for (const [status, reason, state, found, advice] of ANSWERS) {
    test(`${status} ${reason ?? 'without a reason'}: ${state}`, () => {
      expectFinding(apnsFinding(status, reason, subject), state, found, advice)
    })
  }

  for (const reason of FAULTS) {
    test(`${reason} is nobody's setting`, () => {
      const finding = apnsFinding(400, reason, subject)
      expect(finding.state).toBe('failed')
      expect(finding.found).toContain(`(${reason})`)
      expect(finding.advice).toContain('report a bug')
    })
  }

  test('of a certificate speaks of a certificate', () => {
    expect(apnsFinding(400, 'BadDeviceToken', ofCertificate).found).toBe(
      'Apple takes the certificate for com.example.shop (production).',
    )
    expect(apnsFinding(403, 'MissingProviderToken', ofCertificate).found).toContain('no client certificate')
    expect(apnsFinding(403, 'InvalidProviderToken', ofCertificate).found).toContain('refuses the certificate')
    expect(apnsFinding(400, 'TopicDisallowed', ofCertificate).advice).toContain('certificate of this app')
  })

  test('a key for one environment only is told by its reasons, and what it cannot reach', () => {
    for (const reason of ['BadEnvironmentKeyInToken', 'BadEnvironmentKeyIdInToken', 'BadCertificateEnvironment']) {
      expect(isForOtherEnvironment(reason)).toBe(true)
    }
    expect(isForOtherEnvironment('InvalidProviderToken')).toBe(false)
    expect(isForOtherEnvironment(null)).toBe(false)
    expectFinding(
      limitedTo('production', { ...subject, environment: 'sandbox' }),
      'warning',
      'Key ABC123DEFG of team DEF123GHIJ is limited to the production environment: no push reaches builds run from Xcode.',
      'If this is not intended, create a key for both environments at Apple and store it: bellhop app apns app_1.',
    )
    expect(limitedTo('sandbox', ofCertificate).found).toContain('TestFlight and the App Store')
  })
})
