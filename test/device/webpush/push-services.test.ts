import { describe, expect, test } from 'bun:test'
import {
  endpointProblem,
  isNamed,
  mayBeMadeUp,
  pushServiceMaker,
  pushServiceName,
  pushServiceOrigin,
} from '../../../src/device/webpush/push-services.ts'

const FOREIGN =
  'must be an endpoint of a push service that is allowed here: fcm.googleapis.com, jmt17.google.com, *.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com, or one that the operator names with --push-services'
const NO_ENDPOINT = "must be the endpoint of a push subscription, an https URL as the browser's subscription has it"
const MORE = 'must be the endpoint of a push subscription, without user and fragment'

describe('the endpoint of a subscription', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/cJ5vAhQ:APA91bE',
    'https://jmt17.google.com/fcm/send/cJ5vAhQ:APA91bE',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl',
    'https://web.push.apple.com/QMmSKx3b',
    'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAB',
  ])('may be %s', (endpoint) => {
    expect(endpointProblem(endpoint, [])).toBeNull()
    expect(isNamed(new URL(endpoint), [])).toBe(false)
  })

  test.each([
    'https://example.com/push',
    'https://fcm.googleapis.com.example.com/fcm/send/1',
    'https://evil-fcm.googleapis.com/1',
    'https://fcm.googleapis.com./fcm/send/1',
    'https://push.apple.com/1',
    'https://xpush.apple.com/1',
    'https://127.0.0.1/1',
    'https://[::1]/1',
    'https://169.254.169.254/latest',
    'https://localhost/1',
    'https://fcm.googleapis.com:8443/fcm/send/1',
    'https://web.push.apple.com:2197/1',
    'https://updates.push.services.mozilla.com:80/wpush/v2/1',
    'https://wns2-par02p.notify.windows.com:1/w/?token=1',
    'https://jmt17.google.com:444/fcm/send/1',
    'https://sub.jmt17.google.com/fcm/send/1',
    'https://.push.apple.com/x',
    'https://a..push.apple.com/x',
    'https://a_b.push.apple.com/x',
    'https://*.push.apple.com/x',
  ])('may not be %s', (endpoint) => {
    expect(endpointProblem(endpoint, [])).toBe(FOREIGN)
  })

  test.each([
    '',
    'no URL',
    'http://fcm.googleapis.com/fcm/send/1',
    'ftp://fcm.googleapis.com/1',
    'https://fcm.googleapis.com',
    'https://fcm.googleapis.com:443/fcm/send/1',
    'https://FCM.googleapis.com/fcm/send/1',
    'https://fcm.googleapis.com/fcm/./send/1',
    'https://fcm.googleapis.com\\fcm\\send\\1',
    'https://fcm.googleapis.com/fcm/send/ä',
    ' https://fcm.googleapis.com/fcm/send/1',
    'https://@fcm.googleapis.com/fcm/send/1',
    'https://2130706433/1',
    'https://0x7f.1/1',
  ])('is not %p: there is one spelling of each', (endpoint) => {
    expect(endpointProblem(endpoint, [])).toBe(NO_ENDPOINT)
  })

  test('has neither user nor fragment', () => {
    expect(endpointProblem('https://me@fcm.googleapis.com/fcm/send/1', [])).toBe(MORE)
    expect(endpointProblem('https://me:pass@fcm.googleapis.com/fcm/send/1', [])).toBe(MORE)
    expect(endpointProblem('https://fcm.googleapis.com/fcm/send/1#a', [])).toBe(MORE)
    expect(endpointProblem('https://fcm.googleapis.com/fcm/send/1#', [])).toBe(MORE)
  })

  test('has 2048 bytes at the most', () => {
    const endpoint = (length: number) => 'https://fcm.googleapis.com/'.padEnd(length, 'a')
    expect(endpointProblem(endpoint(2048), [])).toBeNull()
    expect(endpointProblem(endpoint(2049), [])).toBe('must be at most 2048 bytes long')
    expect(endpointProblem(endpoint(5000), [])).toBe('must be at most 2048 bytes long')
  })

  test('may be of an origin that the operator names, wherever that is, and of no other port of it', () => {
    const named = ['https://push.example:8443', 'https://10.0.0.1']
    expect(endpointProblem('https://push.example:8443/up/1?topic=2', named)).toBeNull()
    expect(endpointProblem('https://10.0.0.1/up/1', named)).toBeNull()
    expect(isNamed(new URL('https://10.0.0.1/up/1'), named)).toBe(true)
    expect(endpointProblem('https://push.example/up/1', named)).toBe(FOREIGN)
    expect(endpointProblem('https://sub.push.example:8443/up/1', named)).toBe(FOREIGN)
    expect(endpointProblem('https://10.0.0.11/up/1', named)).toBe(FOREIGN)
    expect(endpointProblem('https://10.0.0.1:8443/up/1', named)).toBe(FOREIGN)
  })

  describe('of an origin that is named with a path', () => {
    const NAMED = ['https://example.com/apps/push']

    test.each(['', '/', '/1', '/a/b?token=../admin', '?token=1', '/..a', '/a%20b'])('is below it: %p', (rest) => {
      expect(endpointProblem(`${NAMED[0]}${rest}`, NAMED)).toBeNull()
    })

    test.each([
      'https://example.com/',
      'https://example.com/admin',
      'https://example.com/apps',
      'https://example.com/apps/pushing/1',
      'https://example.com/x/apps/push/1',
      'https://example.com:8443/apps/push/1',
      // What a server behind may decode once more.
      'https://example.com/apps/push/..%2fadmin',
      'https://example.com/apps/push/..%5Cadmin',
      'https://example.com/apps/push/%252e%252e/admin',
      'https://example.com/apps/push/..;/admin',
    ])('is nowhere else: %s', (endpoint) => {
      expect(endpointProblem(endpoint, NAMED)).toBe(FOREIGN)
    })

    test.each(['/../admin', '/%2e%2e/admin', '/./1'])('has one spelling: %s', (rest) => {
      expect(endpointProblem(`${NAMED[0]}${rest}`, NAMED)).toBe(NO_ENDPOINT)
    })
  })
})

