import { describe, expect, test } from 'bun:test'
import { tokenWarning } from '../../src/device/push-token.ts'

const FCM = `eK3xY_z0aB1cD2eF3gH4iJ:APA91b${'x-Y_z0'.repeat(22)}`
const THROUGH_FCM = 'which is sent to through FCM, as platform 1'

describe('what is said of a token of iOS', () => {
  test.each(['ab'.repeat(32), 'AB'.repeat(32), 'ab'.repeat(80), '0'.repeat(200)])('nothing of %s', (token) => {
    expect(tokenWarning(0, token)).toBeNull()
  })

  test.each([
    ['abc123', 'it is too short: 6 of at least 64 hex digits'],
    ['a'.repeat(63), 'it is too short: 63 of at least 64 hex digits'],
    ['a'.repeat(201), 'it is too long: 201 of at most 200 hex digits'],
    [
      'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]',
      "it looks like an Expo push token, which only Expo can send to; getDevicePushTokenAsync gives Apple's",
    ],
    ['ExpoPushToken[x]', expect.stringContaining('an Expo push token')],
    [FCM, `it looks like an FCM registration token, ${THROUGH_FCM}`],
    ['ctmBeCwtQDuDsClbyr6d3z', `it looks like a Firebase Installation ID, ${THROUGH_FCM}`],
    ['5F0C9B6E-4A9B-4B0E-8A39-3F0C1D2E4A5B', 'it looks like a UUID'],
    [Buffer.alloc(32, 0xfb).toString('base64'), 'it looks like base64; it must be hex'],
    [Buffer.alloc(32, 0xfb).toString('base64url'), 'it looks like base64; it must be hex'],
    [`<${'ab'.repeat(32)}>`, 'it is not 64 to 200 hex digits'],
    ['/../'.repeat(1000), 'it is not 64 to 200 hex digits'],
  ])('of %p', (token, looks) => {
    const warning = tokenWarning(0, token)
    expect(warning).toStartWith('not an APNs device token: ')
    expect(warning?.slice('not an APNs device token: '.length)).toEqual(looks)
  })
})

test('nothing is said of any token of Android', () => {
  for (const token of ['abc123', FCM, 'ctmBeCwtQDuDsClbyr6d3z', 'ab'.repeat(32)])
    expect(tokenWarning(1, token)).toBeNull()
})
