import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SimulatedAnswer } from '../../src/gateway/simulator/http2/reply.ts'
import { newCaller } from '../support/caller.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

/** Whom a 410 makes gone: only Apple's own, which says why and since when. */
let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const PAGE: SimulatedAnswer = {
  status: 410,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>410 Gone</title></head><body><center><h1>410 Gone</h1></center></body></html>',
}
const json = (body: unknown): SimulatedAnswer => ({ status: 410, headers: {}, body: JSON.stringify(body) })

const DEVICES = 20

test.each([
  ['a page of something in between', PAGE, 'HTTP 410'],
  ['no body', { ...PAGE, body: '' }, 'HTTP 410'],
  ['a reason and no time', json({ reason: 'Unregistered' }), 'Unregistered'],
  ['a time and no reason', json({ timestamp: Date.now() + 60_000 }), 'HTTP 410'],
])('410 with %s sets nobody aside: the device waits for another attempt', async (_, answer, reason) => {
  const caller = newCaller(service)
  for (let at = 0; at < DEVICES; at++) {
    const token = at.toString(16).padStart(64, '0')
    await caller.register({ token, platform: '0', tag: ['bread'], alias: `user ${at}`, lat: 50, lng: 8 })
  }
  const before = await caller.devices()
  const simulator = await service.server.simulator()
  // Every other one is taken: there is nothing wrong with the credential.
  simulator.answerWith(({ token }) => (token.endsWith('1') ? null : { kind: 'answer', answer }))
  const { body } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
  const status = async () => (await caller.get(`/push/${body.id}`)).body
  while ((await status()).platforms['0'].retrying < DEVICES - 2) {
    expect(await status()).toMatchObject({ failed: { total: 0 } })
    await Bun.sleep(10)
  }
  expect(await status()).toMatchObject({ t: DEVICES, s: 2, waiting: DEVICES - 2 })
  expect((await caller.get('/feedback')).body).toEqual([])
  expect(await caller.devices()).toEqual(before)
  const headers = { token: '0'.repeat(64), platform: '0' }
  const first = await service.get(`/push/${body.id}/device`, { application: caller.application, headers })
  expect(first.body).toMatchObject({ reason })
  simulator.answerWith(null)
})

test('410 as Apple says it makes the device gone', async () => {
  const caller = newCaller(service)
  const token = 'ab'.repeat(32)
  await caller.register({ token, platform: '0', tag: ['bread'] })
  await caller.register({ token: 'cd'.repeat(32), platform: '0' })
  const simulator = await service.server.simulator()
  const answer = json({ reason: 'Unregistered', timestamp: Date.now() + 60_000 })
  simulator.answerWith((notification) => (notification.token === token ? { kind: 'answer', answer } : null))
  const { body } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
  await service.logged(({ event, push }) => event === 'push sent' && push === body.id)
  expect((await caller.get('/feedback')).body).toMatchObject([{ token, reason: 'Unregistered' }])
  expect(await caller.devices()).toHaveLength(1)
  simulator.answerWith(null)
})
