import { describe, expect, test } from 'bun:test'
import { CredentialBreaker } from '../../src/delivery/credential-breaker.ts'
import type { Complained, CredentialComplaint } from '../../src/delivery/credential-breaker.ts'

const REASONS: Readonly<Record<CredentialComplaint, string>> = {
  credential: 'InvalidProviderToken',
  gateway: 'ServiceUnavailable',
  token: 'BadDeviceToken',
  mismatch: 'DeviceTokenNotForTopic',
}

const of = (device: number, complaint: CredentialComplaint, isFirst = true): Complained<number> => ({
  device,
  complaint,
  reason: REASONS[complaint],
  isFirst,
  subject: device,
})

/** What the breaker makes of so many devices in a row, from `from` on. */
function weigh(
  breaker: CredentialBreaker<number>,
  complaint: CredentialComplaint,
  count: number,
  from = 1,
): Set<string> {
  return new Set(Array.from({ length: count }, (_, n) => breaker.weigh(of(from + n, complaint))))
}

describe('a complaint about a credential', () => {
  test.each(['credential', 'gateway'] as const)('(%s) is the device’s until ten have it', (complaint) => {
    const breaker = new CredentialBreaker<number>(true)
    expect(weigh(breaker, complaint, 9)).toEqual(new Set(['own']))
    expect(breaker.weigh(of(10, complaint))).toBe('accuse')
    expect(breaker.accusation).toEqual({
      misconfigured: complaint === 'credential',
      reason: `${REASONS[complaint]} for 10 of 10 devices`,
      ofRefusals: false,
    })
  })

  test('is the device’s however often it comes from the same one', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (let n = 0; n < 100; n++) expect(breaker.weigh(of(1, 'credential'))).toBe('own')
  })

  test('counts for nothing once another device is taken, and the next one must find ten again', () => {
    const breaker = new CredentialBreaker<number>(true)
    weigh(breaker, 'gateway', 9)
    breaker.taken(99)
    expect(weigh(breaker, 'gateway', 9, 101)).toEqual(new Set(['own']))
    expect(breaker.weigh(of(110, 'gateway'))).toBe('accuse')
  })

  test('of a device that has complained alone accuses nobody, until it was taken itself', () => {
    const breaker = new CredentialBreaker<number>(true)
    breaker.weigh(of(1, 'credential'))
    breaker.taken(2)
    expect(breaker.isAlone(1)).toBe(true)
    breaker.weigh(of(1, 'credential'))
    expect(breaker.rumour).toBeNull()
    breaker.taken(1)
    breaker.weigh(of(1, 'credential'))
    expect(breaker.rumour?.reason).toBe('InvalidProviderToken for 1 of 1 device')
  })

  test('says how many devices were tried beside those that complain', () => {
    const breaker = new CredentialBreaker<number>(true)
    breaker.weigh(of(1, 'credential'))
    breaker.tried(50)
    breaker.tried(51)
    breaker.weigh(of(2, 'gateway'))
    breaker.weigh(of(3, 'credential'))
    expect(breaker.rumour).toEqual({
      misconfigured: true,
      reason: 'InvalidProviderToken for 2 of 5 devices',
      ofRefusals: false,
    })
  })

  test('of one that waits for long, with a credential that was good, is not told of as news', () => {
    const proven = new CredentialBreaker<number>(true)
    proven.weigh(of(1, 'credential', false))
    expect(proven.rumour).toBeNull()
    const unproven = new CredentialBreaker<number>(false)
    unproven.weigh(of(1, 'credential', false))
    expect(unproven.rumour).not.toBeNull()
  })

  test('accuses again once it was accused, with each device that is asked, until one is taken', () => {
    const breaker = new CredentialBreaker<number>(true)
    weigh(breaker, 'credential', 10)
    expect(breaker.weigh(of(11, 'gateway'))).toBe('accuse')
    breaker.taken(12)
    expect(breaker.weigh(of(13, 'gateway'))).toBe('own')
  })
})

