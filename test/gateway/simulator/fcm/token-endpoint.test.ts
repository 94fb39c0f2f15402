import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { grantForm, readAccount } from '../signing.ts'

const clock = createFakeClock()
let simulator: Simulator
let serviceAccount: string
beforeAll(async () => {
  simulator = await startSimulator({ clock })
  serviceAccount = simulator.issue('app').serviceAccount
})
afterAll(() => simulator[Symbol.asyncDispose]())
beforeEach(() => simulator.answerWith(null))

interface Asking {
  readonly method?: string
  readonly body?: URLSearchParams
  readonly url?: string
  readonly protocol?: 'http2'
}

async function ask({ method = 'POST', url = simulator.fcmTokenUrl, body, protocol }: Asking = {}): Promise<Response> {
  return await fetch(url, {
    method,
    tls: { ca: simulator.ca },
    ...(method === 'POST' && { body: body ?? grantForm(serviceAccount, clock.now()) }),
    ...(protocol && { protocol }),
  })
}

describe('the token endpoint', () => {
  test.each([{}, { protocol: 'http2' as const }])(
    'issues an access token over HTTP/1.1 and HTTP/2: %j',
    async (how) => {
      const response = await ask(how)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8')
      expect(await response.json()).toEqual({
        access_token: expect.stringMatching(/^ya29\./),
        expires_in: 3599,
        token_type: 'Bearer',
      })
    },
  )

  test('refuses a wrong grant, another path and another method', async () => {
    expect((await ask({ body: grantForm(serviceAccount, clock.now() - 7_200_000) })).status).toBe(400)
    expect((await ask({ url: simulator.fcmTokenUrl.replace('/token', '/other') })).status).toBe(404)
    expect((await ask({ method: 'GET' })).status).toBe(405)
  })

  test('counts its requests', async () => {
    const before = simulator.counts().tokenRequests
    await ask()
    await ask({ body: new URLSearchParams() })
    expect(simulator.counts().tokenRequests).toBe(before + 2)
  })

  test('answers as a script says', async () => {
    const seen: unknown[] = []
    simulator.answerWith((attempt) => {
      seen.push(attempt)
      return { kind: 'answer', answer: { status: 503, headers: { 'retry-after': '9' }, body: 'no' } }
    })
    const response = await ask()
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([503, '9', 'no'])
    const { client_email: iss } = readAccount(serviceAccount)
    expect(seen).toMatchObject([{ gateway: 'fcm-token', token: iss, body: { iss } }])
  })

  test('answers late as a script says', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    simulator.answerWith(() => {
      resolve()
      return { kind: 'answer', answer: { status: 200, headers: {}, body: 'late' }, afterMs: 1000 }
    })
    const response = ask()
    await asked
    clock.advance(1000)
    expect(await (await response).text()).toBe('late')
  })

  test('that is silent does not hold up the end', async () => {
    const own = await startSimulator({ clock })
    const account = own.issue('app').serviceAccount
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    own.answerWith(() => {
      resolve()
      return { kind: 'silent' }
    })
    const body = grantForm(account, clock.now())
    const request = fetch(own.fcmTokenUrl, { method: 'POST', body, tls: { ca: own.ca } })
    const outcome = request.then(
      ({ status }) => status,
      () => 'lost',
    )
    await asked
    await own[Symbol.asyncDispose]()
    expect([503, 'lost']).toContain(await outcome)
  })
})
