import { describe, expect, test } from 'bun:test'
import { endpointProblem, isNamed, pushServiceMaker, serviceName } from '../../../src/device/webpush/push-services.ts'

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
    expect(isNamed(endpoint, [])).toBe(false)
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
    expect(isNamed('https://10.0.0.1/up/1', named)).toBe(true)
    expect(endpointProblem('https://push.example/up/1', named)).toBe(FOREIGN)
    expect(endpointProblem('https://sub.push.example:8443/up/1', named)).toBe(FOREIGN)
  })
})

test('push services have few names: a known host stands for its subdomains, others are those of the operator', () => {
  for (const [origin, name] of [
    ['https://fcm.googleapis.com', 'fcm.googleapis.com'],
    ['https://updates.push.services.mozilla.com', 'push.services.mozilla.com'],
    ['https://wns2-par02p.notify.windows.com', 'notify.windows.com'],
    ['https://push.example.org:8443', 'push.example.org:8443'],
    ['null', 'other'],
  ] as const) {
    expect(serviceName(origin)).toBe(name)
  }
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
