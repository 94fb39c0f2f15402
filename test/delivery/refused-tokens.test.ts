import { expect, test } from 'bun:test'
import type { Attempt, Reply } from '../../src/gateway/simulator/http2/reply.ts'
import { until } from '../support/until.ts'
import { fileSending } from '../support/file-sending.ts'

const DEVICES = 2000

const { simulator, pass, paused, push, registerAll, status } = await fileSending()

const reply = (status: number, body: object): Reply => ({
  kind: 'answer',
  afterMs: 50,
  answer: { status, headers: {}, body: JSON.stringify(body) },
})

/** Each bad token is tried twice: in both environments, or with a new access token. */
const ROWS = [
  {
    what: 'one bad token in ten',
    platform: 0,
    every: 10,
    tokenOf: (at: number) => at.toString(16).padStart(64, '0'),
    good: reply(200, {}),
    bad: reply(400, { reason: 'BadDeviceToken' }),
    end: { waiting: 0, failed: { total: 200, reasons: { BadDeviceToken: 200 } } },
  },
  {
    what: 'one device in twenty that is answered 401',
    platform: 1,
    every: 20,
    tokenOf: (at: number) => `phone:${String(at).padStart(5, '0')}`,
    good: reply(200, { name: 'projects/p/messages/1' }),
    bad: reply(401, { error: { code: 401, message: 'invalid', status: 'UNAUTHENTICATED' } }),
    end: { waiting: 100, failed: { total: 0 } },
  },
] as const

test.each(ROWS)('$what, refused after the good ones of its window were taken, pauses nothing', async (row) => {
  const { platform, every, tokenOf, good, bad, end } = row
  const tokens = Array.from({ length: DEVICES }, (_, at) => tokenOf(at))
  const refused = new Set(tokens.filter((_, at) => at % every === 1))
  await registerAll(platform, tokens)
  simulator.answerWith(({ gateway, token }: Attempt) =>
    gateway === 'fcm-token' ? null : refused.has(token) ? bad : good,
  )
  const id = await push({ platform })
  const s = DEVICES - refused.size
  const isOver = async () => {
    const now = await status(id)
    return paused().length > 0 || (now.s === s && now.waiting <= end.waiting)
  }
  await pass(until(isOver), 50)
  expect(paused()).toEqual([])
  expect(await status(id)).toMatchObject({ t: DEVICES, s, ...end })
})
