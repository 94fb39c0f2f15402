import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { markdown } from '../manual/markdown-files.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { expectFailure } from '../support/refusals.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { accessOf, accessTable, differing, THE_SAME } from './access-table.ts'
import type { Access } from './access-table.ts'
import { COMPAT_SCENARIOS, SCENARIOS } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'
import { callAs, contentOf, newWorld } from './world.ts'

const clock = createFakeClock()
const [plain, compat] = await Promise.all([startService({ clock }), startService({ clock, config: { compat: true } })])
afterAll(async () => {
  await plain[Symbol.asyncDispose]()
  await compat[Symbol.asyncDispose]()
})
// What an address may get wrong is limited: 20, and one more every 3 s. No test gets more than two wrong.
beforeEach(() => clock.advance(6000))

const documentOf = async (service: Service) =>
  (await service.get('/openapi.json', { as: 'nobody', headers: { 'accept-version': null } })).body
const [document, compatDocument] = [await documentOf(plain), await documentOf(compat)]

/** Each row of the tables, with where it is tried. */
const ROWS: readonly (readonly [string, Access, Service, Scenario | undefined])[] = [
  ...accessOf(document).map((row) => [row.endpoint, row, plain, SCENARIOS[row.endpoint]] as const),
  ...differing(compatDocument, document).map(
    (row) => [`${row.endpoint} with --compat`, row, compat, COMPAT_SCENARIOS[row.endpoint]] as const,
  ),
]

/** A Markdown table without the padding that the formatter adds. */
function bare(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
}

test('the tables of the manual are those of the routes', () => {
  const page = bare(markdown('src/manual/access.md'))
  expect(page).toContain(`\n\n${accessTable(accessOf(document))}\n\n`)
  expect(page).toContain(`\n\n${accessTable(differing(compatDocument, document))}\n\n`)
})

test('each row of them is tried', () => {
  expect(ROWS.filter(([, , , scenario]) => scenario === undefined).map(([name]) => name)).toEqual([])
  expect(ROWS).toHaveLength(Object.keys(SCENARIOS).length + Object.keys(COMPAT_SCENARIOS).length)
})

describe.each(ROWS)('%s', (_, { endpoint, needsSecret, can, cannot, verified }, service, scenario) => {
  const { call, status, ...tries } = scenario ?? { call: {} }
  const answers = status === undefined ? [200, 201] : [status]

  test(`is called by ${needsSecret ? 'a backend, and by nobody else' : 'apps and backends'}`, async () => {
    const { byBackend, byId } = await newWorld(service)
    expect(answers).toContain((await byBackend(endpoint, call)).status)
    const answer = await byId(endpoint, call)
    if (needsSecret) expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    else expect([200, 201]).toContain(answer.status)
  })

  test(`the application id alone can: ${can}`, async () => {
    expect(tries.can === undefined).toBe(needsSecret)
    await tries.can?.(await newWorld(service))
  })

  test(`the application id alone cannot: ${cannot}`, async () => {
    expect(tries.cannot === undefined).toBe(needsSecret)
    const world = await newWorld(service)
    await tries.cannot?.(world)
    if (!needsSecret) return
    const before = await contentOf(service, world.application)
    await world.byId(endpoint, call)
    expect(await contentOf(service, world.application)).toEqual(before)
  })

  test(`with --verify-users the application id alone can: ${verified}`, async () => {
    expect(tries.verified === undefined).toBe(needsSecret || verified === THE_SAME)
    const world = await newWorld(service, { verifyUsers: true })
    clock.advance(1000)
    await (tries.verified ?? tries.can)?.(world)
    if (!needsSecret) return
    const answer = await world.byId(endpoint, call)
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
  })

  test('with --secret-everywhere the application id alone can do nothing', async () => {
    const { application, byBackend, byId } = await newWorld(service)
    const before = await contentOf(service, application)
    service.limit(application, { secretEverywhere: true })
    clock.advance(1000)
    const message = needsSecret
      ? 'Authentication headers not found.'
      : 'X-SERVICE-SECRET is required: every call of this application needs it.'
    expectFailure(await byId(endpoint, call), 400, 'InvalidHeader', message)
    expect(await contentOf(service, application)).toEqual(before)
    expect(answers).toContain((await byBackend(endpoint, call)).status)
  })

  test('the secret of one application opens no other, and reaches nothing of it', async () => {
    const [own, other] = [await newWorld(service), await newWorld(service)]
    const before = await contentOf(service, other.application)
    const thief = { id: other.application.id, secret: own.application.secret }
    const stolen = await callAs(service, endpoint, { ...call, id: other.push, application: thief })
    expectFailure(stolen, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
    // A device of that token, with that alias, is in both.
    const answer = await own.byBackend(endpoint, { ...call, id: other.push })
    if (endpoint.includes('{id}')) expectFailure(answer, 404, 'ResourceNotFound', 'No push found')
    else expect([200, 201]).toContain(answer.status)
    expect(await contentOf(service, other.application)).toEqual(before)
  })
})
