import { afterAll, beforeAll, expect } from 'bun:test'
import { testInTurn } from '../support/in-turn.ts'
import { startPair } from './killed-move.ts'
import type { Kill } from './killed-move.ts'

const DEVICES = 600

const KILLS = (['source', 'target'] as const).flatMap((whom) =>
  (['offer', 'begin', 'rows', 'complete', 'activate'] as const).flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({ whom, step, when }) satisfies Kill),
  ),
)

const test = testInTurn(KILLS.length)

let pair: Awaited<ReturnType<typeof startPair>>
beforeAll(async () => {
  pair = await startPair(DEVICES)
}, 60_000)
afterAll(() => pair[Symbol.asyncDispose]())

for (const kill of KILLS) {
  test(`a kill of the ${kill.whom} ${kill.when} ${kill.step} leaves the application whole, on one of them`, async () => {
    // A target that was killed before it was asked is asked when it is back; its last answer has been heard.
    const isMoved = ['offer before', 'complete after'].includes(`${kill.step} ${kill.when}`)
    const isThere = kill.step === 'activate' || (kill.whom === 'target' && isMoved)
    expect(await pair.run(kill)).toMatchObject({
      servedBy: [isThere ? 'target' : 'source'],
      lost: 0,
      reached: DEVICES,
    })
  }, 120_000)
}
