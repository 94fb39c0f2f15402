import { describe, expect, test } from 'bun:test'
import { createPublicKey } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import type { FcmCredential } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { createAccessTokens } from '../../../src/gateway/fcm/token.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../../src/gateway/transport/transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { Gateway, GatewayAction, GatewayHandler } from '../../support/gateway.ts'
import { ACCOUNT, ACCOUNT_PUBLIC_KEY } from './account.ts'

const MINUTE_MS = 60_000

function granting(): GatewayHandler {
  let granted = 0
  return () => grant(`token-${++granted}`)
}

function grant(token: string, expiresIn = 3599): GatewayAction {
  return { status: 200, body: JSON.stringify({ access_token: token, expires_in: expiresIn, token_type: 'Bearer' }) }
}

async function start(handler: GatewayHandler, credential: FcmCredential = ACCOUNT) {
  const clock = createFakeClock()
  const endpoint = await startGateway(handler)
  const tokenUrl = `${endpoint.origin}/token`
  let answered = Promise.withResolvers<void>()
  const openTransport: OpenTransport = (origin, options) => {
    const transport = h2Transport(systemClock, null)(origin, options)
    return {
      send(request, listener) {
        const { resolve } = answered
        transport.send(request, {
          onAnswer(answer) {
            listener.onAnswer(answer)
            // After whoever waits for the answer has it.
            setImmediate(resolve)
          },
        })
      },
      retire: () => transport.retire(),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }
  }
  const tokens = createAccessTokens({ credential, tokenUrl, ca: endpoint.ca, openTransport, clock })
  return {
    clock,
    startedAt: clock.now(),
    endpoint,
    tokens,
    tokenUrl,
    /** Resolves when the next request is over. */
    nextAnswer() {
      answered = Promise.withResolvers()
      return answered.promise
    },
    async [Symbol.asyncDispose]() {
      await tokens[Symbol.asyncDispose]()
      await endpoint[Symbol.asyncDispose]()
    },
  }
}

/** When each request was made, in seconds since the clock was started. */
function askedAt({ endpoint, startedAt }: { endpoint: Gateway; startedAt: number }): number[] {
  return endpoint.calls.map(({ body }) => {
    const { iat } = decodeJwt(new URLSearchParams(body).get('assertion') ?? '')
    return (iat ?? 0) - startedAt / 1000
  })
}

