import { expect } from 'bun:test'
import { expectFailure } from '../support/refusals.ts'
import type { Answer } from '../support/service.ts'
import { until } from '../support/until.ts'
import { ALIAS, DEVICE, UNKNOWN } from './world.ts'
import type { EndpointCall, World } from './world.ts'

/** How the cells of one endpoint's row are tried. */
export interface Scenario {
  /** A call of the endpoint that nothing is wrong with but, perhaps, who makes it. */
  readonly call: EndpointCall
  /** What it is answered. Default: 200 or 201. */
  readonly status?: number
  /** Tries what the application id alone can do there, and cannot; an endpoint that needs the secret has neither. */
  readonly can?: (world: World) => Promise<void>
  readonly cannot?: (world: World) => Promise<void>
  /** The same where the application verifies its users, if that is not what it can else. */
  readonly verified?: (world: World) => Promise<void>
}

const PUSH = { platform: '0', msg: 'Hello', sound: '', badge: '' }

async function expectDone(answer: Promise<Answer>): Promise<Answer> {
  const done = await answer
  expect([200, 201]).toContain(done.status)
  return done
}

async function expectNobody(answer: Promise<Answer>): Promise<void> {
  expectFailure(await answer, 404, 'ResourceNotFound', 'No device found')
}

async function expectSecretNeeded(answer: Promise<Answer>, field: string): Promise<void> {
  const message = `${field} without token needs X-SERVICE-SECRET, the secret of the application.`
  expectFailure(await answer, 400, 'InvalidHeader', message)
}

/** A call in which `field` has no proof, or that of another application or of another name. */
async function expectUnproven(world: World, endpoint: string, field: 'user' | 'alias', body: object): Promise<void> {
  const { byId, foreignProof, proof, device } = world
  const before = [await device(), await device(UNKNOWN.token)]
  const call = { ...body, [field]: 'ann' }
  const none = `${field} needs ${field}_proof, or X-SERVICE-SECRET: this application verifies its users.`
  expectFailure(await byId(endpoint, { body: call }), 401, 'InvalidCredentials', none)
  for (const given of [foreignProof('ann'), proof('eve')]) {
    const answer = await byId(endpoint, { body: { ...call, [`${field}_proof`]: given } })
    const wrong = `${field}_proof is no proof of this ${field} under a user key of the application.`
    expectFailure(answer, 401, 'InvalidCredentials', wrong)
  }
  expect([await device(), await device(UNKNOWN.token)]).toEqual(before)
}

/** A device is found by its token on its platform, and by nothing else. */
async function expectByTokenOnly({ byId }: World, endpoint: string, rest: object): Promise<void> {
  await expectNobody(byId(endpoint, { body: { ...UNKNOWN, ...rest } }))
  await expectNobody(byId(endpoint, { body: { ...DEVICE, platform: '1', ...rest } }))
  await expectNobody(byId(endpoint, { body: { token: ALIAS, platform: '0', ...rest } }))
  const byAlias = await byId(endpoint, { body: { alias: ALIAS, platform: '0', ...rest } })
  expectFailure(byAlias, 409, 'MissingParameter', 'token is required.')
}

