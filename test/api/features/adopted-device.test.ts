import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { ImportedDevice } from '../../../src/device/transfer/imported-device.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { newCaller, newTenant } from '../../support/caller.ts'
import { importDevice } from '../../support/imported.ts'
import { passing } from '../../support/passing.ts'
import { BAD_NAMES, expectFailure, expectInvalid } from '../../support/refusals.ts'
import { acceptedPush, registerDevice } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

const IMPORTED = 'ab'.repeat(32)
const OWN = 'cd'.repeat(32)
const OTHER = 'ef'.repeat(32)

const { clock, service: shared, simulator } = await fileSending()
let service: Service
beforeEach(() => {
  service = newTenant(shared, { adoptImported: true })
  bring({})
})
afterEach(() => simulator.answerWith(null))

const bring = (more: Partial<ImportedDevice>) =>
  importDevice(service, service.application, { token: IMPORTED, platform: 0, user: 'ann', tag: ['x'], ...more })
const launch = (more: object = {}) =>
  service.put('/deviceToken', { token: OWN, platform: '0', user: 'ann', ...more }, { as: 'device' })
const tokens = async () => (await service.get('/deviceToken/all')).body.map(({ token }: { token: string }) => token)
const tokensOf = async (push: string) => (await arrivalsOf(service, push)).map(({ token }) => token)
const LATE = { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 1000 } as const

function over(id: string) {
  const done = async (): Promise<unknown> => {
    const { body } = await service.get(`/push/${id}`)
    return body.finished_at === null ? done() : body
  }
  return passing(service, clock, done())
}

describe('PUT /deviceToken with the user of an imported device', () => {
  test('needs no secret, answers with that device under its new token, and is told in the log without it', async () => {
    const { status, body } = await launch()
    expect(status).toBe(200)
    expect(body).toMatchObject({ token: OWN, user: 'ann', tag: ['x'] })
    expect(await tokens()).toEqual([OWN])
    const line = await service.logged(
      ({ event, application }) =>
        event === 'a token replaced an imported device' && application === service.application.id,
    )
    expect(line).toMatchObject({ level: 'info', platform: 0, withSecret: false })
    expect(JSON.stringify(service.log)).not.toContain(OWN)
  })

  test('is told once, and not for other registrations', async () => {
    await launch()
    await launch()
    await launch({ token: OTHER })
    const told = service.log.filter(
      ({ event, application }) => String(event).includes('imported') && application === service.application.id,
    )
    expect(told).toHaveLength(1)
    expect(await tokens()).toEqual([OWN, OTHER])
  })

  test.each([[null], [false]])(
    'is a device of its own where the application has the switch at %p',
    async (adoptImported) => {
      const caller = newCaller(service, { adoptImported })
      importDevice(service, caller.application, { token: IMPORTED, platform: 0, user: 'ann' })
      expect(await caller.put('/deviceToken', { token: OWN, platform: '0', user: 'ann' })).toMatchObject({
        status: 201,
      })
      expect((await caller.devices()).map(({ token }) => token)).toEqual([IMPORTED, OWN])
    },
  )

  test('is refused where the user is no name, and nothing is changed', async () => {
    await expectInvalid((user) => launch({ user }), 'user', BAD_NAMES)
    expect(await tokens()).toEqual([IMPORTED])
  })

  test('needs the proof of that user where the application verifies users, and of no alias that comes along', async () => {
    const caller = newCaller(service, { adoptImported: true, verifyUsers: true })
    const key = service.makeUserKey(caller.application)
    importDevice(service, caller.application, { token: IMPORTED, platform: 0, user: 'ann', alias: 'kiosk', tag: ['x'] })
    const signIn = (more: object) =>
      caller.put('/deviceToken', { token: OWN, platform: '0', user: 'ann', ...more }, 'device')
    const proofOf = (user: string) => createHmac('sha256', key).update(user).digest('hex')
    expectFailure(
      await signIn({}),
      401,
      'InvalidCredentials',
      'user needs user_proof, or X-SERVICE-SECRET: this application verifies its users.',
    )
    expectFailure(
      await signIn({ user_proof: proofOf('bob') }),
      401,
      'InvalidCredentials',
      'user_proof is no proof of this user under a user key of the application.',
    )
    expect((await caller.devices()).map(({ token }) => token)).toEqual([IMPORTED])
    expect(await signIn({ user_proof: proofOf('ann') })).toMatchObject({
      status: 200,
      body: { token: OWN, alias: 'kiosk', tag: ['x'] },
    })
    expect((await caller.devices()).map(({ token }) => token)).toEqual([OWN])
  })

  test('takes it with --compat too, by either path', async () => {
    await using old = await startService({ clock, config: { compat: true }, limits: { adoptImported: true } })
    for (const [path, platform] of [
      ['/register', 0],
      ['/deviceToken', 1],
    ] as const) {
      importDevice(old, old.application, { token: IMPORTED, platform, user: 'ann' })
      await old.put(path, { token: OWN, platform, user: 'ann' }, { as: 'device' })
    }
    const { body } = await old.get('/devices')
    expect(body).toMatchObject([
      { token: OWN, platform: 0 },
      { token: OWN, platform: 1 },
    ])
    expect(body).toHaveLength(2)
  })
})