describe('an access token', () => {
  test('is asked for with an assertion signed by the service account', async () => {
    await using google = await start(granting())
    expect(await google.tokens.current()).toBe('Bearer token-1')
    const [call] = google.endpoint.calls
    expect(call).toMatchObject({ method: 'POST', path: '/token' })
    expect(call?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const form = new URLSearchParams(call?.body)
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')

    const key = createPublicKey(ACCOUNT_PUBLIC_KEY)
    const currentDate = new Date(google.clock.now())
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', key, { currentDate })
    const iat = google.clock.now() / 1000
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: '0123456789abcdef' })
    expect(payload).toEqual({
      iss: 'sender@example-project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: google.tokenUrl,
      iat,
      exp: iat + 3600,
    })
  })

  test('is asked for once, however many want it at a time', async () => {
    await using google = await start(granting())
    const all = await Promise.all(Array.from({ length: 10 }, async () => await google.tokens.current()))
    expect(new Set(all)).toEqual(new Set(['Bearer token-1']))
    expect(google.endpoint.calls).toHaveLength(1)
  })

  test('is renewed ten minutes before it expires, and serves until the new one is there', async () => {
    await using google = await start(granting())
    await google.tokens.current()
    google.clock.advance(3_599_000 - 10 * MINUTE_MS - 1)
    expect(google.tokens.current()).toBe('Bearer token-1')
    expect(google.endpoint.calls).toHaveLength(1)
    google.clock.advance(1)
    const renewed = google.nextAnswer()
    expect(google.tokens.current()).toBe('Bearer token-1')
    await renewed
    expect(google.tokens.current()).toBe('Bearer token-2')
    expect(google.endpoint.calls).toHaveLength(2)
  })

  test('that lives for a short time is renewed after half of it', async () => {
    await using google = await start(() => grant('short', 300))
    await google.tokens.current()
    google.clock.advance(149_000)
    void google.tokens.current()
    google.clock.advance(1000)
    const renewed = google.nextAnswer()
    void google.tokens.current()
    await renewed
    expect(askedAt(google)).toEqual([0, 150])
  })

  test('keeps serving while its renewal fails, which is tried again after 30 seconds', async () => {
    await using google = await start(granting())
    await google.tokens.current()
    google.endpoint.handle(() => ({ status: 503 }))
    google.clock.advance(51 * MINUTE_MS)
    const failed = google.nextAnswer()
    expect(google.tokens.current()).toBe('Bearer token-1')
    await failed
    google.clock.advance(29_000)
    expect(google.tokens.current()).toBe('Bearer token-1')

    google.endpoint.handle(() => grant('token-2'))
    google.clock.advance(1000)
    const renewed = google.nextAnswer()
    expect(google.tokens.current()).toBe('Bearer token-1')
    await renewed
    expect(google.tokens.current()).toBe('Bearer token-2')
    expect(askedAt(google)).toEqual([0, 3060, 3090])
  })

  test('that FCM refused is replaced, unless it already was', async () => {
    await using google = await start(granting())
    await google.tokens.current()
    google.tokens.expired('Bearer another')
    expect(google.tokens.current()).toBe('Bearer token-1')
    google.tokens.expired('Bearer token-1')
    expect(await google.tokens.current()).toBe('Bearer token-2')
    expect(google.tokens.expired('Bearer token-1')).toBeTrue()
    expect(google.tokens.current()).toBe('Bearer token-2')
  })

  test('that FCM refused is replaced once in 30 seconds', async () => {
    await using google = await start(granting())
    await google.tokens.current()
    expect(google.tokens.expired('Bearer token-1')).toBeTrue()
    await google.tokens.current()
    google.clock.advance(29_999)
    expect(google.tokens.expired('Bearer token-2')).toBeFalse()
    expect(google.tokens.current()).toBe('Bearer token-2')
    google.clock.advance(1)
    expect(google.tokens.expired('Bearer token-2')).toBeTrue()
    expect(await google.tokens.current()).toBe('Bearer token-3')
  })

  test('comes also from an endpoint that speaks nothing newer than HTTP/1.1', async () => {
    const { certificate, privateKey } = makeCertificate()
    const server = Bun.serve({
      port: 0,
      tls: { key: privateKey, cert: certificate },
      fetch: async (request) => {
        const form = new URLSearchParams(await request.text())
        return Response.json({ access_token: form.has('assertion') ? 'old-style' : 'none', expires_in: 3599 })
      },
    })
    await using tokens = createAccessTokens({
      credential: ACCOUNT,
      tokenUrl: `https://localhost:${server.port}/token`,
      ca: certificate,
      openTransport: h2Transport(systemClock, null),
      clock: systemClock,
    })
    expect(await tokens.current()).toBe('Bearer old-style')
    await server.stop(true)
  })
})

describe('no access token', () => {
  test.each([
    [
      '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}',
      'access token: invalid_grant: Invalid JWT Signature.',
    ],
    ['{"error":"invalid_scope"}', 'access token: invalid_scope'],
    ['<html>', 'access token: HTTP 400'],
  ])('for a refusal %s: the credential is wrong', async (body, reason) => {
    await using google = await start(() => ({ status: 400, body }))
    expect(await google.tokens.current()).toEqual({ kind: 'misconfigured', reason, certain: true })
  })

  test.each([
    [{ status: 503 }, 'access token: HTTP 503', null],
    [{ status: 500, headers: { 'retry-after': '7' } }, 'access token: HTTP 500', 7000],
    [{ status: 429, body: '{"error":"rate_limit_exceeded"}' }, 'access token: rate_limit_exceeded', null],
    [{ status: 302 }, 'access token: HTTP 302', null],
    [{ status: 200, body: '{"token":"x"}' }, 'access token: HTTP 200', null],
    [{ status: 200, body: '{"access_token":"two words"}' }, 'access token: HTTP 200', null],
  ])('for %j: everything of this credential waits', async (answer, reason, afterMs) => {
    await using google = await start(() => answer)
    expect(await google.tokens.current()).toEqual({ kind: 'deferred', afterMs, scope: 'credential', reason })
  })

  test.each([
    ['close', 'ECONNRESET'],
    ['reset', 'HTTP2StreamReset'],
  ] as const)('for an answer lost by %s: everything of this credential waits', async (action, reason) => {
    await using google = await start(() => action)
    expect(await google.tokens.current()).toEqual({ kind: 'deferred', afterMs: null, scope: 'credential', reason })
  })

  test('for a key that is none: the credential is wrong, and nothing is asked', async () => {
    await using google = await start(granting(), { ...ACCOUNT, privateKey: 'junk' })
    expect(await google.tokens.current()).toEqual({
      kind: 'misconfigured',
      reason: 'the private key cannot be used',
      certain: true,
    })
    expect(google.endpoint.calls).toHaveLength(0)
  })

  test('this time does not mean none the next time', async () => {
    await using google = await start(() => ({ status: 503 }))
    await google.tokens.current()
    google.endpoint.handle(granting())
    expect(await google.tokens.current()).toBe('Bearer token-1')
  })
})
