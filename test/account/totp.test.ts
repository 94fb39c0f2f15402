import { describe, expect, test } from 'bun:test'
import { newRecoveryCode, recoveryDigest } from '../../src/account/second-factor-store.ts'
import { stepOfCode, totpCode, totpUri } from '../../src/account/totp.ts'
import { base32 } from '../../src/text/base32.ts'
import { fromBase32 } from '../support/authenticator.ts'

/** Of both RFCs. */
const SECRET = Buffer.from('12345678901234567890')

describe('a code', () => {
  test('is that of RFC 4226, appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => totpCode(SECRET, counter))
    expect(codes).toEqual([
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ])
  })

  // The last 6 of the 8 digits there.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d seconds is that of RFC 6238, appendix B', (seconds, code) => {
    expect(stepOfCode(SECRET, code, seconds * 1000, 0)).toBe(Math.floor(seconds / 30))
  })

  test('counts in its own step, the one before and the one after, and in no other', () => {
    const step = 1000
    const accepted = [-2, -1, 0, 1, 2].map((away) =>
      stepOfCode(SECRET, totpCode(SECRET, step + away), step * 30_000, 0),
    )
    expect(accepted).toEqual([null, 999, 1000, 1001, null])
    // The last millisecond of the step after.
    expect(stepOfCode(SECRET, totpCode(SECRET, step), (step + 2) * 30_000 - 1, 0)).toBe(step)
    expect(stepOfCode(SECRET, totpCode(SECRET, step), (step + 2) * 30_000, 0)).toBeNull()
  })

  test('counts once, and none of an earlier step after it', () => {
    const now = 30_000_000
    expect(stepOfCode(SECRET, totpCode(SECRET, 1000), now, 1000)).toBeNull()
    expect(stepOfCode(SECRET, totpCode(SECRET, 999), now, 1000)).toBeNull()
    expect(stepOfCode(SECRET, totpCode(SECRET, 1001), now, 1000)).toBe(1001)
  })

  test('may be typed with a space, and is nothing but 6 digits', () => {
    const code = totpCode(SECRET, 1000)
    expect(stepOfCode(SECRET, `${code.slice(0, 3)} ${code.slice(3)} `, 30_000_000, 0)).toBe(1000)
    for (const other of ['', code.slice(1), `${code}0`, 'ÄÖÜ', '¹²³456']) {
      expect(stepOfCode(SECRET, other, 30_000_000, 0)).toBeNull()
    }
  })
})

test('the key is in base32, as RFC 4648 has it, and in the address', () => {
  expect(base32(Buffer.from('fooba'))).toBe('MZXW6YTB')
  expect(base32(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  expect(fromBase32(base32(SECRET))).toEqual(new Uint8Array(SECRET))
  expect(totpUri('Ann & Bob', SECRET)).toBe(
    'otpauth://totp/Bellhop:Ann%20%26%20Bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bellhop',
  )
})

test('a recovery code has 80 bits, and is the same however it is typed', () => {
  const code = newRecoveryCode((length) => SECRET.subarray(0, length))
  expect(code).toBe('gezd-gnbv-gy3t-qojq')
  expect(recoveryDigest(' GEZDGNBV gy3t-qojq')).toEqual(recoveryDigest(code))
  expect(recoveryDigest('gezd-gnbv-gy3t-qojr')).not.toEqual(recoveryDigest(code))
})
