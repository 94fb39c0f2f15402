import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'
import {
  ALIAS_NEEDED,
  DEVICE,
  expectUnproven,
  newProvingShop,
  OTHER,
  PROOF_NEEDED,
  USER_NEEDED,
  wrongProof,
} from '../../support/user-proofs.ts'
import type { ProvingShop } from '../../support/user-proofs.ts'

const clock = createFakeClock()
const service = await fileService({ clock })
const compat = await fileService({ clock, config: { compat: true } })

const THIRD = { token: 'ef'.repeat(32), platform: '0' }

describe('with --verify-users', () => {
  test('a user or alias without a proof is refused, and nothing is changed', async () => {
    const shop = newProvingShop(service, clock, true)
    await shop.register({ ...DEVICE, user: 'ann', alias: 'ann' })
    const before = await shop.devices()
    const proof = shop.proof('ann')
    expectUnproven(await shop.say({ user: 'ann', tag: ['x'] }), USER_NEEDED)
    expectUnproven(await shop.say({ user: 'eve', user_proof: '' }), USER_NEEDED)
    expectUnproven(await shop.say({ ...OTHER, user: 'ann', alias: 'ann', alias_proof: proof }), USER_NEEDED)
    expectUnproven(await shop.say({ ...OTHER, alias: 'free' }), ALIAS_NEEDED)
    expectUnproven(await shop.say({ ...OTHER, user: 'ann', user_proof: proof, alias: 'free' }), ALIAS_NEEDED)
    expectUnproven(await shop.alias({ alias: 'free' }), ALIAS_NEEDED)
    expectUnproven(await shop.alias({ alias: 'free', current_alias: 'ann' }), ALIAS_NEEDED)
    expect(await shop.devices()).toEqual(before)
  })

  test('the secret takes the place of a proof', async () => {
    const shop = newProvingShop(service, clock, true)
    expect(await shop.register({ ...DEVICE, user: 'ann', alias: 'desk' })).toMatchObject({ user: 'ann', alias: 'desk' })
    expect((await shop.put('/alias', { ...DEVICE, alias: 'door' })).body.message).toBe('Alias set')
    expect(await shop.register({ ...OTHER, replaces: DEVICE.token })).toMatchObject({ user: 'ann', alias: 'door' })
  })

  test('a device keeps the user and alias that it has, and whoever knows its token can take them away', async () => {
    const shop = newProvingShop(service, clock, true)
    await shop.register({ ...DEVICE, user: 'ann', alias: 'desk' })
    expect((await shop.say({ tag: ['x'] })).body).toMatchObject({ user: 'ann', alias: 'desk', tag: ['x'] })
    const { body } = await shop.say({ user: '', alias: '' })
    expect(body).toMatchObject({ alias: null })
    expect(body).not.toHaveProperty('user')
    await shop.register({ ...DEVICE, alias: 'desk' })
    expect((await shop.alias({ alias: '' })).body).toEqual({ message: 'Alias removed' })
  })

  test('it is turned on and off within a second', async () => {
    const shop = newProvingShop(service, clock, false)
    expect((await shop.say({ user: 'ann' })).status).toBe(201)
    service.limit(shop.application, { verifyUsers: true })
    clock.advance(1000)
    expectUnproven(await shop.say({ user: 'ann' }), USER_NEEDED)
    service.limit(shop.application, { verifyUsers: false })
    clock.advance(1000)
    expect((await shop.say({ user: 'ann' })).status).toBe(200)
  })
})