/** By the endpoint, as the document names it. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'PUT /deviceToken': {
    call: { body: DEVICE },
    async can({ byId, device, importDevice }) {
      const madeUp = {
        token: 'made-up',
        platform: '1',
        tag: ['staff'],
        active: ['all'],
        alias: 'free',
      }
      await expectDone(byId('PUT /deviceToken', { body: madeUp }))
      expect(await device(madeUp.token)).toMatchObject(madeUp)
      await expectDone(byId('PUT /deviceToken', { body: { ...DEVICE, tag: ['changed'] } }))
      expect(await device()).toMatchObject({ ...DEVICE, tag: ['changed'] })
      await expectDone(byId('PUT /deviceToken', { body: { ...UNKNOWN, replaces: DEVICE.token } }))
      expect([await device(), await device(UNKNOWN.token)]).toMatchObject([
        undefined,
        { tag: ['changed'], alias: ALIAS },
      ])
      importDevice({ token: 'imported', platform: 1, user: 'bob', tag: ['paid'] })
      const guessed = await expectDone(
        byId('PUT /deviceToken', { body: { token: 'mine', platform: '1', user: 'bob' } }),
      )
      expect(guessed.body).toMatchObject({ tag: ['paid'] })
      expect(await device('imported')).toBeUndefined()
    },
    async cannot({ byId, device }) {
      const { body } = await expectDone(byId('PUT /deviceToken', { body: { ...UNKNOWN, alias: ALIAS } }))
      expect(body).toMatchObject({ alias: null, warnings: ['alias belongs to another device'] })
      expect(await device()).toMatchObject({ alias: ALIAS })
    },
    verified: (world) => registersProven(world, 'PUT /deviceToken'),
  },
  'PUT /user/del': { call: { body: { user: 'ann' } } },
  'PUT /deviceToken/batch': { call: { body: { tokens: [UNKNOWN.token], platform: '0' } } },
  'PUT /deviceToken/del': {
    call: { body: DEVICE },
    async can({ byId, device }) {
      await expectDone(byId('PUT /deviceToken/del', { body: DEVICE }))
      expect(await device()).toBeUndefined()
    },
    async cannot({ byId }) {
      const [known, unknown] = [DEVICE, UNKNOWN].map((body) => byId('PUT /deviceToken/del', { body }))
      expect((await known)?.body).toEqual((await unknown)?.body)
      expect((await known)?.status).toBe((await unknown)?.status ?? 0)
    },
  },
  'PUT /alias': {
    call: { body: { ...DEVICE, alias: 'free' } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /alias', { body: { ...DEVICE, alias: 'free' } }))
      expect(await device()).toMatchObject({ alias: 'free' })
    },
    async cannot({ byId, device }) {
      await expectDone(byId('PUT /deviceToken', { body: UNKNOWN }))
      const taken = await byId('PUT /alias', { body: { ...UNKNOWN, alias: ALIAS } })
      expectFailure(taken, 409, 'ConflictError', 'alias belongs to another device of the application.')
      const renamed = byId('PUT /alias', { body: { platform: '0', current_alias: ALIAS, alias: 'mine' } })
      await expectSecretNeeded(renamed, 'current_alias')
      expect(await device()).toMatchObject({ alias: ALIAS })
    },
    async verified(world) {
      await expectUnproven(world, 'PUT /alias', 'alias', DEVICE)
      await expectDone(world.byId('PUT /alias', { body: { ...DEVICE, alias: 'ann', alias_proof: world.proof('ann') } }))
      expect(await world.device()).toMatchObject({ alias: 'ann' })
    },
  },
  'PUT /tag': {
    call: { body: { ...DEVICE, tag: 'beta' } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /tag', { body: { ...DEVICE, tag: 'beta' } }))
      expect(await device()).toMatchObject({ tag: ['beta', 'vip'] })
    },
    async cannot({ byId, device }) {
      await expectSecretNeeded(byId('PUT /tag', { body: { platform: '0', Alias: ALIAS, tag: 'beta' } }), 'Alias')
      expect(await device()).toMatchObject({ tag: ['vip'] })
    },
  },
  'PUT /tag/del': {
    call: { body: { ...DEVICE, tag: 'vip' } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /tag/del', { body: { ...DEVICE, tag: 'vip' } }))
      expect(await device()).toMatchObject({ tag: [] })
    },
    async cannot({ byId, device }) {
      await expectSecretNeeded(byId('PUT /tag/del', { body: { platform: '0', Alias: ALIAS, tag: 'vip' } }), 'Alias')
      expect(await device()).toMatchObject({ tag: ['vip'] })
    },
  },
  'PUT /geo': {
    call: { body: { ...DEVICE, lat: 1, lng: 2 } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /geo', { body: { ...DEVICE, lat: 1, lng: 2 } }))
      expect(await device()).toMatchObject({ lat: '1', lng: '2' })
    },
    async cannot(world) {
      await expectByTokenOnly(world, 'PUT /geo', { lat: 1, lng: 2 })
      expect(await world.device()).toMatchObject({ lat: '52.52', lng: '13.405' })
    },
  },
  'GET /deviceToken/all': { call: {} },
  'GET /feedback': { call: {} },
  'GET /deviceToken/one': {
    call: { headers: { token: DEVICE.token } },
    async can({ byId, device }) {
      const { body } = await expectDone(byId('GET /deviceToken/one', { headers: { token: DEVICE.token } }))
      expect(body).toEqual(await device())
    },
    async cannot({ byId }) {
      for (const token of [ALIAS, UNKNOWN.token, DEVICE.token.slice(0, -1), '*', '%']) {
        await expectNobody(byId('GET /deviceToken/one', { headers: { token } }))
      }
      const none = await byId('GET /deviceToken/one', { headers: { alias: ALIAS } })
      expectFailure(none, 409, 'MissingParameter', 'token header is required.')
    },
  },
  'POST /push/all': { call: { body: PUSH } },
  'POST /push/one': { call: { body: { ...DEVICE, ...PUSH } } },
  'PUT /badge': {
    call: { body: { ...DEVICE, setbadgecount: 3 } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /badge', { body: { ...DEVICE, setbadgecount: 3 } }))
      expect(await device()).toMatchObject({ badge: 3 })
    },
    async cannot(world) {
      await expectByTokenOnly(world, 'PUT /badge', { setbadgecount: 3 })
      expect(await world.device()).toMatchObject({ badge: 0 })
    },
  },
  'PUT /stats': {
    call: { body: { platform: '0' } },
    async can({ byId, byBackend, push }) {
      await expectDone(byId('PUT /stats', { body: { platform: '0', id: push } }))
      expect((await byBackend('GET /analytics')).body).toMatchObject({ o: 1 })
      expect((await byBackend('GET /push/{id}')).body).toMatchObject({ o: 1 })
      const other = { ...UNKNOWN, user: 'ann' }
      await expectDone(byBackend('PUT /deviceToken', { body: other }))
      const { id } = (await expectDone(byBackend('POST /push/all', { body: { ...PUSH, users: ['ann'] } }))).body
      const isOver = async (push: string) => (await byBackend('GET /push/{id}', { id: push })).body.state === 'finished'
      await until(() => isOver(id))
      const before = (await byBackend('GET /analytics')).body.t
      await expectDone(byId('PUT /stats', { body: { ...DEVICE, id, clear: true } }))
      await until(async () => (await byBackend('GET /analytics')).body.t === before + 1)
    },
    async cannot({ byId }) {
      const { body } = await expectDone(byId('PUT /stats', { body: { platform: '0' } }))
      expect(JSON.stringify(body)).not.toMatch(/\d/)
      const read = await byId('GET /analytics')
      expectFailure(read, 400, 'InvalidHeader', 'Authentication headers not found.')
    },
  },
  'GET /analytics': { call: {} },
  'POST /push/preview': { call: { body: PUSH } },
  'GET /push/{id}': { call: {} },
  'GET /pushes': { call: {} },
  'GET /push/{id}/failures': { call: {} },
  'GET /push/{id}/device': { call: { headers: { token: DEVICE.token } } },
  'POST /push/{id}/cancel': { call: {} },
  // Nobody has been sent the push yet.
  'DELETE /push/{id}/shown': { call: {}, status: 409 },
  'PUT /push/{id}/shown': { call: { body: { msg: 'Hello' } }, status: 409 },
}

/** What `--compat` has beside these, or has otherwise. */
export const COMPAT_SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(['PUT /deviceToken', 'PUT /register'].map((endpoint) => [endpoint, registering(endpoint)])),
  'PUT /alias': {
    call: { body: { ...DEVICE, alias: 'free' } },
    async can({ byId, device }) {
      await expectDone(byId('PUT /deviceToken', { body: UNKNOWN }))
      await expectDone(byId('PUT /alias', { body: { ...UNKNOWN, alias: ALIAS } }))
      expect([await device(), await device(UNKNOWN.token)]).toMatchObject([{ alias: null }, { alias: ALIAS }])
      await expectDone(byId('PUT /alias', { body: { platform: '0', current_alias: ALIAS, alias: 'mine' } }))
      expect(await device(UNKNOWN.token)).toMatchObject({ alias: 'mine' })
    },
    async cannot(world) {
      await expectNobody(world.byId('PUT /alias', { body: { ...UNKNOWN, alias: 'mine' } }))
      await expectNobody(world.byId('PUT /alias', { body: { platform: '0', current_alias: 'nobody', alias: 'mine' } }))
    },
    async verified(world) {
      const { byId, byBackend, device, proof } = world
      await expectDone(byBackend('PUT /deviceToken', { body: { ...UNKNOWN, alias: 'ann' } }))
      await expectUnproven(world, 'PUT /alias', 'alias', DEVICE)
      await expectSecretNeeded(
        byId('PUT /alias', { body: { platform: '0', current_alias: 'ann', alias: 'me' } }),
        'current_alias',
      )
      await expectDone(byId('PUT /alias', { body: { ...DEVICE, alias: 'ann', alias_proof: proof('ann') } }))
      expect([await device(), await device(UNKNOWN.token)]).toMatchObject([{ alias: 'ann' }, { alias: null }])
    },
  },
  'PUT /tag': naming('PUT /tag', { tag: 'beta' }, { tag: ['beta', 'vip'] }, 'Alias'),
  'PUT /tag/del': naming('PUT /tag/del', { tag: 'vip' }, { tag: [] }, 'Alias'),
  'GET /devices': { call: {} },
  'PUT /activate': naming('PUT /activate', { active: ['chat'] }, { active: ['chat', 'news'] }),
  'PUT /deactivate': naming('PUT /deactivate', { active: ['news'] }, { active: [] }),
  'PUT /alias/del': {
    call: { body: DEVICE },
    async can({ byId, device }) {
      await expectDone(byId('PUT /alias/del', { body: { alias: ALIAS } }))
      expect(await device()).toMatchObject({ alias: null })
      await expectDone(byId('PUT /alias/del', { body: DEVICE }))
    },
    async cannot({ byId }) {
      await expectNobody(byId('PUT /alias/del', { body: UNKNOWN }))
      await expectNobody(byId('PUT /alias/del', { body: { alias: 'nobody' } }))
    },
    async verified({ byId, device }) {
      await expectSecretNeeded(byId('PUT /alias/del', { body: { alias: ALIAS } }), 'alias')
      expect(await device()).toMatchObject({ alias: ALIAS })
      await expectDone(byId('PUT /alias/del', { body: DEVICE }))
      expect(await device()).toMatchObject({ alias: null })
    },
  },
}

