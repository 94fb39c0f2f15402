import { describe, expect, test } from 'bun:test'
import { MAGIC, startOf } from '../../src/dashboard/client/magic-phones.ts'
import { apnsMagicToken } from '../../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { fcmMagicToken } from '../../src/gateway/simulator/fcm/fcm-answer.ts'
import {
  isOlder,
  maxBytesAt,
  OLDER,
  SMALLER,
  WEBPUSH_REFUSALS,
  webPushMagicEndpoint,
} from '../../src/gateway/simulator/webpush/webpush-answer.ts'
import { REALITY } from '../gateway/reality/rows.ts'

/** Without the imitated push service. */
const wordOf = (order: string): string => order.split('/').at(-1) ?? ''

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
    const endpoint = `https://simulator.invalid/${startOf('2', order, '0')}1`
    // A limit has no count.
    if (wordOf(order) === OLDER) return expect(isOlder(endpoint)).toBe(true)
    const most = SMALLER.get(wordOf(order))
    if (most !== undefined) return expect(maxBytesAt(endpoint)).toBe(most)
    const asked = (times: string) =>
      webPushMagicEndpoint(`https://simulator.invalid/${startOf('2', order, times)}1`)?.times
    expect([asked('0'), asked('1')]).toEqual(order === '' ? [undefined, undefined] : [Infinity, 1])
  })

  test('there is one for each row of the reality suite', () => {
    const offered = ({ order: [platform, order] }: (typeof REALITY)[number]) =>
      MAGIC[platform].some(([each]) => each === order)
    // Bellhop never provokes answers of a bare push service.
    expect(REALITY.filter((row) => !row.order[1].endsWith('/') && !offered(row))).toEqual([])
  })

  test('there is one of a browser for each answer that its push service gives', () => {
    const offered = new Set(MAGIC['2'].map(([order]) => wordOf(order)))
    expect([...WEBPUSH_REFUSALS, ...SMALLER.keys(), OLDER].filter((word) => !offered.has(word))).toEqual([])
  })
})
