import { afterAll, beforeAll, expect, test } from 'bun:test'
import { assert, asyncProperty, constantFrom, pre, record, sample } from 'fast-check'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { startSending, tokenOf } from '../support/sending.ts'
import { aFilterWith, ALIASES, PAIRS, PLACES, TAGS, TYPES, USERS } from './arbitrary-audience.ts'
import type { FilterField } from './arbitrary-audience.ts'
import type { FilterBody } from './audience-model.ts'
import { WIRE_PLATFORMS } from './call.ts'
import type { RegistryCall, WirePlatform } from './call.ts'
import { EXTENT, PARAMETERS, tell } from './extent.ts'
import { newApplications, perform } from './perform.ts'
import type { Applications } from './perform.ts'
import { RegistryModel } from './registry-model.ts'

const DEVICES = 80
const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS

const CONTENT = { msg: 'Hello', sound: '', badge: '' }

let sending: Awaited<ReturnType<typeof startSending>>
let applications: Applications
const model = new RegistryModel()

/** Whether an answer would show that the service forgot this field of the filter. */
function shows(of: 0 | 1, filter: FilterBody, forgotten: FilterField): boolean {
  const preview = ({ platform = WIRE_PLATFORMS, ...rest }: FilterBody) => {
    const call = { endpoint: 'POST /push/preview', of, by: 'backend', headers: {} } as const
    return model.answer({ ...call, body: { ...CONTENT, ...rest, platform } }, sending.clock.now())
  }
  const { [forgotten]: _, ...rest } = filter
  return !Bun.deepEquals(preview(rest), preview(filter))
}

/** Makes a call of the first application or the second, which the model must have foreseen. */
async function expectAsModel(call: Pick<RegistryCall, 'endpoint' | 'of' | 'body'>): Promise<void> {
  const whole: RegistryCall = { ...call, by: 'backend', headers: {} }
  const expected = model.answer(whole, sending.clock.now())
  expect(await perform(sending.service, applications, whole)).toEqual(expected)
}

function addressOf(platform: WirePlatform, n: number): RegistryCall['body'] {
  if (platform !== '2') return { token: tokenOf(platform === '0' ? 0 : 1, n), platform }
  return { token: `https://simulator.invalid/${String(n).padStart(2, '0')}`, platform, keys: EXAMPLE_SUBSCRIPTION }
}

/** Two applications of devices of the same names, one registered an hour after the other; some come again. */
async function populate(): Promise<void> {
  // The same devices each time: what fails can be repeated by the seed of its filter alone.
  const traits = sample(
    record({
      platform: constantFrom(...WIRE_PLATFORMS),
      of: constantFrom<(0 | 1)[]>(0, 0, 0, 1),
      tags: constantFrom(...TAGS.flatMap((_, n) => [TAGS.slice(0, n), TAGS.slice(n, n + 2)])),
      types: constantFrom(...TYPES.map((_, n) => TYPES.slice(n))),
      place: constantFrom(...PLACES, {}),
      again: constantFrom(true, false),
    }),
    { numRuns: DEVICES, seed: 20_261_122 },
  )
  for (const [n, { platform, of, tags, types, place, again }] of traits.entries()) {
    sending.clock.standStill(HOUR_MS)
    const address = addressOf(platform, n)
    const alias = ALIASES[n / 7]
    const user = USERS[n % 5]
    const named = { ...(alias !== undefined && { alias }), ...(user !== undefined && { user }) }
    const body = { ...address, tag: tags, active: types, ...place, ...named }
    await expectAsModel({ endpoint: 'PUT /deviceToken', of, body })
    const [earlier] = traits.slice(Math.floor(n / 2))
    if (!again || earlier === undefined) continue
    const known = addressOf(earlier.platform, Math.floor(n / 2))
    await expectAsModel({ endpoint: 'PUT /deviceToken', of: earlier.of, body: known })
  }
}

beforeAll(async () => {
  sending = await startSending()
  applications = newApplications(sending.service)
  await populate()
})
afterAll(() => sending.service[Symbol.asyncDispose]())

test('a push goes to the devices that its filter leaves, whichever field stands beside which, and its preview counts as many', async () => {
  for (const [n, [field, beside]] of PAIRS.entries()) {
    const filter = aFilterWith([field, beside])
    const asJudged = asyncProperty(filter, constantFrom(0 as const, 1 as const), async (filter: FilterBody, of) => {
      pre(shows(of, filter, field))
      sending.clock.standStill(MINUTE_MS)
      const body = { ...CONTENT, ...filter, platform: filter.platform ?? WIRE_PLATFORMS }
      await expectAsModel({ endpoint: 'POST /push/preview', of, body })
      await expectAsModel({ endpoint: 'POST /push/all', of, body })
    })
    const { seed, ...parameters } = PARAMETERS
    await assert(asJudged, {
      ...parameters,
      ...(seed !== undefined && { seed: seed + n }),
      numRuns: EXTENT,
      maxSkipsPerRun: 1000,
    })
  }
  tell(`${PAIRS.length * EXTENT} filters of ${DEVICES} devices`)
})