/** What an app that has the proof of a user registers, and what one that has none does not. */
async function registersProven(world: World, endpoint: string): Promise<void> {
  const { byId, device, proof } = world
  await expectUnproven(world, endpoint, 'user', UNKNOWN)
  await expectUnproven(world, endpoint, 'alias', UNKNOWN)
  const brought = await byId(endpoint, { body: { ...UNKNOWN, replaces: DEVICE.token } })
  const message =
    'replaces would bring the user of that device, so user is needed with user_proof, or "" to leave it, or X-SERVICE-SECRET: this application verifies its users.'
  expectFailure(brought, 401, 'InvalidCredentials', message)
  await expectDone(byId(endpoint, { body: { ...DEVICE, tag: ['changed'] } }))
  expect(await device()).toMatchObject({ alias: ALIAS, user: 'ann', tag: ['changed'] })
  await expectDone(byId(endpoint, { body: { token: 'made-up', platform: '1', tag: ['staff'] } }))
  const proven = { user: 'ann', user_proof: proof('ann'), alias: ALIAS, alias_proof: proof(ALIAS) }
  await expectDone(byId(endpoint, { body: { ...UNKNOWN, replaces: DEVICE.token, ...proven } }))
  expect([await device(), await device(UNKNOWN.token)]).toMatchObject([undefined, { user: 'ann', alias: ALIAS }])
}