describe('a push service', () => {
  test.each([
    ['https://fcm.googleapis.com/fcm/send/1', 'fcm.googleapis.com'],
    ['https://jmt17.google.com/fcm/send/1', 'fcm.googleapis.com'],
    ['https://updates.push.services.mozilla.com/wpush/v2/1', 'push.services.mozilla.com'],
    ['https://made-up.push.services.mozilla.com/1', 'push.services.mozilla.com'],
    ['https://web.push.apple.com/1', 'push.apple.com'],
    ['https://a.b.push.apple.com/1', 'push.apple.com'],
    ['https://wns2-par02p.notify.windows.com/w/?token=1', 'notify.windows.com'],
    ['https://push.example.org:8443/1', 'push.example.org:8443'],
  ])('is one, whatever its hosts: %s is of %s', (endpoint, name) => {
    expect(pushServiceName(pushServiceOrigin(new URL(endpoint)))).toBe(name)
  })

  test('has no name where it has no address', () => {
    expect(pushServiceName('null')).toBe('other')
  })

  test.each([
    ['https://fcm.googleapis.com/1', false],
    ['https://jmt17.google.com/1', false],
    ['https://updates.push.services.mozilla.com/1', false],
    ['https://web.push.apple.com/1', false],
    ['https://push.example.org/1', false],
    ['https://x.push.apple.com/1', true],
    ['https://wns2-par02p.notify.windows.com/1', true],
  ])('may have made-up hosts: %s, %p', (endpoint, mayBe) => {
    expect(mayBeMadeUp(new URL(endpoint))).toBe(mayBe)
  })
})

test('the maker of a push service is known by the host, and by the path on the simulator', () => {
  for (const [endpoint, maker] of [
    ['https://fcm.googleapis.com/fcm/send/1', 'google'],
    ['https://jmt17.google.com/fcm/send/1', 'google'],
    ['https://updates.push.services.mozilla.com/wpush/v2/1', 'mozilla'],
    ['https://web.push.apple.com/1', 'apple'],
    ['https://wns2-par02p.notify.windows.com/w/?token=1', 'microsoft'],
    ['https://push.example.org/apple/1', 'other'],
    ['https://simulator.invalid/apple/1', 'apple'],
    ['https://simulator.invalid/ntfy/1', 'other'],
    ['https://simulator.invalid/1', 'other'],
  ] as const) {
    expect(pushServiceMaker(new URL(endpoint))).toBe(maker)
  }
})
