import { describe, expect, test } from 'bun:test'
import { fileSending } from '../support/file-sending.ts'
import { refusal, tokensOf } from '../support/sending.ts'

/* Recipients wait in memory while their devices change. */
const { simulator, arrivals, get, logged, pass, push, put, register, registerAll, sent, status } = await fileSending()

const REFUSED_KEY = refusal(403, 'InvalidProviderToken')

/** More than go out before the first answer: the last are read only when the credential pauses. */
const TOKENS = tokensOf(0, 30)
const LAST = TOKENS[29] ?? ''

const unregister = (token: string) => put('/deviceToken/del', { token, platform: '0' })
const taken = () =>
  arrivals()
    .filter(({ status }) => status === 200)
    .map(({ token }) => token)
    .toSorted()

async function pushHeldBack(): Promise<string> {
  await registerAll(0, TOKENS)
  simulator.answerWith(() => REFUSED_KEY)
  const id = await push({ badge: '+1' })
  await logged(({ event }) => event === 'sending paused')
  simulator.answerWith(null)
  return id
}

const over = (id: string) => pass(sent(id), 1000)

describe('who is read, and held back by a pause', () => {
  test('and has left meanwhile gets nothing', async () => {
    const id = await pushHeldBack()
    const left = TOKENS.filter((_, n) => n % 2 === 1)
    for (const token of left) expect(await unregister(token)).toMatchObject({ status: 200 })
    await over(id)
    expect(taken()).toEqual(TOKENS.filter((_, n) => n % 2 === 0))
    expect(await status(id)).toMatchObject({ t: 30, s: 15, failed: { total: 15, reasons: { DeviceRemoved: 15 } } })
  })

  test('and has left meanwhile, and is back as another device, gets nothing, and its badge is as stored', async () => {
    const id = await pushHeldBack()
    await unregister(LAST)
    await register({ token: LAST, platform: '0' })
    await over(id)
    expect(taken()).toEqual(TOKENS.slice(0, 29))
    expect(await status(id)).toMatchObject({ t: 30, s: 29, failed: { total: 1, reasons: { DeviceRemoved: 1 } } })
    const { body } = await get('/deviceToken/one', { headers: { token: LAST } })
    expect(body).toMatchObject({ token: LAST, badge: 0 })
  })

  test('and has another token meanwhile gets it by that one', async () => {
    const id = await pushHeldBack()
    const renewed = 'f1'.repeat(32)
    const renewal = { token: renewed, platform: '0', replaces: LAST }
    expect(await put('/deviceToken', renewal)).toMatchObject({ status: 200 })
    await over(id)
    expect(taken()).toEqual([...TOKENS.slice(0, 29), renewed])
    expect(await status(id)).toMatchObject({ t: 30, s: 30 })
    expect(arrivals().filter(({ token }) => token === LAST)).toEqual([])
  })
})
