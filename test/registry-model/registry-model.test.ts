import { afterAll, beforeAll, expect, test } from 'bun:test'
import { assert, asyncModelRun, asyncProperty, commands, integer, oneof, record } from 'fast-check'
import type { AsyncCommand } from 'fast-check'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { startSending } from '../support/sending.ts'
import { OTHERS, WRITES } from './arbitrary-call.ts'
import { shownCall } from './call.ts'
import type { RegistryAnswer, RegistryCall } from './call.ts'
import { EXTENT, PARAMETERS, tell } from './extent.ts'
import { newApplications, perform } from './perform.ts'
import type { Applications } from './perform.ts'
import { RegistryModel } from './registry-model.ts'

const HOUR_MS = 60 * 60 * 1000

const RUNS = 2 * EXTENT
const MAX_CALLS = 1000

let sending: Awaited<ReturnType<typeof startSending>>
beforeAll(async () => {
  sending = await startSending()
})
afterAll(() => sending.service[Symbol.asyncDispose]())

/** What is said last of feedback comes first; of what was said at once any. */
function inOrder({ endpoint }: RegistryCall, answer: RegistryAnswer): RegistryAnswer {
  if (endpoint !== 'GET /feedback' || answer.status !== 200) return answer
  const entries = answer.body as { at: string; platform: string; token: string }[]
  const key = ({ at, platform, token }: (typeof entries)[number]) => `${at} ${platform} ${token}`
  return { ...answer, body: entries.toSorted((a, b) => (key(a) < key(b) ? 1 : -1)) }
}

let calls = 0

/** A call, `pause` milliseconds after the one before. */
class Step implements AsyncCommand<RegistryModel, Applications> {
  readonly #call: RegistryCall
  readonly #pause: number

  constructor(call: RegistryCall, pause: number) {
    this.#call = call
    this.#pause = pause
  }

  check(): boolean {
    return true
  }

  async run(model: RegistryModel, applications: Applications): Promise<void> {
    calls++
    // Hours pass without their timers, of which there are four a second.
    if (this.#pause >= HOUR_MS) sending.clock.standStill(this.#pause)
    else sending.clock.advance(this.#pause)
    const expected = model.answer(this.#call, sending.clock.now())
    const answer = await perform(sending.service, applications, this.#call)
    expect(inOrder(this.#call, answer)).toEqual(inOrder(this.#call, expected))
  }

  toString(): string {
    return `\n${shownCall(this.#call)}, ${this.#pause} ms later`
  }
}

/** Rarely hours, else some seconds: what an address may get wrong comes back in 3 s. */
const aPause = oneof(
  { weight: 20, arbitrary: integer({ min: 3000, max: 9000 }) },
  { weight: 1, arbitrary: integer({ min: 1, max: 20 }).map((hours) => hours * HOUR_MS) },
)

const steps = [...WRITES, ...OTHERS].map((call) =>
  record({ call, pause: aPause }).map(({ call, pause }) => new Step(call, pause)),
)

test('two applications answer each call as the contract has it, whatever was called before', async () => {
  const asTheModel = asyncProperty(commands(steps, { maxCommands: MAX_CALLS, size: 'max' }), async (calls) => {
    const setup = async () => {
      const applications = newApplications(sending.service)
      const model = new RegistryModel()
      for (const of of [0, 1] as const) await proveCredentials(model, applications, of)
      return { model, real: applications }
    }
    await asyncModelRun(setup, calls)
  })
  await assert(asTheModel, { ...PARAMETERS, numRuns: RUNS })
  tell(`${calls} calls in ${RUNS} runs`)
})

/** A credential that has taken nothing yet may be at fault itself, where a gateway calls a token bad. */
async function proveCredentials(model: RegistryModel, applications: Applications, of: 0 | 1): Promise<void> {
  const call = { of, by: 'backend', headers: {} } as const
  const good = [
    { token: 'a1'.repeat(32), platform: '0' },
    { token: 'phone:1', platform: '1' },
    { token: 'https://simulator.invalid/1', platform: '2', keys: EXAMPLE_SUBSCRIPTION },
  ]
  for (const body of good)
    await new Step({ ...call, endpoint: 'PUT /deviceToken', body }, 3000).run(model, applications)
  const body = { platform: ['0', '1', '2'], msg: 'Hello', sound: '', badge: '' }
  await new Step({ ...call, endpoint: 'POST /push/all', body }, 3000).run(model, applications)
}
