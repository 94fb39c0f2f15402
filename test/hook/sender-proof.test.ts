import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { SIGNATURES } from '../../src/hook/sender-proof.ts'
import type { SignatureName } from '../../src/hook/sender-proof.ts'

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1000
const BODY = '{"id":"evt_1"}'
const STANDARD_SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text)

const SIGNED: Readonly<
  Record<SignatureName, { secret: string; sign: (body: string, seconds: number) => Record<string, string> }>
> = {
  standard: {
    secret: STANDARD_SECRET,
    sign: (body, seconds) => ({
      'webhook-id': 'msg_1.2',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,AAAA v1,${hmac('a secret of at least 24 bytes', `msg_1.2.${seconds}.${body}`).digest('base64')}`,
    }),
  },
  github: {
    secret: 'a secret',
    sign: (body) => ({ 'x-hub-signature-256': `sha256=${hmac('a secret', body).digest('hex')}` }),
  },
  stripe: {
    secret: 'whsec_of_stripe',
    sign: (body, seconds) => ({
      'stripe-signature': `t=${seconds},v1=00,v1=${hmac('whsec_of_stripe', `${seconds}.${body}`).digest('hex')},v0=ff`,
    }),
  },
}

function problem(name: SignatureName, headers: Record<string, string>, body = BODY, secret = SIGNED[name].secret) {
  return SIGNATURES[name].problem({ headers: new Headers(headers), body: Buffer.from(body), now: NOW }, secret)
}

const NAMES = Object.keys(SIGNED) as SignatureName[]

describe('the signature of', () => {
  test.each(NAMES)('%s proves the sender', (name) => {
    const { sign } = SIGNED[name]
    expect(problem(name, sign(BODY, SECONDS))).toBeNull()
    expect(problem(name, sign(BODY, SECONDS), `${BODY} `)).toBe('The signature does not match.')
    expect(problem(name, sign(BODY, SECONDS), BODY, `${SIGNED[name].secret.slice(0, -4)}AAAA`)).toBe(
      'The signature does not match.',
    )
    expect(problem(name, {})).toStartWith('The call is not signed: ')
  })

  test.each(['standard', 'stripe'] as const)('%s counts for five minutes', (name) => {
    const { sign } = SIGNED[name]
    for (const off of [-300, 300]) expect(problem(name, sign(BODY, SECONDS + off))).toBeNull()
    for (const off of [-301, 301]) {
      expect(problem(name, sign(BODY, SECONDS + off))).toBe(
        'The call was signed more than 5 minutes ago, or one of the clocks is wrong.',
      )
    }
    expect(problem(name, sign(BODY, Number.NaN))).not.toBeNull()
  })

  // Test values of GitHub Docs, "Validating webhook deliveries".
  test('github is as its documentation has it', () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }
    expect(problem('github', headers, 'Hello, World!', "It's a Secret to Everybody")).toBeNull()
  })

  test('a secret that is none is refused when it is given', () => {
    expect(SIGNATURES.standard.secretProblem('whsec_short')).toBe('must be whsec_ and the base64 of 24 to 64 bytes')
    expect(SIGNATURES.standard.secretProblem(STANDARD_SECRET)).toBeNull()
    expect(SIGNATURES.github.secretProblem('short')).toBe('must have 8 characters or more')
  })
})
