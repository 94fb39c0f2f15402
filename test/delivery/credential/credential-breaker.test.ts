import { describe, expect, test } from 'bun:test'
import { CredentialBreaker } from '../../../src/delivery/credential/credential-breaker.ts'
import type { Complained, CredentialComplaint } from '../../../src/delivery/credential/credential-breaker.ts'

const REASONS: Readonly<Record<CredentialComplaint, string>> = {
  credential: 'InvalidProviderToken',
  gateway: 'ServiceUnavailable',
  token: 'BadDeviceToken',
  mismatch: 'DeviceTokenNotForTopic',
}

const complaintOf = (device: number, complaint: CredentialComplaint, isFirst = true): Complained<number> => ({
  device,
  complaint,
  reason: REASONS[complaint],
  isFirst,
  subject: device,
})

/** What the breaker makes of so many devices in a row, from `from` on. */
function recordMany(
  breaker: CredentialBreaker<number>,
  complaint: CredentialComplaint,
  count: number,
  from = 1,
): Set<string> {
  return new Set(Array.from({ length: count }, (_, n) => breaker.record(complaintOf(from + n, complaint))))
}

describe('a complaint about a credential', () => {
  test.each(['credential', 'gateway'] as const)('(%s) is the device’s until ten have it', (complaint) => {
    const breaker = new CredentialBreaker<number>(true)
    expect(recordMany(breaker, complaint, 9)).toEqual(new Set(['device']))
    expect(breaker.record(complaintOf(10, complaint))).toBe('trip')
    expect(breaker.tripReason).toEqual({
      misconfigured: complaint === 'credential',
      reason: `${REASONS[complaint]} for 10 of 10 devices`,
      ofRefusals: false,
    })
  })

  test('is the device’s however often it comes from the same one', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (let n = 0; n < 100; n++) expect(breaker.record(complaintOf(1, 'credential'))).toBe('device')
  })

  test('counts for nothing once another device is taken, and the next one must find ten again', () => {
    const breaker = new CredentialBreaker<number>(true)
    recordMany(breaker, 'gateway', 9)
    breaker.taken(99)
    expect(recordMany(breaker, 'gateway', 9, 101)).toEqual(new Set(['device']))
    expect(breaker.record(complaintOf(110, 'gateway'))).toBe('trip')
  })

  test('of a device that has complained alone trips nothing, until it was taken itself', () => {
    const breaker = new CredentialBreaker<number>(true)
    breaker.record(complaintOf(1, 'credential'))
    breaker.taken(2)
    expect(breaker.isAlone(1)).toBe(true)
    breaker.record(complaintOf(1, 'credential'))
    expect(breaker.warning).toBeNull()
    breaker.taken(1)
    breaker.record(complaintOf(1, 'credential'))
    expect(breaker.warning?.reason).toBe('InvalidProviderToken for 1 of 1 device')
  })

  test('says how many devices were tried beside those that complain', () => {
    const breaker = new CredentialBreaker<number>(true)
    breaker.record(complaintOf(1, 'credential'))
    breaker.tried(50)
    breaker.tried(51)
    breaker.record(complaintOf(2, 'gateway'))
    breaker.record(complaintOf(3, 'credential'))
    expect(breaker.warning).toEqual({
      misconfigured: true,
      reason: 'InvalidProviderToken for 2 of 5 devices',
      ofRefusals: false,
    })
  })

  test('of one that waits for long, with a credential that was good, is not told of as news', () => {
    const proven = new CredentialBreaker<number>(true)
    proven.record(complaintOf(1, 'credential', false))
    expect(proven.warning).toBeNull()
    const unproven = new CredentialBreaker<number>(false)
    unproven.record(complaintOf(1, 'credential', false))
    expect(unproven.warning).not.toBeNull()
  })

  test('trips again once it has tripped, with each device that is asked, until one is taken', () => {
    const breaker = new CredentialBreaker<number>(true)
    recordMany(breaker, 'credential', 10)
    expect(breaker.record(complaintOf(11, 'gateway'))).toBe('trip')
    breaker.taken(12)
    expect(breaker.record(complaintOf(13, 'gateway'))).toBe('device')
  })
})

