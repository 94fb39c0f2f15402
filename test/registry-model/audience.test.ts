import { afterAll, beforeAll, expect, test } from 'bun:test'
import { assert, asyncProperty, constantFrom, record, sample } from 'fast-check'
import { newCaller } from '../support/caller.ts'
import { startSending, tokenOf } from '../support/sending.ts'
import { ALIASES, aFilter, PLACES, TAGS, TYPES } from './arbitrary-audience.ts'
import type { FilterBody } from './audience-model.ts'
import type { RegistryCall, WirePlatform } from './call.ts'
import { EXTENT, PARAMETERS, tell } from './extent.ts'
import { perform } from './perform.ts'
import type { Applications } from './perform.ts'
import { RegistryModel } from './registry-model.ts'

/** Each is counted, and sent to. */
const FILTERS = 60 * EXTENT

const DEVICES = 80
const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS

let sending: Awaited<ReturnType<typeof startSending>>
let applications: Applications
const model = new RegistryModel()

/** Makes a call of the first application or the second, which the model must have foreseen. */
async function expectAsModel(call: Pick<RegistryCall, 'endpoint' | 'of' | 'body'>): Promise<void> {
  const whole: RegistryCall = { ...call, by: 'backend', headers: {} }
  const expected = model.answer(whole, sending.clock.now())
  expect(await perform(sending.service, applications, whole)).toEqual(expected)
}

/** Two applications of devices of the same names, one registered an hour after the other; some come again. */
async function populate(): Promise<void> {
  // The same devices each time: what fails can be repeated by the seed of its filter alone.
  const traits = sample(
    record({
      platform: constantFrom<WirePlatform[]>('0', '1'),
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
    const address = { token: tokenOf(platform === '0' ? 0 : 1, n), platform }
    const alias = ALIASES[n / 7]
    const body = { ...address, tag: tags, active: types, ...place, ...(alias !== undefined && { alias }) }
    await expectAsModel({ endpoint: 'PUT /deviceToken', of, body })
    const [earlier] = traits.slice(Math.floor(n / 2))
    if (!again || earlier === undefined) continue
    const known = { token: tokenOf(earlier.platform === '0' ? 0 : 1, Math.floor(n / 2)), platform: earlier.platform }
    await expectAsModel({ endpoint: 'PUT /deviceToken', of: earlier.of, body: known })
  }
}

beforeAll(async () => {
  sending = await startSending()
  applications = [newCaller(sending.service).application, newCaller(sending.service).application]
  await populate()
})
afterAll(() => sending.service[Symbol.asyncDispose]())

test('a push goes to the devices that its filter leaves, one by one, and its preview counts as many', async () => {
  const content = { msg: 'Hello', sound: '', badge: '' }
  const asJudged = asyncProperty(aFilter, constantFrom(0 as const, 1 as const), async (filter: FilterBody, of) => {
    sending.clock.standStill(MINUTE_MS)
    const body = { ...content, ...filter, platform: filter.platform ?? ['0', '1'] }
    await expectAsModel({ endpoint: 'POST /push/preview', of, body })
    await expectAsModel({ endpoint: 'POST /push/all', of, body })
  })
  await assert(asJudged, { ...PARAMETERS, numRuns: FILTERS })
  tell(`${FILTERS} filters of ${DEVICES} devices`)
})
