import { describe, expect, test } from 'bun:test'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { createVapidTokens } from '../../../src/gateway/webpush/token.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const HOUR_MS = 3_600_000
const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const KEY = { privateKey, publicKey: 'BPublic', subject: 'mailto:push@example.com' }

function start() {
  const clock = createFakeClock()
  return { clock, tokens: createVapidTokens(KEY, clock) }
}

describe('a VAPID token', () => {
  test('is signed with ES256 for one push service and says whose it is, and for 12 hours', async () => {
    const { clock, tokens } = start()
    const authorization = await tokens.authorization('https://push.example')
    const [, jwt = '', key = ''] = /^vapid t=([^,]+), k=(.*)$/.exec(authorization) ?? []
    expect(key).toBe('BPublic')
    const { payload, protectedHeader } = await jwtVerify(jwt, createPublicKey(publicKey), {
      currentDate: new Date(clock.now()),
    })
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'ES256' })
    expect(payload).toEqual({
      aud: 'https://push.example',
      exp: clock.now() / 1000 + 12 * 3600,
      sub: 'mailto:push@example.com',
    })
  })

  test('is one for each push service, signed once however many ask', async () => {
    const { tokens } = start()
    const [first, same, other] = await Promise.all([
      tokens.authorization('https://push.example'),
      tokens.authorization('https://push.example'),
      tokens.authorization('https://other.example'),
    ])
    expect(same).toBe(first)
    expect(other).not.toBe(first)
    expect(tokens.authorization('https://push.example')).toBe(first)
  })

  test('is made anew when half of its life is over, and after a clock was put back', async () => {
    const { clock, tokens } = start()
    const first = await tokens.authorization('https://push.example')
    clock.advance(6 * HOUR_MS - 1)
    expect(tokens.authorization('https://push.example')).toBe(first)
    clock.advance(1)
    const second = await tokens.authorization('https://push.example')
    expect(second).not.toBe(first)
    clock.set(clock.now() - HOUR_MS)
    expect(await tokens.authorization('https://push.example')).not.toBe(second)
  })

  test('is not there where the key cannot be used', async () => {
    const tokens = createVapidTokens({ ...KEY, privateKey: 'no key' }, createFakeClock())
    const told = await Promise.resolve(tokens.authorization('https://push.example')).catch(String)
    expect(told).toContain('PKCS#8')
  })
})