describe('replaces, with --verify-users,', () => {
  const brought = (field: 'user' | 'alias') =>
    `replaces would bring the ${field} of that device, so ${field} is needed with ${field}_proof, or "" to leave it, ${PROOF_NEEDED}`

  async function annsPhone(more: object = { alias: 'desk' }): Promise<ProvingShop> {
    const shop = newProvingShop(service, clock, true)
    await shop.register({ ...DEVICE, user: 'ann', tag: ['vip'], ...more })
    return shop
  }
  const move = (shop: ProvingShop, body: object) => shop.say({ ...OTHER, replaces: DEVICE.token, ...body })

  test('brings no user or alias that is not proven, and nothing is changed', async () => {
    const shop = await annsPhone()
    const before = await shop.devices()
    const [ann, desk] = [shop.proof('ann'), shop.proof('desk')]
    expectUnproven(await move(shop, {}), brought('user'))
    expectUnproven(await move(shop, { alias: 'desk', alias_proof: desk }), brought('user'))
    expectUnproven(await move(shop, { user: 'ann', user_proof: ann }), brought('alias'))
    expectUnproven(await move(shop, { user: 'eve', user_proof: shop.proof('eve') }), brought('alias'))
    expectUnproven(await move(shop, { user: 'ann', user_proof: desk, alias: '' }), wrongProof('user'))
    expect(await shop.devices()).toEqual(before)
  })

  test('goes on with what is proven, or left behind', async () => {
    const proven = await annsPhone()
    const names = { user: 'ann', user_proof: proven.proof('ann'), alias: 'desk', alias_proof: proven.proof('desk') }
    expect((await move(proven, names)).body).toMatchObject({ user: 'ann', alias: 'desk', tag: ['vip'] })
    const left = await annsPhone()
    const { body } = await move(left, { user: '', alias: '' })
    expect(body).toMatchObject({ alias: null, tag: ['vip'] })
    expect(body).not.toHaveProperty('user')
  })

  test('brings an alias that is the user who is proven, and a user that is the alias', async () => {
    for (const field of ['user', 'alias']) {
      const shop = await annsPhone({ alias: 'ann' })
      const { body } = await move(shop, { [field]: 'ann', [`${field}_proof`]: shop.proof('ann') })
      expect(body).toMatchObject({ user: 'ann', alias: 'ann', tag: ['vip'] })
    }
  })

  test('of a device that belongs to nobody needs no proof', async () => {
    const shop = newProvingShop(service, clock, true)
    await shop.register({ ...DEVICE, tag: ['vip'] })
    expect((await move(shop, {})).body).toMatchObject({ token: OTHER.token, tag: ['vip'] })
    expect((await shop.say({ ...THIRD, replaces: 'nowhere' })).status).toBe(201)
  })

  test('keeps the user that its own token has', async () => {
    const shop = await annsPhone({})
    await shop.register({ ...OTHER, user: 'bob' })
    expect((await move(shop, {})).body).toMatchObject({ token: OTHER.token, user: 'bob' })
  })

  test('gives back no alias that a device had before it was gone', async () => {
    const shop = newProvingShop(service, clock, true)
    const gone = `bad41000${'0'.repeat(56)}`
    await shop.register({ token: gone, platform: '0', alias: 'desk' })
    const push = { platform: ['0'], msg: 'Hello', sound: '', badge: '' }
    const { id } = (await shop.post('/push/all', push)).body
    await service.logged(({ event, push: of }) => event === 'push sent' && of === id)
    expect(await shop.devices()).toEqual([])
    expectUnproven(await shop.say({ ...OTHER, replaces: gone }), brought('alias'))
    expect(await shop.devices()).toEqual([])
    await shop.register({ ...THIRD, alias: 'desk' })
    expect((await shop.say({ ...OTHER, replaces: gone })).body).toMatchObject({ alias: null })
  })

  test('needs none of this without --verify-users', async () => {
    const shop = await annsPhone()
    service.limit(shop.application, { verifyUsers: false })
    clock.advance(1000)
    expect((await move(shop, {})).body).toMatchObject({ user: 'ann', alias: 'desk' })
  })
})

describe('with --compat and --verify-users', () => {
  const SECRET_NEEDED = 'without token needs X-SERVICE-SECRET, the secret of the application.'

  test('a device is named by its alias with the secret only', async () => {
    const shop = newProvingShop(compat, clock, true)
    await shop.put('/deviceToken', { ...DEVICE, alias: 'desk', tag: ['a'], active: ['b'] })
    const before = await shop.devices()
    const calls: [string, object, string][] = [
      ['/tag', { Alias: 'desk', tag: 'x' }, 'Alias'],
      ['/tag/del', { Alias: 'desk', tag: 'a' }, 'Alias'],
      ['/activate', { alias: 'desk', active: ['x'] }, 'alias'],
      ['/deactivate', { alias: 'desk', active: ['b'] }, 'alias'],
      ['/alias', { current_alias: 'desk', alias: 'desk' }, 'current_alias'],
      ['/alias/del', { alias: 'desk' }, 'alias'],
    ]
    for (const [path, body, field] of calls) {
      const answer = await shop.put(path, { platform: '0', ...body }, 'device')
      expectFailure(answer, 400, 'InvalidHeader', `${field} ${SECRET_NEEDED}`)
    }
    expect(await shop.devices()).toEqual(before)
    for (const [path, body] of calls)
      expect((await shop.put(path, { platform: '0', ...body })).status).toBeLessThan(300)
  })

  test.each(['/deviceToken', '/register'])('PUT %s takes a user or alias with a proof only', async (path) => {
    const shop = newProvingShop(compat, clock, true)
    await shop.put('/deviceToken', { ...OTHER, alias: 'ann' })
    const says = (body: object) => shop.put(path, { ...DEVICE, ...body }, 'device')
    expectUnproven(await says({ user: 'ann' }), USER_NEEDED)
    expectUnproven(await says({ alias: 'ann' }), ALIAS_NEEDED)
    expectUnproven(await shop.alias({ alias: 'ann' }), ALIAS_NEEDED)
    expect(await shop.devices()).toMatchObject([{ token: OTHER.token, alias: 'ann' }])
    expect((await says({ user: 'ann', alias: 'ann', user_proof: shop.proof('ann') })).status).toBe(201)
    expect(await shop.record()).toMatchObject({ user: 'ann', alias: 'ann' })
  })

  test('an alias moves to the device that proves it, and is removed by who knows the token', async () => {
    const shop = newProvingShop(compat, clock, true)
    await shop.put('/deviceToken', { ...OTHER, alias: 'ann' })
    await shop.put('/deviceToken', DEVICE)
    expect((await shop.alias({ alias: 'ann', alias_proof: shop.proof('ann') })).status).toBe(200)
    expect(await shop.record()).toMatchObject({ alias: 'ann' })
    expect((await shop.put('/alias/del', DEVICE, 'device')).status).toBe(200)
    expect(await shop.record()).toMatchObject({ alias: null })
  })
})
