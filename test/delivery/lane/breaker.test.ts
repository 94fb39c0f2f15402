import { describe, expect, test } from 'bun:test'
import { Breaker } from '../../../src/delivery/lane/breaker.ts'
import type { PauseReason } from '../../../src/delivery/wait.ts'

const REASON: Readonly<Record<PauseReason, string>> = {
  misconfigured: 'Forbidden',
  unreachable: 'ServiceUnavailable',
}

const PROVEN = { isProven: true }

function accuse(breaker: Breaker, device: number, complaint: PauseReason = 'misconfigured'): boolean {
  return breaker.accuse({ device, complaint, reason: REASON[complaint], isFirst: true })
}

/** So many devices complain, from number `first` on. */
function accuseAll(breaker: Breaker, count: number, first = 0): boolean[] {
  return Array.from({ length: count }, (_, n) => accuse(breaker, first + n))
}

describe('complaints about a credential', () => {
  test.each([
    ['misconfigured', { state: 'misconfigured', reason: 'Forbidden for 10 of 10 devices', answer: 'Forbidden' }],
    [
      'unreachable',
      { state: 'unreachable', reason: 'ServiceUnavailable for 10 of 10 devices', answer: 'ServiceUnavailable' },
    ],
  ] as const)('(%s) of ten different devices, none taken between, trip the breaker', (complaint, reason) => {
    const breaker = new Breaker(PROVEN)
    const tripped = Array.from({ length: 10 }, (_, device) => accuse(breaker, device, complaint))
    expect(tripped).toEqual([...Array.from({ length: 9 }, () => false), true])
    expect(breaker.tripReason).toEqual(reason)
  })

  test('of one device are one, however many', () => {
    const breaker = new Breaker(PROVEN)
    for (let n = 0; n < 100; n++) expect(accuse(breaker, 1)).toBe(false)
  })

  test('are forgotten when a device is taken, and who complained before is alone from then on', () => {
    const breaker = new Breaker(PROVEN)
    accuseAll(breaker, 9)
    breaker.accepted(100)
    expect(breaker.isDoubtful).toBe(false)
    expect([breaker.isAlone(0), breaker.isAlone(8), breaker.isAlone(9)]).toEqual([true, true, false])
    expect(accuseAll(breaker, 9, 20)).not.toContain(true)
    breaker.accepted(0)
    expect(breaker.isAlone(0)).toBe(false)
  })

  test('trip it again for each further one, until a device is taken', () => {
    const breaker = new Breaker(PROVEN)
    accuseAll(breaker, 10)
    expect(accuse(breaker, 11)).toBe(true)
    breaker.accepted(12)
    expect(accuse(breaker, 13)).toBe(false)
  })

  test('come to nothing where a token is refused, which shows that the credential is taken', () => {
    const breaker = new Breaker(PROVEN)
    accuseAll(breaker, 10)
    breaker.recognised()
    expect(accuse(breaker, 30)).toBe(false)
  })

  test('are told with the number of those who were tried', () => {
    const breaker = new Breaker(PROVEN)
    accuse(breaker, 1)
    breaker.tried(2)
    expect(breaker.tripReason).toEqual({
      state: 'misconfigured',
      reason: 'Forbidden for 1 of 2 devices',
      answer: 'Forbidden',
    })
  })

  test('have the next devices chosen from anywhere once a few have complained', () => {
    const breaker = new Breaker(PROVEN)
    accuseAll(breaker, 3)
    expect(breaker.wantsSamples).toBe(false)
    accuse(breaker, 3)
    expect(breaker.wantsSamples).toBe(true)
  })
})

describe('a warning, where nobody else is left to be sent to', () => {
  test('is of those who complain for the first time', () => {
    const breaker = new Breaker(PROVEN)
    expect(breaker.warning).toBe(null)
    breaker.accuse({ device: 1, complaint: 'misconfigured', reason: 'Forbidden', isFirst: false })
    expect(breaker.warning).toBe(null)
    accuse(breaker, 2)
    expect(breaker.warning).toEqual({
      state: 'misconfigured',
      reason: 'Forbidden for 2 of 2 devices',
      answer: 'Forbidden',
    })
  })

  test('is of all, where the credential was never taken', () => {
    const breaker = new Breaker({ isProven: false })
    breaker.accuse({ device: 1, complaint: 'misconfigured', reason: 'Forbidden', isFirst: false })
    expect(breaker.warning).toEqual({
      state: 'misconfigured',
      reason: 'Forbidden for 1 of 1 device',
      answer: 'Forbidden',
    })
  })
})

describe('a refused token of a device that was sent to before', () => {
  const BAD = 'BadDeviceToken'
  const refuseAll = (breaker: Breaker, count: number) =>
    Array.from({ length: count }, (_, device) => breaker.refuse(device, BAD))

  test('is believed when it is refused again', () => {
    const breaker = new Breaker(PROVEN)
    expect([breaker.refuse(1, BAD), breaker.refuse(1, BAD)]).toEqual([false, true])
  })

  test('is not believed while ten are refused and nothing is taken, which is told when nobody else is left', () => {
    const breaker = new Breaker(PROVEN)
    refuseAll(breaker, 10)
    expect(refuseAll(breaker, 10)).not.toContain(true)
    expect([breaker.isDoubtful, breaker.wantsSamples]).toEqual([true, false])
    expect(breaker.warning).toEqual({
      state: 'misconfigured',
      reason:
        '10 devices that were sent to before are refused now (BadDeviceToken), and none is taken: is the credential, the topic or the environment wrong?',
    })
  })

  test('is believed once something was taken since it was refused first', () => {
    const breaker = new Breaker(PROVEN)
    refuseAll(breaker, 20)
    breaker.accepted(100)
    expect(refuseAll(breaker, 20)).not.toContain(false)
    expect(breaker.warning).toBe(null)
  })
})
