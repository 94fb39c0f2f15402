import { describe, expect, test } from 'bun:test'
import { MAGIC, startOf } from '../../src/dashboard/client/magic-phones.ts'
import { apnsMagicToken } from '../../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { fcmMagicToken } from '../../src/gateway/simulator/fcm/fcm-magic-tokens.ts'
import { webPushMagicEndpoint } from '../../src/gateway/simulator/webpush/webpush-magic-endpoints.ts'

const tokenOf = (platform: '0' | '1', order: string, times: string): string =>
  startOf(platform, order, times).padEnd(64, '0')

describe('a phone from the menu', () => {
  test.each(MAGIC['0'])('of Apple that orders %p: what is sent to it %s', (order) => {
    const asked = (times: string) =>
      apnsMagicToken(tokenOf('0', order, times), order === '4002' ? 'sandbox' : 'production')?.times
    expect([asked('0'), asked('3')]).toEqual(order === '' ? [undefined, undefined] : [Infinity, 3])
  })

  test.each(MAGIC['1'])('of Google that orders %p: what is sent to it %s', (order) => {
    const asked = (times: string) => fcmMagicToken(tokenOf('1', order, times))?.times
    expect([asked('0'), asked('1')]).toEqual(order === '' ? [undefined, undefined] : [Infinity, 1])
  })

  test.each(MAGIC['2'])('of a browser that orders %p: what is sent to it %s', (order) => {
    const asked = (times: string) =>
      webPushMagicEndpoint(`https://simulator.invalid/${startOf('2', order, times)}1`)?.times
    expect([asked('0'), asked('1')]).toEqual(order === '' ? [undefined, undefined] : [Infinity, 1])
  })
})