describe('a refused token, while the credential has proven nothing', () => {
  test.each(['token', 'mismatch'] as const)('(%s) is set aside until ten devices have one', (complaint) => {
    const breaker = new CredentialBreaker<number>(false)
    expect(weigh(breaker, complaint, 9)).toEqual(new Set(['aside']))
    expect(breaker.weigh(of(10, complaint))).toBe('accuse')
    expect(breaker.accusation.reason).toBe(`${REASONS[complaint]} for 10 of 10 devices`)
    expect(breaker.release()).toHaveLength(10)
  })

  test('comes back when a notification is taken: it was bad', () => {
    const breaker = new CredentialBreaker<number>(false)
    weigh(breaker, 'token', 2)
    expect(breaker.prove()).toBe(true)
    expect(breaker.taken(3).map(({ subject: device }) => device)).toEqual([1, 2])
    expect(breaker.prove()).toBe(false)
    expect(breaker.isDoubtful).toBe(false)
  })

  test('is bad where nobody else is left, unless it may be one of another topic, or more is held against the key', () => {
    const bad = new CredentialBreaker<number>(false)
    weigh(bad, 'token', 3)
    expect([bad.believesAside, bad.rumour]).toEqual([true, null])
    const mismatch = new CredentialBreaker<number>(false)
    weigh(mismatch, 'mismatch', 1)
    expect([mismatch.believesAside, mismatch.rumour?.reason]).toEqual([
      false,
      'DeviceTokenNotForTopic for 1 of 1 device',
    ])
    const both = new CredentialBreaker<number>(false)
    weigh(both, 'token', 3)
    weigh(both, 'credential', 1, 10)
    expect(both.believesAside).toBe(false)
  })
})

describe('a refused token, while the credential is known to be good', () => {
  test('is set aside until the next device is taken, and shows that the credential is taken', () => {
    const breaker = new CredentialBreaker<number>(true)
    weigh(breaker, 'credential', 9)
    expect(breaker.weigh(of(10, 'token'))).toBe('aside')
    expect(breaker.weigh(of(11, 'credential'))).toBe('own')
    expect(breaker.taken(12).map(({ subject: device }) => device)).toEqual([10])
  })

  test('is doubted when fifty devices in a row have one; the next time a hundred have to', () => {
    const breaker = new CredentialBreaker<number>(true)
    expect(weigh(breaker, 'token', 49)).toEqual(new Set(['aside']))
    expect(breaker.weigh(of(50, 'token'))).toBe('accuse')
    expect(breaker.accusation).toMatchObject({ misconfigured: true, ofRefusals: true })
    expect(breaker.accusation.reason).toStartWith(
      'the last 50 devices were all refused (BadDeviceToken) and none was taken: is the credential, the topic or',
    )
    expect(breaker.release()).toHaveLength(50)
    expect(weigh(breaker, 'token', 49, 51)).toEqual(new Set(['aside']))
    expect(breaker.believesAside).toBe(false)
    expect(breaker.weigh(of(100, 'token'))).toBe('accuse')
    expect(breaker.accusation.reason).toStartWith('the last 100 devices were all refused')
    breaker.release()
    breaker.taken(101)
    expect(weigh(breaker, 'token', 99, 200)).toEqual(new Set(['aside']))
    expect(breaker.weigh(of(299, 'token'))).toBe('accuse')
  })

  test('of the same device counts once', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (let n = 0; n < 100; n++) expect(breaker.weigh(of(1, 'token'))).toBe('aside')
  })

  test('lets no more be in flight than are needed to doubt it, once there are ten in a row', () => {
    const breaker = new CredentialBreaker<number>(true)
    weigh(breaker, 'token', 9)
    expect(breaker.allowance).toBe(Number.POSITIVE_INFINITY)
    weigh(breaker, 'token', 3, 10)
    expect([breaker.allowance, breaker.asksAround]).toEqual([38, true])
    breaker.taken(99)
    expect([breaker.allowance, breaker.asksAround]).toEqual([Number.POSITIVE_INFINITY, false])
  })

  test('is believed when two hundred later ones are set aside', () => {
    const breaker = new CredentialBreaker<number>(true)
    for (const count of [50, 100, 200]) {
      weigh(breaker, 'token', count)
      breaker.release()
      breaker.taken(9999)
    }
    weigh(breaker, 'token', 203)
    expect(breaker.overflow().map(({ subject: device }) => device)).toEqual([1, 2, 3])
  })

  test('needs fifty again after as many were taken as had to be refused', () => {
    const breaker = new CredentialBreaker<number>(true)
    weigh(breaker, 'token', 50)
    for (let n = 0; n < 102; n++) breaker.taken(1000 + n)
    expect(breaker.isQuiet).toBe(true)
    breaker.release()
    weigh(breaker, 'token', 49)
    expect(breaker.weigh(of(50, 'token'))).toBe('accuse')
  })
})
