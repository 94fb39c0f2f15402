import { describe, expect, test } from 'bun:test'
import { readSubscriptionKeys } from '../../../src/device/webpush/subscription-keys.ts'

/** Of RFC 8291, appendix A. */
const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const AUTH = 'BTBZMqHH6r4Tts7J_aSIgg'

const point = Buffer.from(P256DH, 'base64url')
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const NO_POINT = 'must be a public key of P-256: an uncompressed point, 65 bytes in base64url without padding'
const NO_SECRET = 'must be 16 bytes in base64url without padding'

describe('the keys of a subscription', () => {
  test('are read as a browser gives them', () => {
    expect(readSubscriptionKeys({ p256dh: P256DH, auth: AUTH })).toEqual({
      kind: 'keys',
      keys: { p256dh: point, auth: Buffer.from(AUTH, 'base64url') },
    })
  })

  test.each([
    ['none', ''],
    ['64 zero bytes', text(Buffer.alloc(64))],
    ['65 zero bytes', text(Buffer.alloc(65))],
    ['the form of a point, with 64 zero bytes', text(Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]))],
    ['coordinates beyond the field', text(Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 255)]))],
    ['a point beside the curve', text(point.with(64, (point[64] ?? 0) ^ 1))],
    ['a compressed point', text(Buffer.concat([Buffer.from([2]), point.subarray(1, 33)]))],
    ['a hybrid point', text(point.with(0, 6))],
    ['a byte too few', text(point.subarray(0, 64))],
    ['a byte too many', text(Buffer.concat([point, Buffer.alloc(1)]))],
    ['padded base64', `${P256DH}=`],
    ['base64 of the other alphabet', P256DH.replaceAll('_', '/').replaceAll('-', '+')],
    ['white space', ` ${P256DH.slice(1)}`],
    // 65 bytes leave two bits of the last character unused.
    ['bits beyond the last byte', `${P256DH.slice(0, -1)}5`],
  ])('are refused where p256dh is %s', (_, p256dh) => {
    expect(readSubscriptionKeys({ p256dh, auth: AUTH })).toEqual({
      kind: 'invalid',
      field: 'p256dh',
      expected: NO_POINT,
    })
  })

  test.each([
    ['none', ''],
    ['too short', text(Buffer.alloc(15))],
    ['too long', text(Buffer.alloc(17))],
    ['padded', `${AUTH}==`],
    ['bits beyond the last byte', `${AUTH.slice(0, -1)}h`],
  ])('are refused where auth is %s', (_, auth) => {
    expect(readSubscriptionKeys({ p256dh: P256DH, auth })).toEqual({
      kind: 'invalid',
      field: 'auth',
      expected: NO_SECRET,
    })
  })
})