function registering(endpoint: string): Scenario {
  return {
    call: { body: DEVICE },
    async can({ byId, device, importDevice }) {
      await expectDone(byId(endpoint, { body: { ...UNKNOWN, tag: ['staff'], active: ['all'], alias: ALIAS } }))
      expect(await device(UNKNOWN.token)).toMatchObject({ tag: ['staff'], active: ['all'], alias: ALIAS })
      await expectDone(byId(endpoint, { body: { ...DEVICE, tag: ['changed'] } }))
      expect(await device()).toMatchObject({ alias: null, tag: ['changed'] })
      await expectDone(byId(endpoint, { body: { token: 'made-up', platform: '0', replaces: DEVICE.token } }))
      expect([await device(), await device('made-up')]).toMatchObject([undefined, { tag: ['changed'] }])
      importDevice({ token: 'imported', platform: 1, user: 'bob', tag: ['paid'] })
      await expectDone(byId(endpoint, { body: { token: 'mine', platform: '1', user: 'bob' } }))
      expect([await device('imported'), await device('mine')]).toMatchObject([undefined, { tag: ['paid'] }])
    },
    async cannot({ byId }) {
      const { body } = await expectDone(byId(endpoint, { body: { ...UNKNOWN, alias: ALIAS } }))
      expect(body).toBe('')
    },
    verified: (world) => registersProven(world, endpoint),
  }
}

/** A call that names the device by its token, or by its alias, which the service calls `field`. */
function naming(endpoint: string, change: object, changed: object, field = 'alias'): Scenario {
  const body = (address: object) => ({ body: { platform: '0', ...address, ...change } })
  return {
    call: body(DEVICE),
    async can({ byId, device }) {
      await expectDone(byId(endpoint, body({ alias: ALIAS })))
      expect(await device()).toMatchObject(changed)
      await expectDone(byId(endpoint, body(DEVICE)))
    },
    async cannot({ byId, device }) {
      const before = await device()
      await expectNobody(byId(endpoint, body(UNKNOWN)))
      await expectNobody(byId(endpoint, body({ alias: 'nobody' })))
      expect(await device()).toEqual(before)
    },
    async verified({ byId, device }) {
      const before = await device()
      await expectSecretNeeded(byId(endpoint, body({ Alias: ALIAS })), field)
      expect(await device()).toEqual(before)
      await expectDone(byId(endpoint, body(DEVICE)))
      expect(await device()).toMatchObject(changed)
    },
  }
}
