import { describe, expect, test } from 'bun:test'
import type { Attempt, Reply } from '../../src/gateway/simulator/http2/reply.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { fileSending } from '../support/file-sending.ts'
import { until } from '../support/until.ts'

const use = await fileSending()
const { simulator, arrivals, get, logged, pass, paused, status } = use

const chrome = (n: number | string) => `https://fcm.googleapis.com/fcm/send/${n}`
const firefox = (n: number | string) => `https://updates.push.services.mozilla.com/wpush/v2/${n}`

async function register(...endpoints: readonly string[]): Promise<void> {
  for (const token of endpoints) {
    await use.register({ platform: '2', token, keys: EXAMPLE_SUBSCRIPTION, badge: 0 })
  }
}

const ten = (of: (n: number) => string) => Array.from({ length: 10 }, (_, n) => of(n))
const push = (more: object = {}) => use.push({ platform: 2, ...more })
const finished = (id: string) => until(async () => (await status(id)).state === 'finished')
const taken = () =>
  arrivals()
    .filter(({ status }) => status === 201)
    .map(({ token }) => token)
    .toSorted()

describe('a push to browsers', () => {
  test('goes to the push service of each, is read there, and counts', async () => {
    await register(chrome(1), firefox(1), firefox('unregistered:2'))
    const id = await push({ badge: '+1' })
    await finished(id)
    expect(taken()).toEqual([chrome(1), firefox(1)])
    expect(arrivals()[0]).toMatchObject({
      provider: 'webpush',
      body: { notification: { title: 'Hello', tag: id }, app_badge: 1 },
    })
    expect(await status(id)).toMatchObject({ t: 3, s: 2 })
    const second = await push()
    await finished(second)
    expect(await status(second)).toMatchObject({ t: 2, s: 2 })
  })

  test('waits at the push service that asks for time, and nowhere else', async () => {
    await register(...ten(chrome), ...ten(firefox))
    simulator.answerWith(busyAt('https://fcm.'))
    const id = await push()
    await until(() => taken().length === 10)
    expect(taken()).toEqual(ten(firefox))
    await logged(({ event }) => event === 'sending paused')
    expect(paused()).toMatchObject([
      {
        origin: 'https://fcm.googleapis.com',
        reason: 'HTTP 429 for 10 of 10 devices',
        waitMs: expect.any(Number),
      },
    ])
    simulator.answerWith(null)
    await pass(finished(id), 1000)
    expect(await status(id)).toMatchObject({ t: 20, s: 20 })
    expect(taken()).toEqual([...ten(chrome), ...ten(firefox)])
  })

  test('goes to the browsers of the other push services, however many one refuses it for', async () => {
    const many = Array.from({ length: 400 }, (_, n) => firefox(n))
    await register(...many, ...ten(chrome))
    // A push service that accepts is waited for when its window is full.
    const before = await push()
    await pass(finished(before))
    const refused = { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Bad Request' }
    const isOfMozilla = new Set(many)
    simulator.answerWith(({ token }) => (isOfMozilla.has(token) ? { kind: 'answer', answer: refused } : null))
    const id = await push()
    await pass(finished(id))
    expect(await status(id)).toMatchObject({ t: 410, s: 10 })
  })

  test('goes to nobody while all push services refuse the credential', async () => {
    await register(...ten((n) => firefox(`denied-1:${n}`)))
    await push()
    expect(await logged(({ event }) => event === 'sending paused')).toMatchObject({
      state: 'misconfigured',
      reason: 'HTTP 401 errno 109 for 10 of 10 devices',
    })
  })
})

describe('what push services really answer', () => {
  const safari = (n: number | string) => `https://web.push.apple.com/${n}`
  const edge = (n: number | string) => `https://wns2-par02p.notify.windows.com/w/${n}`

  const registered = async () => (await get('/deviceToken/all')).body.length
  const failedFor = async (id: string) => (await status(id)).failed

  test("one browser's 503 holds up no other", async () => {
    await register(firefox('busy-1:1'), ...ten(firefox))
    const id = await push()
    await until(() => taken().length === 10)
    expect(paused()).toEqual([])
    await pass(finished(id))
    expect(await status(id)).toMatchObject({ t: 11, s: 11 })
  })

  test('a proxy that answers 404 for a while erases nobody, and loses nothing', async () => {
    await register(...ten(chrome), ...ten(firefox))
    const answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' }
    simulator.answerWith(() => ({ kind: 'answer', answer }))
    const id = await push()
    await until(() => paused().length === 2)
    simulator.answerWith(null)
    await pass(finished(id))
    expect(await status(id)).toMatchObject({ t: 20, s: 20 })
    expect(await registered()).toBe(20)
  })

  test('what fails while one is paused is counted under what it answered, whoever was sent to', async () => {
    const all = Array.from({ length: 14 }, (_, n) => firefox(n))
    await register(...all)
    const answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' }
    const asked = new Set<string>()
    simulator.answerWith(({ token }) => {
      asked.add(token)
      return { kind: 'answer', answer }
    })
    const id = await push({ ttl: 3 })
    await until(() => paused().length === 1)
    const explained = async (token: string) => (await get(`/push/${id}/device`, { headers: { token } })).body
    const unsent = all.filter((token) => !asked.has(token))
    for (const token of unsent) {
      await until(async () => (await explained(token)).verdict === 'retrying')
      const { explanation, attempts } = await explained(token)
      expect(explanation).toStartWith('It was not sent yet; the next attempt is due at ')
      expect(attempts).toBe(0)
    }
    await pass(finished(id))
    expect(await failedFor(id)).toEqual({ total: 14, reasons: { 'HTTP 404: not of the push service itself': 14 } })
    for (const token of all.filter((token) => !asked.has(token))) {
      expect((await explained(token)).explanation).toEndWith(', before the notification was sent to this device.')
    }
    expect(unsent.length).toBeGreaterThan(0)
  })

  test('406 of Microsoft is tried again', async () => {
    await register(...ten((n) => edge(`quota-1:${n}`)))
    const id = await push()
    await pass(finished(id))
    expect(await status(id)).toMatchObject({ t: 10, s: 10 })
  })

  test('what Microsoft drops is not counted as sent, and what it throttles is sent again', async () => {
    await register(edge('dropped:1'), edge('channelthrottled-1:2'), edge(3))
    const id = await push()
    await pass(finished(id))
    expect(await status(id)).toMatchObject({ t: 3, s: 2 })
    expect(await failedFor(id)).toEqual({ total: 1, reasons: { 'HTTP 201: dropped by the push service': 1 } })
    expect(await registered()).toBe(3)
  })

  test('a silent push goes to no Safari, however many there are, and to all others', async () => {
    const many = Array.from({ length: 120 }, (_, n) => safari(n))
    await register(...many, ...ten(firefox))
    const nothing = { msg: undefined, sound: undefined, badge: undefined }
    const silent = { ...nothing, silent: true, payload: { sync: 1 } }
    const id = await push(silent)
    await finished(id)
    expect(taken()).toEqual(ten(firefox))
    expect(await failedFor(id)).toEqual({
      total: 120,
      reasons: { 'not sent: Safari ends a subscription after three pushes that show nothing': 120 },
    })
    const shown = await push()
    await finished(shown)
    expect(await status(shown)).toMatchObject({ t: 130, s: 130 })
  })

  test('a message that is too large for some browsers reaches the others, however many there are', async () => {
    const small = Array.from({ length: 120 }, (_, n) => firefox(`small:${n}`))
    await register(...small, ...ten(chrome))
    const id = await push({ msg: 'x'.repeat(3500) })
    await finished(id)
    expect(taken()).toEqual(ten(chrome))
    expect(await failedFor(id)).toEqual({ total: 120, reasons: { 'HTTP 413 errno 104': 120 } })
  })

  test('now or never reaches Microsoft, and a collapse id of each kind Apple', async () => {
    await register(edge(1), safari(1))
    await finished(await push({ ttl: 0 }))
    for (const collapse of ['a', 'breaking-news', 'x'.repeat(29), 'two words', 'y'.repeat(33)]) {
      await finished(await push({ collapse }))
    }
    expect(arrivals().filter(({ status }) => status !== 201)).toEqual([])
    expect(arrivals()).toHaveLength(12)
  })
})

/** 429 with Retry-After for endpoints that start with `prefix`. */
function busyAt(prefix: string) {
  return ({ token }: Attempt): Reply | null =>
    token.startsWith(prefix)
      ? { kind: 'answer', answer: { status: 429, headers: { 'retry-after': '60' }, body: '' } }
      : null
}