describe('a refused token, while the credential has proven nothing', () => {
  test.each(['token', 'mismatch'] as const)('(%s) is pending until ten devices have one', (complaint) => {
    const breaker = new CredentialBreaker<number>(false)
    expect(recordMany(breaker, complaint, 9)).toEqual(new Set(['pending']))
    expect(breaker.record(complaintOf(10, complaint))).toBe('trip')
    expect(breaker.tripReason.reason).toBe(`${REASONS[complaint]} for 10 of 10 devices`)
    expect(breaker.release()).toHaveLength(10)
  })

  test('comes back when a notification is taken: it was bad', () => {
    const breaker = new CredentialBreaker<number>(false)
    recordMany(breaker, 'token', 2)
    expect(breaker.prove()).toBe(true)
    expect(breaker.taken(3).map(({ subject: device }) => device)).toEqual([1, 2])
    expect(breaker.prove()).toBe(false)
    expect(breaker.isDoubtful).toBe(false)
  })

  test('is bad where nobody else is left, unless it may be one of another topic, or more is held against the key', () => {
    const bad = new CredentialBreaker<number>(false)
    recordMany(bad, 'token', 3)
    expect([bad.believesPending, bad.warning]).toEqual([true, null])
    const mismatch = new CredentialBreaker<number>(false)
    recordMany(mismatch, 'mismatch', 1)
    expect([mismatch.believesPending, mismatch.warning?.reason]).toEqual([
      false,
      'DeviceTokenNotForTopic for 1 of 1 device',
    ])
    const both = new CredentialBreaker<number>(false)
    recordMany(both, 'token', 3)
    recordMany(both, 'credential', 1, 10)
    expect(both.believesPending).toBe(false)
  })
})

describe('a refused token, while the credential is known to be good', () => {
  test('is pending until the next device is taken, and shows that the credential is taken', () => {
    const breaker = new CredentialBreaker<number>(true)
    recordMany(breaker, 'credential', 9)
    expect(breaker.record(complaintOf(10, 'token'))).toBe('pending')
    expect(breaker.record(complaintOf(11, 'credential'))).toBe('device')
    expect(breaker.taken(12).map(({ subject: device }) => device)).toEqual([10])
  })

  test('is doubted when fifty devices in a row have one; the next time a hundred have to', () => {
    const breaker = new CredentialBreaker<number>(true)
    expect(recordMany(breaker, 'token', 49)).toEqual(new Set(['pending']))
    expect(breaker.record(complaintOf(50, 'token'))).toBe('trip')
    expect(breaker.tripReason).toMatchObject({ misconfigured: true, ofRefusals: true })
    expect(breaker.tripReason.reason).toStartWith(
      'the last 50 devices were all refused (BadDeviceToken) and none was taken: is the credential, the topic or',
    )
    expect(breaker.release()).toHaveLength(50)
    expect(recordMany(breaker, 'token', 49, 51)).toEqual(new Set(['pending']))
    expect(breaker.believesPending).toBe(false)
    expect(breaker.record(complaintOf(100, 'token'))).toBe('trip')
    expect(breaker.tripReason.reason).toStartWith('the last 100 devices were all refused')
    breaker.release()
    breaker.taken(101)
    expect(recordMany(breaker, 'token', 99, 200)).toEqual(new Set(['pending']))
    expect(breaker.record(complaintOf(299, 'token'))).toBe('trip')
  })

  test('of the same device counts once', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (let n = 0; n < 100; n++) expect(breaker.record(complaintOf(1, 'token'))).toBe('pending')
  })

  test('lets no more be in flight than are needed to doubt it, once there are ten in a row', () => {
    const breaker = new CredentialBreaker<number>(true)
    recordMany(breaker, 'token', 9)
    expect(breaker.allowance).toBe(Number.POSITIVE_INFINITY)
    recordMany(breaker, 'token', 3, 10)
    expect([breaker.allowance, breaker.wantsSamples]).toEqual([38, true])
    breaker.taken(99)
    expect([breaker.allowance, breaker.wantsSamples]).toEqual([Number.POSITIVE_INFINITY, false])
  })

  test('is believed when two hundred later ones are pending', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (const count of [50, 100, 200]) {
      recordMany(breaker, 'token', count)
      breaker.release()
      breaker.taken(9999)
    }
    recordMany(breaker, 'token', 203)
    expect(breaker.overflow().map(({ subject: device }) => device)).toEqual([1, 2, 3])
  })

  test('needs fifty again after as many were taken as had to be refused', () => {
    const breaker = new CredentialBreaker<number>(true)
    recordMany(breaker, 'token', 50)
    for (let n = 0; n < 102; n++) breaker.taken(1000 + n)
    expect(breaker.isQuiet).toBe(true)
    breaker.release()
    recordMany(breaker, 'token', 49)
    expect(breaker.record(complaintOf(50, 'token'))).toBe('trip')
  })
})