describe('a push that is on its way meanwhile', () => {
  test('reaches nobody a second time', async () => {
    await registerDevice(service, { token: OTHER, platform: '0' })
    simulator.answerWith(({ token }) => (token === OTHER ? LATE : null))
    const id = await acceptedPush(service, '/push/all')
    await arrivalsAt(simulator, 2, ({ collapse }) => collapse === id)
    expect(await launch()).toMatchObject({ status: 200 })
    expect(await over(id)).toMatchObject({ t: 2, s: 2 })
    expect((await tokensOf(id)).toSorted()).toEqual([IMPORTED, OTHER])
  })

  test('reaches a device that was registered under both tokens once more by neither', async () => {
    expect(await launch({ user: '' })).toMatchObject({ status: 201 })
    await registerDevice(service, { token: OTHER, platform: '0' })
    simulator.answerWith(({ token }) => (token === OTHER ? LATE : null))
    const id = await acceptedPush(service, '/push/all')
    await arrivalsAt(simulator, 3, ({ collapse }) => collapse === id)
    expect(await launch()).toMatchObject({ status: 200, body: { tag: ['x'] } })
    expect(await over(id)).toMatchObject({ t: 3, s: 3 })
    expect((await tokensOf(id)).toSorted()).toEqual([IMPORTED, OWN, OTHER])
  })

  test('reaches it by its own token where the imported one is refused, which says nothing of the device', async () => {
    const asked = Promise.withResolvers<void>()
    simulator.answerWith(({ token }) => {
      if (token !== IMPORTED) return null
      asked.resolve()
      const body = JSON.stringify({ reason: 'Unregistered', timestamp: clock.now() + 60_000 })
      return { kind: 'answer', answer: { status: 410, headers: {}, body }, afterMs: 1000 }
    })
    const id = await acceptedPush(service, '/push/all')
    await asked.promise
    expect(await launch()).toMatchObject({ status: 200 })
    expect(await over(id)).toMatchObject({ t: 1, s: 1, failed: { total: 0 } })
    expect((await tokensOf(id)).filter((token) => token === OWN)).toHaveLength(1)
    expect(await tokens()).toEqual([OWN])
  })
})

describe('why the device got a push, or did not,', () => {
  const why = async (id: string, token: string) =>
    (await service.get(`/push/${id}/device`, { headers: { token } })).body

  test('says that it was imported, by either token', async () => {
    const before = await acceptedPush(service, '/push/all')
    await arrivalsOf(service, before)
    clock.advance(60_000)
    await launch()
    const at = new Date(clock.now()).toISOString()
    const said = await why(before, OWN)
    expect(said).toMatchObject({ verdict: 'accepted', adopted_at: at })
    expect(said.explanation).toEndWith(
      ` The device was imported, and its app replaced it with another token at ${at}; earlier pushes went to the imported token.`,
    )
    const former = await why(before, IMPORTED)
    expect(former).toMatchObject({ verdict: 'accepted', platform: '0', adopted_at: at })
    expect(former.explanation).toEndWith(
      ` The token was imported. Another token of its user replaced it at ${at}; later pushes go to that one.`,
    )
  })

  test('says nothing of it where the device is another one, or gone', async () => {
    await launch()
    await registerDevice(service, { token: OTHER, platform: '0' })
    const id = await acceptedPush(service, '/push/all')
    await arrivalsOf(service, id)
    expect(await why(id, OTHER)).not.toHaveProperty('adopted_at')
    await service.put('/deviceToken/del', { token: OWN, platform: '0' })
    for (const token of [OWN, IMPORTED]) {
      expect(await why(id, token)).toMatchObject({ verdict: 'not_registered' })
      expect(await why(id, token)).not.toHaveProperty('adopted_at')
    }
  })
})

test('PUT /user/del leaves nothing of an imported device whose place was taken', async () => {
  const rows = service.database.statement<object, [string]>(
    'SELECT token FROM adopted_token t JOIN application a ON a.number = t.application WHERE a.id = ?',
  )
  const adopted = () => rows.all(service.application.id)
  await launch()
  expect(adopted()).toHaveLength(1)
  expect(await service.put('/user/del', { user: 'ann' })).toMatchObject({ status: 200 })
  expect(adopted()).toEqual([])
  expect(await tokens()).toEqual([])
})
