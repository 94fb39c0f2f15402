import { afterAll, beforeAll, expect, test } from 'bun:test'
import { array, assert, asyncProperty, oneof } from 'fast-check'
import { startSending } from '../support/sending.ts'
import { WRITES } from './arbitrary-call.ts'
import { shownCall } from './call.ts'
import type { RegistryAnswer, RegistryCall } from './call.ts'
import { EXTENT, PARAMETERS, tell } from './extent.ts'
import { outcomesOf } from './linearize.ts'
import type { Made } from './linearize.ts'
import { newApplications, perform } from './perform.ts'
import type { Applications } from './perform.ts'
import { RegistryModel } from './registry-model.ts'

const RUNS = 2 * EXTENT

/** Rounds of a run; in each every writer makes up to three calls, one after the other. */
const ROUNDS = 60
const WRITERS = 4
const CALLS = 3

let sending: Awaited<ReturnType<typeof startSending>>
beforeAll(async () => {
  sending = await startSending()
})
afterAll(() => sending.service[Symbol.asyncDispose]())

/** All writers at once. */
async function race(applications: Applications, writers: readonly (readonly RegistryCall[])[]): Promise<Made[]> {
  let count = 0
  const made: Made[] = []
  await Promise.all(
    writers.map(async (calls) => {
      for (const call of calls) {
        const began = ++count
        const answer = await perform(sending.service, applications, call)
        made.push({ call, answer, began, ended: ++count })
      }
    }),
  )
  return made
}

function shownRace(made: readonly Made[]): string {
  const shown = ({ call, answer, began, ended }: Made) =>
    `${began} to ${ended}: ${shownCall(call)}: ${JSON.stringify(answer)}`
  return made.map(shown).join('\n')
}

const READS = ['GET /deviceToken/all', 'GET /analytics'] as const

/** Everything that can be read, of both applications. */
async function readsOf(answer: (call: RegistryCall) => Promise<RegistryAnswer> | RegistryAnswer) {
  const calls = ([0, 1] as const).flatMap((of) =>
    READS.map((endpoint): RegistryCall => ({ endpoint, of, by: 'backend', body: {}, headers: {} })),
  )
  return Promise.all(calls.map(async (call) => answer(call)))
}

let calls = 0

const writers = array(array(oneof(...WRITES), { maxLength: CALLS }), { minLength: WRITERS, maxLength: WRITERS })

test('writers beside each other are answered as if each call had come at one moment of its own', async () => {
  const inSomeOrder = asyncProperty(array(writers, { maxLength: ROUNDS, size: 'max' }), async (rounds) => {
    const applications = newApplications(sending.service)
    let model = new RegistryModel()
    for (const writers of rounds) {
      sending.clock.advance(3000 * WRITERS * CALLS)
      const now = sending.clock.now()
      const made = await race(applications, writers)
      calls += made.length
      const outcomes = outcomesOf(model, made, now)
      if (outcomes.length === 0) throw new Error(`No order of calls answers like this:\n${shownRace(made)}`)
      const stored = await readsOf((call) => perform(sending.service, applications, call))
      const expected = await Promise.all(outcomes.map((outcome) => readsOf((call) => outcome.answer(call, now))))
      expect(expected).toContainEqual(stored)
      model = outcomes[expected.findIndex((reads) => Bun.deepEquals(reads, stored))] ?? model
    }
  })
  await assert(inSomeOrder, { ...PARAMETERS, numRuns: RUNS })
  tell(`${calls} calls of ${WRITERS} writers in ${RUNS} runs`)
})
