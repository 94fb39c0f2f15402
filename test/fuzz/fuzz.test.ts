import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { programOf } from '../support/service-process.ts'
import { attack } from './attack.ts'
import { conversationOf } from './conversation.ts'
import { diceOf } from './dice.ts'
import { openTarget } from './target.ts'
import type { Target } from './target.ts'

/** Fixed; longer runs draw others. */
const SEED = 20261122

let target: Target
beforeAll(async () => {
  target = await openTarget(programOf(null))
})
afterAll(() => target[Symbol.asyncDispose]())

test('whatever is said on a connection, nothing is answered with 5xx, what is right is answered, and all goes on', async () => {
  const { turns, statuses, findings } = await attack({
    sides: target.sides,
    seed: SEED,
    atOnce: 64,
    goesOn: (turn) => turn < 800,
  })
  expect(findings).toEqual([])
  expect(target.errors()).toEqual([])
  expect(target.exitCode).toBeNull()
  expect(turns).toBe(800)
  // Hostile messages still get through. Rare statuses may not come on a slow machine.
  expect([200, 400, 404].filter((status) => !statuses.has(status))).toEqual([])
})

describe('a conversation', () => {
  const conversation = (seed: number, turn: number) => conversationOf(diceOf(seed, turn), target.sides[0].calls)

  test('is the same for the same seed and turn, and another for another', () => {
    for (const turn of [0, 1, 17]) {
      expect(conversation(5, turn)).toEqual(conversation(5, turn))
      expect(conversation(5, turn)).not.toEqual(conversation(6, turn))
      expect(conversation(5, turn)).not.toEqual(conversation(5, turn + 1))
    }
  })
})
