import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newWebhookSecret, secretBytes, signatureOf } from '../../src/webhook/signature.ts'

describe('a signature', () => {
  test('is that of the example which the libraries of Standard Webhooks share', () => {
    const secret = secretBytes('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') ?? new Uint8Array()
    const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' }
    expect(signatureOf(signed, secret)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  test('is what Web Crypto computes for any body', async () => {
    const body = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(body, fc.uint8Array({ minLength: 24, maxLength: 64 }), async (text, secret) => {
        const algorithm = { name: 'HMAC', hash: 'SHA-256' }
        const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, ['verify'])
        const [version, digits = ''] = signatureOf({ id: 'evt_1', timestamp: 17, body: text }, secret).split(',')
        expect(version).toBe('v1')
        const content = new TextEncoder().encode(`evt_1.17.${text}`)
        expect(await crypto.subtle.verify('HMAC', key, Uint8Array.fromBase64(digits), content)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a secret', () => {
  test('that is new has 32 bytes', () => {
    const secret = newWebhookSecret((length) => new Uint8Array(length).fill(255))
    expect(secret).toBe('whsec_//////////////////////////////////////////8=')
    expect(secretBytes(secret)).toEqual(Buffer.alloc(32, 255))
  })

  for (const [length, taken] of [
    [23, false],
    [24, true],
    [64, true],
    [65, false],
  ] as const) {
    test(`of ${length} bytes is ${taken ? 'taken' : 'refused'}`, () => {
      expect(secretBytes(`whsec_${Buffer.alloc(length, 7).toString('base64')}`) !== null).toBe(taken)
    })
  }

  for (const text of [
    '',
    'whsec_',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `whsec_${'ab-_'.repeat(10)}`,
    'whsec_ab',
    'new',
  ]) {
    test(`is not ${JSON.stringify(text)}`, () => expect(secretBytes(text)).toBeNull())
  }
})
