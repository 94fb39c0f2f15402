import { expect, test } from 'bun:test'
import type { SimulatedAnswer } from '../../src/gateway/simulator/http2/reply.ts'
import { newCaller } from '../support/caller.ts'
import { fileService } from '../support/file-service.ts'

/* Only Apple's own 410, which says why and since when, makes a device gone. */
const service = await fileService()

const PAGE: SimulatedAnswer = {
  status: 410,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>410 Gone</title></head><body><center><h1>410 Gone</h1></center></body></html>',
}
const json = (body: unknown): SimulatedAnswer => ({ status: 410, headers: {}, body: JSON.stringify(body) })

const DEVICES = 6

test.each([
  ['a page of something in between', PAGE, 'HTTP 410'],
  ['a reason and no time', json({ reason: 'Unregistered' }), 'Unregistered'],
])('410 with %s sets nobody aside: the device waits for another attempt', async (_, answer, reason) => {
  const caller = newCaller(service)
  for (let at = 0; at < DEVICES; at++) {
    const token = at.toString(16).padStart(64, '0')
    await caller.register({ token, platform: '0', tag: ['bread'], alias: `user ${at}`, lat: 50, lng: 8 })
  }
  const before = await caller.devices()
  const simulator = await service.server.simulator()
  // One is accepted, so the credential is good.
  simulator.answerWith(({ token }) => (token.endsWith('1') ? null : { kind: 'answer', answer }))
  const { body } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
  const status = async () => (await caller.get(`/push/${body.id}`)).body
  while ((await status()).platforms['0'].retrying < DEVICES - 1) {
    expect(await status()).toMatchObject({ failed: { total: 0 } })
    await Bun.sleep(10)
  }
  expect(await status()).toMatchObject({ t: DEVICES, s: 1, waiting: DEVICES - 1 })
  expect((await caller.get('/feedback')).body).toEqual([])
  expect(await caller.devices()).toEqual(before)
  const headers = { token: '0'.repeat(64), platform: '0' }
  const first = await service.get(`/push/${body.id}/device`, { application: caller.application, headers })
  expect(first.body).toMatchObject({ reason })
  simulator.answerWith(null)
})
