import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createApi } from '../../src/http/api.ts'
import { endpoint } from '../../src/http/endpoint.ts'
import { createGate } from '../../src/http/gate.ts'
import type { Log } from '../../src/log.ts'

const bucket = { allowed: true, limit: 0, rate: 0, remaining: 0, resetSeconds: 0, retryAfterSeconds: 0 }
const admitted: string[] = []
const gate = createGate(({ path, headers, addressOf }, needsSecret) => {
  admitted.push(`${path}${needsSecret ? ' with the secret' : ''}`)
  const withSecret = headers.has('x-service-secret')
  return { kind: 'admitted', application: {} as never, withSecret, address: withSecret ? null : addressOf(), bucket }
})
const idAlone = { can: 'do this', cannot: 'do that' }
const detail = endpoint({ tag: 'Pushes', summary: 'A push', secret: true, answers: {} })
const routes = new Elysia()
  .use(gate.plugin)
  .get('/push/:id', ({ params }) => params, { detail })
  .post('/push/:id/cancel', ({ params }) => params, { detail })
  .get('/push/:id/cancel', () => ({}), { detail: endpoint({ tag: 'Pushes', summary: 'Open', idAlone, answers: {} }) })
  .post('/push/all', () => ({}), { detail })
const app = createApi({ gate, log: { error: () => {} } as unknown as Log, routes: [routes] })

async function call(method: string, path: string) {
  const response = await app.handle(new Request(`http://localhost${path}`, { method }))
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

describe('a path with a parameter', () => {
  test('is admitted by what its own route asks for, and its parameter is decoded once', async () => {
    admitted.length = 0
    expect(await call('GET', '/push/a%20%2541?x=1')).toMatchObject({ status: 200, body: { id: 'a %41' } })
    expect(await call('GET', '/push/x/cancel')).toMatchObject({ status: 200 })
    expect(await call('POST', '/push/x/cancel')).toMatchObject({ status: 200, body: { id: 'x' } })
    expect(admitted).toEqual(['/push/a%20%2541 with the secret', '/push/x/cancel', '/push/x/cancel with the secret'])
  })

  test('is 405 with another method, and Allow has those of the pattern', async () => {
    for (const [path, allow] of [
      ['/push/x', 'GET, HEAD'],
      ['/push/x/cancel', 'GET, HEAD, POST'],
      // A path that is there stands before a pattern that it fits.
      ['/push/all', 'POST'],
    ] as const) {
      const answer = await call('PUT', path)
      expect(answer).toMatchObject({
        status: 405,
        body: { code: 'MethodNotAllowedError', message: 'PUT is not allowed' },
      })
      expect(answer.headers.get('allow')).toBe(allow)
    }
    expect(await call('GET', '/push/all')).toMatchObject({ status: 405 })
  })
})

describe('the gate', () => {
  test('waits for nothing: what it turns away is answered at once', () => {
    expect(app.fetch(new Request('http://localhost/nowhere'))).toBeInstanceOf(Response)
  })
})
