import { beforeEach, expect, test } from 'bun:test'
import type { Reply } from '../../src/gateway/simulator/http2/reply.ts'
import { arrivalsOf } from '../support/arrivals.ts'
import { fileSending } from '../support/file-sending.ts'
import { refusal, tokenOf, tokensOf } from '../support/sending.ts'

const DEVICES = 400

const { service, simulator, get, log, push, registerAll, status } = await fileSending()

beforeEach(async () => {
  for (const platform of [0, 1] as const) await registerAll(platform, tokensOf(platform, DEVICES))
})

const TOO_LARGE = refusal(413, 'PayloadTooLarge')

const VIOLATION = {
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field: 'message.android.notification.color' }],
}
const BAD_FIELD: Reply = {
  kind: 'answer',
  answer: {
    status: 400,
    headers: {},
    body: JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', details: [VIOLATION] } }),
  },
}

const ROWS = [
  { platform: 0, answer: TOO_LARGE, reason: 'PayloadTooLarge' },
  { platform: 1, answer: BAD_FIELD, reason: 'INVALID_ARGUMENT' },
] as const

test.each(ROWS)(
  'a push that is refused for a hundred, and taken for none, is asked of nobody else: $reason',
  async (row) => {
    const { platform, answer, reason } = row
    let asked = 0
    simulator.answerWith(({ gateway }) => {
      if (gateway === 'fcm-token') return null
      asked++
      return answer
    })
    const id = await push({ platform, badge: '+1' })
    await arrivalsOf(service, id)
    expect(asked).toBe(100)
    const body = await status(id)
    expect(body).toMatchObject({ state: 'finished', reason, t: DEVICES, s: 0, waiting: 0 })
    expect(body.failed).toEqual({ total: DEVICES, reasons: { [reason]: DEVICES } })
    expect(log()).toContainEqual(expect.objectContaining({ event: 'push refused', push: id, reason, level: 'warn' }))
    const headers = { token: tokenOf(platform, DEVICES - 1) }
    const unasked = await get(`/push/${id}/device`, { headers })
    expect(unasked.body).toMatchObject({ verdict: 'rejected', reason, attempts: null })
    expect(unasked.body.explanation).toContain('so it was not sent to this device')
    expect((await get('/feedback')).body).toEqual([])
    simulator.answerWith(null)
    const next = await push({ platform, badge: '+1' })
    await arrivalsOf(service, next)
    expect(await status(next)).toMatchObject({ t: DEVICES, s: DEVICES })
  },
)

test('a push that one device has taken goes to all others, however many it is refused for', async () => {
  simulator.answerWith(({ token }) => (token === tokenOf(0, 60) ? null : TOO_LARGE))
  const id = await push({ badge: '+1' })
  await arrivalsOf(service, id)
  const body = await status(id)
  expect(body).toMatchObject({ state: 'finished', reason: null, t: DEVICES, s: 1 })
  expect(body.failed.total).toBe(DEVICES - 1)
})

test('a push that is refused for two reasons goes on until one of them has a hundred', async () => {
  let asked = 0
  simulator.answerWith(() => (asked++ % 3 === 0 ? refusal(400, 'BadPriority') : TOO_LARGE))
  const id = await push({ badge: '+1' })
  await arrivalsOf(service, id)
  const body = await status(id)
  expect(body).toMatchObject({ state: 'finished', reason: 'PayloadTooLarge', t: DEVICES, s: 0 })
  expect(body.failed.total).toBe(DEVICES)
  expect(asked).toBeLessThan(200)
})
