import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { apnsIdOf, apnsPath, judgeApns, readApnsRefusal } from '../../../src/gateway/apns/protocol.ts'
import type { Outcome } from '../../../src/gateway/gateway.ts'
import { gone, later, misconfigured, rejected } from '../outcome.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
describe('an apns-id', () => {
  test('differs for the devices around every power of two, at which a number is cut or carried', () => {
    const devices = new Set([1, 2, 3, Number.MAX_SAFE_INTEGER])
    for (let bit = 2; bit <= 52; bit++) for (const off of [-1, 0, 1]) devices.add(2 ** bit + off)
    expect(new Set([...devices].map((device) => apnsIdOf(PUSH, device))).size).toBe(devices.size)
  })

  test('is a UUID for every device and push, and differs for two devices', () => {
    const device = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), device, device, (push, one, other) => {
        const id = apnsIdOf(push, one)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(id === apnsIdOf(push, other)).toBe(one === other)
        expect(id).toBe(apnsIdOf(push, one))
      }),
    )
  })

  test('differs for two pushes to one device', () => {
    expect(apnsIdOf(PUSH, 42)).not.toBe(apnsIdOf('01890a5d-ac96-774b-bcce-b302099a8058', 42))
  })
})

describe('the path of a token', () => {
  test.each([
    ['00fc13adff785122'.repeat(4), `/3/device/${'00fc13adff785122'.repeat(4)}`],
    ['AB'.repeat(100), `/3/device/${'AB'.repeat(100)}`],
    ['AB'.repeat(31), null],
    ['AB'.repeat(101), null],
    ['../../v1/x?y#z', null],
    ['\ud800', null],
    ['..', null],
  ])('of %p is %p', (token, path) => {
    expect(apnsPath(token)).toBe(path)
  })
})

describe('the body of a refusal', () => {
  test.each([
    ['{"reason":"BadDeviceToken"}', 'BadDeviceToken', null],
    ['{"reason":"Unregistered","timestamp":1700000000000}', 'Unregistered', 1_700_000_000_000],
    ['{"reason":"Unregistered","timestamp":"then"}', 'Unregistered', null],
    ['{"reason":"<script>"}', null, null],
    ['{"reason":5}', null, null],
    ['null', null, null],
    ['', null, null],
    ['<html>', null, null],
  ])('%s is read', (body, reason, timestamp) => {
    expect(readApnsRefusal(body)).toEqual({ reason, timestamp })
  })
})

describe('an answer of APNs', () => {
  const SINCE = 1_700_000_000_000
  const badPush = (reason: string) => rejected('push', reason)
  const deviceLater = (reason: string) => later('device', reason)
  const eitherLater = (reason: string) => later('either', reason)

  // One of each meaning; the rest of the table is compared with the manual.
  const TABLE: readonly [status: number, reason: string, (reason: string) => Outcome][] = [
    [400, 'BadDeviceToken', (reason) => rejected('token', reason)],
    [400, 'DeviceTokenNotForTopic', (reason) => rejected('mismatch', reason)],
    [400, 'BadPriority', badPush],
    [400, 'TopicDisallowed', misconfigured],
    [400, 'IdleTimeout', deviceLater],
    [403, 'ExpiredProviderToken', (reason) => later('credential', reason)],
    [403, 'Forbidden', (reason) => ({ kind: 'misconfigured', reason, tries: 3 })],
    [410, 'Unregistered', (reason) => gone(reason, SINCE)],
    [429, 'TooManyProviderTokenUpdates', deviceLater],
    [503, 'ServiceUnavailable', eitherLater],
    [503, 'Shutdown', deviceLater],
    // Unknown reasons count as their status.
    [400, 'NewReason', badPush],
    [401, 'NewReason', misconfigured],
    [403, 'NewReason', misconfigured],
    // Who is gone is so by Apple's own word.
    [410, 'NewReason', deviceLater],
    [418, 'NewReason', badPush],
    [429, 'NewReason', deviceLater],
    [500, 'NewReason', deviceLater],
    [502, 'NewReason', eitherLater],
    [503, 'NewReason', eitherLater],
    // A known reason with another status than Apple's is not Apple's.
    [500, 'BadDeviceToken', deviceLater],
    [400, 'Unregistered', badPush],
  ]

  test.each(TABLE)('%d %s', (status, reason, expected) => {
    expect(judgeApns(status, { reason, timestamp: SINCE }, null)).toEqual(expected(reason))
  })

  test.each([
    [302, eitherLater('HTTP 302')],
    [204, eitherLater('HTTP 204')],
    [400, badPush('HTTP 400')],
    [403, misconfigured('HTTP 403')],
    [410, deviceLater('HTTP 410')],
    [503, eitherLater('HTTP 503')],
  ])('%d without a reason', (status, expected) => {
    expect(judgeApns(status, { reason: null, timestamp: null }, null)).toEqual(expected)
  })

  test('200 is accepted', () => {
    expect(judgeApns(200, { reason: null, timestamp: null }, null)).toEqual({ kind: 'accepted' })
  })

  test('410 without a time is not Apple’s: nobody is gone for it', () => {
    const reason = 'Unregistered'
    expect(judgeApns(410, { reason, timestamp: null }, null)).toEqual(deviceLater(reason))
  })

  test.each([
    [429, 'TooManyRequests'],
    [429, 'TooManyProviderTokenUpdates'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
  ])('%d %s waits for as long as Retry-After asks', (status, reason) => {
    expect(judgeApns(status, { reason, timestamp: null }, 30_000)).toMatchObject({ kind: 'deferred', afterMs: 30_000 })
  })
})
