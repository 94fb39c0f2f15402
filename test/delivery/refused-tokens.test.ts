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
    service.logged(({ event, push: sentPush }) => event === 'push sent' && sentPush === push.id),
    service.logged(({ event }) => event === 'sending paused'),
  ])
  expect(service.log.filter(({ event }) => event === 'sending paused')).toEqual([])
  expect((await caller.get(`/push/${push.id}`)).body).toMatchObject({
    t: DEVICES,
    s: good.length,
    failed: { total: bad.length, reasons: { BadDeviceToken: bad.length } },
  })
})

test('one device in twenty that is answered 401, after the good ones of its window were taken, pauses nothing', async () => {
  await using service = await startService()
  const caller = newCaller(service)
  const DEVICES = 2000
  const isBad = (token: string) => Number(token.slice('phone:'.length)) % 20 === 1
  const tokens = Array.from({ length: DEVICES }, (_, at) => `phone:${String(at).padStart(5, '0')}`)
  for (let from = 0; from < DEVICES; from += 500) {
    const batch = { platform: '1', tokens: tokens.slice(from, from + 500) }
    expect(await caller.put('/deviceToken/batch', batch)).toMatchObject({ status: 201 })
  }
  // Each is asked about again with a new access token.
  const simulator = await service.server.simulator()
  const unauthenticated = JSON.stringify({ error: { code: 401, message: 'invalid', status: 'UNAUTHENTICATED' } })
  simulator.answerWith(({ gateway, token }) => {
    if (gateway !== 'fcm') return null
    const answer = isBad(token)
      ? { status: 401, headers: {}, body: unauthenticated }
      : { status: 200, headers: {}, body: JSON.stringify({ name: 'projects/p/messages/1' }) }
    return { kind: 'answer', afterMs: 50, answer }
  })
  const { body: push } = await caller.post('/push/all', { platform: '1', msg: 'Hello', sound: '', badge: '' })
  const good = DEVICES - tokens.filter(isBad).length
  const isPaused = () => service.log.some(({ event }) => event === 'sending paused')
  const status = async () => (await caller.get(`/push/${push.id}`)).body as { s: number }
  while ((await status()).s < good && !isPaused()) await Bun.sleep(20)
  expect(service.log.filter(({ event }) => event === 'sending paused')).toEqual([])
  expect(await status()).toMatchObject({ t: DEVICES, s: good, waiting: DEVICES - good })
})
