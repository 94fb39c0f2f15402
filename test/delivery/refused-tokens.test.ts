import { expect, test } from 'bun:test'
import { newCaller } from '../support/caller.ts'
import { startService } from '../support/service.ts'

test('one bad token in ten, each refused after the good ones of its window were taken, pauses nothing', async () => {
  await using service = await startService()
  const caller = newCaller(service)
  const DEVICES = 2000
  const good: string[] = []
  const bad: string[] = []
  for (let at = 0; at < DEVICES; at++) {
    const token = at.toString(16).padStart(64, '0')
    ;(at % 10 === 1 ? bad : good).push(token)
  }
  const tokens = [...good, ...bad].sort()
  for (let from = 0; from < DEVICES; from += 500) {
    const batch = { platform: '0', tokens: tokens.slice(from, from + 500) }
    expect(await caller.put('/deviceToken/batch', batch)).toMatchObject({ status: 201 })
  }
  // A bad one is asked about in both environments, one after the other: it is answered when the good ones have been.
  const simulator = await service.server.simulator()
  const refused = new Set(bad)
  const body = JSON.stringify({ reason: 'BadDeviceToken' })
  simulator.answerWith(({ token }) => {
    const answer = refused.has(token) ? { status: 400, headers: {}, body } : { status: 200, headers: {}, body: '' }
    return { kind: 'answer', afterMs: 50, answer }
  })
  const { body: push } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
  await Promise.race([
    service.logged(({ event, push: of }) => event === 'push sent' && of === push.id),
    service.logged(({ event }) => event === 'sending paused'),
  ])
  expect(service.log.filter(({ event }) => event === 'sending paused')).toEqual([])
  expect((await caller.get(`/push/${push.id}`)).body).toMatchObject({
    t: DEVICES,
    s: good.length,
    failed: { total: bad.length, reasons: { BadDeviceToken: bad.length } },
  })
})
