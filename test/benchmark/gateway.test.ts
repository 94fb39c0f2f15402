import { expect, test } from 'bun:test'
import { startGateway } from '../../scripts/benchmark/gateway/gateway.ts'

async function push(origin: string, ca: string): Promise<Response> {
  return await fetch(`${origin}/3/device/aa`, {
    method: 'POST',
    protocol: 'http2',
    body: '{"aps":{}}',
    tls: { ca: await Bun.file(ca).text() },
  })
}

test('the gateway takes every push, counts it, and forgets it when it is told to', async () => {
  await using gateway = await startGateway()
  const answers = await Promise.all(Array.from({ length: 20 }, () => push(gateway.origin, gateway.ca)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(new Set(answers.map(({ headers }) => headers.get('apns-id'))).size).toBeGreaterThan(1)
  const { requests, resets, firstMs, lastMs } = await gateway.report()
  expect({ requests, resets }).toEqual({ requests: 20, resets: 0 })
  expect(firstMs).toBeWithin(Date.now() - 60_000, (lastMs ?? 0) + 1)
  await gateway.reset()
  expect(await gateway.report()).toMatchObject({ requests: 0, firstMs: null, lastMs: null })
})

test('it answers as much later as it was told', async () => {
  await using gateway = await startGateway({ delayMs: 40 })
  const startedAt = performance.now()
  await push(gateway.origin, gateway.ca)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40)
})

test('as FCM it answers with the name of a message, and with an access token', async () => {
  await using gateway = await startGateway({ kind: 'fcm' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => push(gateway.origin, gateway.ca)))
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Record<string, unknown>[]
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(bodies[0]).toEqual({
    name: expect.stringMatching(/^projects\/bellhop-bench\/messages\/0:\d{12}$/),
    access_token: 'bench',
    expires_in: 3599,
    token_type: 'Bearer',
  })
  expect(new Set(bodies.map(({ name }) => name)).size).toBeGreaterThan(1)
  expect(await gateway.report()).toMatchObject({ requests: 20, resets: 0 })
})
