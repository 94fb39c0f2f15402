import { describe, expect, test } from 'bun:test'
import { apnsMagicToken } from '../../../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { fcmMagicToken } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import { createMagicTokens } from '../../../src/gateway/simulator/magic-tokens.ts'
import type { MagicToken } from '../../../src/gateway/simulator/magic-tokens.ts'

describe('an APNs token', () => {
  test('orders by bad, four digits and how often', () => {
    expect(apnsMagicToken('bad42900'.padEnd(64, '1'), 'production')).toEqual({
      answer: { kind: 'refuse', refusal: { reason: 'TooManyRequests' } },
      times: Infinity,
    })
  })

  test('says in one hex digit how often; 0 is always', () => {
    expect(apnsMagicToken('bad50301aa', 'production')?.times).toBe(1)
    expect(apnsMagicToken('bad5030faa', 'production')?.times).toBe(15)
    expect(apnsMagicToken('bad50300aa', 'production')?.times).toBe(Infinity)
  })

  test('may be written in upper case', () => {
    expect(apnsMagicToken('BAD5030FAA', 'sandbox')?.times).toBe(15)
  })

  test('can be bad in one environment only', () => {
    const environments = ['production', 'sandbox'] as const
    const bad = (token: string) => environments.filter((environment) => apnsMagicToken(token, environment) !== null)
    expect(bad('bad40000')).toEqual(['production', 'sandbox'])
    expect(bad('bad40010')).toEqual(['production'])
    expect(bad('bad40020')).toEqual(['sandbox'])
  })

  test.each(['a'.repeat(64), 'bad99990', '0bad40000', 'badbadbad', 'dead4000'])('orders nothing: %s', (token) => {
    expect(apnsMagicToken(token, 'production')).toBeNull()
  })
})

describe('an FCM token', () => {
  test('orders by a word', () => {
    expect(fcmMagicToken('throttled:abc')).toEqual({
      answer: { kind: 'refuse', refusal: 'throttled' },
      times: Infinity,
    })
  })

  test.each(['silent', 'silent:a', 'silent-a', 'silent_a', 'silent.a'])(
    'ends the word where letters end: %s',
    (token) => {
      expect(fcmMagicToken(token)).toEqual({ answer: { kind: 'silent' }, times: Infinity })
    },
  )

  test('says how often after a hyphen', () => {
    expect(fcmMagicToken('throttled-1:abc')?.times).toBe(1)
    expect(fcmMagicToken('throttled-12-abc')?.times).toBe(12)
    expect(fcmMagicToken('throttled-1st')?.times).toBe(Infinity)
  })

  test.each(['slowly:abc', 'dXv3:APA91bH', 'x-silent', 'silent1', '', 'Silent:a'])('orders nothing: %p', (token) => {
    expect(fcmMagicToken(token)).toBeNull()
  })
})

describe('how often', () => {
  const twice: MagicToken<string> = { answer: { kind: 'refuse', refusal: 'no' }, times: 2 }

  test('a token gets its answer as often as it says, then no more', () => {
    const serve = createMagicTokens<string>()
    expect([serve('a', twice), serve('a', twice), serve('a', twice)]).toEqual([twice.answer, twice.answer, null])
  })

  test('counts each token by itself', () => {
    const serve = createMagicTokens<string>()
    serve('a', twice)
    serve('a', twice)
    expect(serve('b', twice)).toEqual(twice.answer)
  })

  test('a token without a number gets it for ever', () => {
    const serve = createMagicTokens<string>()
    const always: MagicToken<string> = { answer: { kind: 'silent' }, times: Infinity }
    for (let request = 0; request < 50; request++) expect(serve('a', always)).toEqual({ kind: 'silent' })
  })

  test('forgets the oldest token after ten thousand others', () => {
    const serve = createMagicTokens<string>()
    const once = { ...twice, times: 1 }
    serve('first', once)
    for (let token = 0; token < 9_999; token++) serve(`${token}`, once)
    expect(serve('first', once)).toBeNull()
    serve('one more', once)
    expect(serve('first', once)).toEqual(once.answer)
  })
})
