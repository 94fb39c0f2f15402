import { beforeEach, describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import type { BadValue } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import {
  ALIAS_NEEDED,
  DEVICE,
  expectUnproven,
  newProvingShop,
  OTHER,
  proofOf,
  wrongProof,
} from '../../support/user-proofs.ts'
import type { ProvingShop } from '../../support/user-proofs.ts'

const clock = createFakeClock()
const service = await fileService({ clock })

/** Of a user key over the one before it. */
const OVERLAP_MS = 10_000

describe.each([true, false])('a proof, with --verify-users: %j,', (verifyUsers) => {
  let shop: ProvingShop
  beforeEach(() => {
    shop = newProvingShop(service, clock, verifyUsers)
  })

  test('is taken in hex of either case, and in base64url with and without its padding', async () => {
    const short = proofOf(shop.key, 'ann', 'base64url')
    for (const user_proof of [shop.proof('ann'), shop.proof('ann').toUpperCase(), short, `${short}=`]) {
      expect(await shop.say({ user: 'ann', user_proof })).toMatchObject({ body: { user: 'ann' } })
      expect((await shop.say({ user: '' })).body).not.toHaveProperty('user')
    }
  })

  test('that is wrong is refused, also with the secret, and nothing is changed', async () => {
    await shop.register({ ...DEVICE, user: 'bob', alias: 'desk' })
    const before = await shop.devices()
    const another = newProvingShop(service, clock, verifyUsers)
    const proofs = [
      shop.proof('bob'),
      shop.proof('Ann'),
      another.proof('ann'),
      proofOf(shop.key.slice(4), 'ann'),
      '0'.repeat(64),
    ]
    for (const proof of proofs) {
      for (const as of ['device', 'backend'] as const) {
        const body = { ...DEVICE, tag: ['x'], user: 'ann', user_proof: proof }
        expectUnproven(await shop.put('/deviceToken', body, as), wrongProof('user'))
        const named = { ...DEVICE, alias: 'ann', alias_proof: proof }
        expectUnproven(await shop.put('/alias', named, as), wrongProof('alias'))
        expectUnproven(await shop.put('/deviceToken', named, as), wrongProof('alias'))
      }
    }
    expect(await shop.devices()).toEqual(before)
  })

  test('is of the bytes of the name as they are sent: one that looks alike is another', async () => {
    const [composed, decomposed] = ['Zoë'.normalize('NFC'), 'Zoë'.normalize('NFD')]
    expectUnproven(await shop.say({ user: decomposed, user_proof: shop.proof(composed) }), wrongProof('user'))
    expect((await shop.say({ user: decomposed, user_proof: shop.proof(decomposed) })).body.user).toBe(decomposed)
  })

  test('of a name with letters and signs of any kind is the HMAC of its UTF-8', async () => {
    for (const user of ['😀'.repeat(128), 'ё'.repeat(256), ' ann ', '"ann"', 'a\\b/c', '0']) {
      expect((await shop.say({ user, user_proof: shop.proof(user) })).body.user).toBe(user)
    }
  })

  test('of nothing is refused, and names the field', async () => {
    const proof = shop.proof('ann')
    const bodies: [object, string][] = [
      [{ user_proof: proof }, 'user_proof proves nothing without user.'],
      [{ user: '', user_proof: proof }, 'user_proof proves nothing without user.'],
      [{ alias: 'ann', alias_proof: proof, user_proof: proof }, 'user_proof proves nothing without user.'],
      [{ alias_proof: proof }, 'alias_proof proves nothing without alias.'],
      [{ user: 'ann', user_proof: proof, alias_proof: proof }, 'alias_proof proves nothing without alias.'],
    ]
    for (const [body, message] of bodies) expectFailure(await shop.say(body), 400, 'InvalidArgument', message)
    const removed = await shop.alias({ alias: '', user_proof: proof })
    expectFailure(removed, 400, 'InvalidArgument', 'user_proof proves nothing without user.')
    expect(await shop.devices()).toEqual([])
  })

  const SHAPE = 'must be an HMAC-SHA256: 64 digits of hex, or 43 characters of base64url'
  const BAD_PROOFS: readonly BadValue[] = [
    5,
    true,
    {},
    ['ab'.repeat(32)],
    'ann',
    'ab'.repeat(31),
    'ab'.repeat(33),
    'zz'.repeat(32),
    'a'.repeat(42),
    'a'.repeat(44),
    `${'a'.repeat(43)}==`,
    `${'a'.repeat(42)}+`,
    ` ${'ab'.repeat(32)}`,
    `${'ab'.repeat(32)}\n`,
    `${'ab'.repeat(31)}a\u0000`,
    `${'a'.repeat(42)}\ud83d`,
    'a'.repeat(100_000),
  ].map((value) => [value, SHAPE])

  test.each(['user', 'alias'])('that is none in its form is refused, as %s_proof', async (field) => {
    const send = (path: string, name: string) => (value: unknown) =>
      shop.put(path, { ...DEVICE, [name]: 'ann', [`${field}_proof`]: value }, 'device')
    await expectInvalid(send('/deviceToken', field), `${field}_proof`, BAD_PROOFS)
    await expectInvalid(send('/alias', 'alias'), `${field}_proof`, BAD_PROOFS)
    expect(await shop.devices()).toEqual([])
  })

  test('lets an alias move here from another device', async () => {
    await shop.register({ ...OTHER, alias: 'desk' })
    expect((await shop.say({ alias: 'desk', alias_proof: shop.proof('desk') })).body).toMatchObject({ alias: 'desk' })
    expect(await shop.record(OTHER.token)).toMatchObject({ alias: null })
    const taken = await shop.put('/alias', { ...OTHER, alias: 'desk', alias_proof: shop.proof('desk') }, 'device')
    expectFailure(taken, 409, 'ConflictError', 'alias belongs to another device of the application.')
  })

  test('of the user is one of an alias that is the same, or comes without a user', async () => {
    const user_proof = shop.proof('ann')
    expect((await shop.say({ user: 'ann', alias: 'ann', user_proof })).body).toMatchObject({
      user: 'ann',
      alias: 'ann',
    })
    expect((await shop.say({ alias: 'ann', user_proof })).body).toMatchObject({ alias: 'ann' })
    expect((await shop.say({ user: '', alias: 'ann', user_proof })).body).toMatchObject({ alias: 'ann' })
    expect((await shop.alias({ alias: 'bob', user_proof: shop.proof('bob') })).body.message).toBe('Alias set')
    expectUnproven(await shop.alias({ alias: 'eve', user_proof }), wrongProof('alias', 'user_proof'))
    expectUnproven(await shop.say({ alias: 'eve', user_proof }), wrongProof('alias', 'user_proof'))
    expect(await shop.record()).toMatchObject({ alias: 'bob' })
  })

  test('of the user is none of another alias, which has its own', async () => {
    const names = { user: 'ann', user_proof: shop.proof('ann'), alias: 'desk' }
    const alone = await shop.say(names)
    if (verifyUsers) expectUnproven(alone, ALIAS_NEEDED)
    else expect(alone.body).toMatchObject({ user: 'ann', alias: 'desk' })
    expect((await shop.say({ ...names, alias_proof: shop.proof('desk') })).body).toMatchObject({ alias: 'desk' })
    expectUnproven(await shop.say({ ...names, alias_proof: shop.proof('ann') }), wrongProof('alias'))
  })

  test('is refused where the application has no user key, and nothing is changed', async () => {
    const caller = newCaller(service)
    service.limit(caller.application, { verifyUsers })
    clock.advance(1000)
    for (const as of ['device', 'backend'] as const) {
      const said = { ...DEVICE, user: 'ann', user_proof: proofOf('bhu_', 'ann') }
      const message = 'user_proof cannot be checked: the application has no user key.'
      expectUnproven(await caller.put('/deviceToken', said, as), message)
    }
    expect(await caller.devices()).toEqual([])
  })
})

describe('a user key', () => {
  test('counts as soon as it is made, and the one before it until its overlap is over', async () => {
    const shop = newProvingShop(service, clock, true)
    const says = (key: string) => shop.say({ user: 'ann', user_proof: proofOf(key, 'ann') })
    expect((await says(shop.key)).status).toBe(201)
    const second = service.makeUserKey(shop.application, OVERLAP_MS)
    for (const key of [second, shop.key]) expect((await says(key)).status).toBe(200)
    clock.advance(OVERLAP_MS - 1)
    expect((await says(shop.key)).status).toBe(200)
    clock.advance(1)
    const before = await shop.devices()
    expectUnproven(await says(shop.key), wrongProof('user'))
    expect(await shop.devices()).toEqual(before)
    expect((await says(second)).status).toBe(200)
  })

  test('ends the one before it within a second, where there is no overlap', async () => {
    const shop = newProvingShop(service, clock, true)
    expect((await shop.say({ user: 'ann', user_proof: shop.proof('ann') })).status).toBe(201)
    const second = service.makeUserKey(shop.application)
    clock.advance(1000)
    expectUnproven(await shop.say({ user: 'ann', user_proof: shop.proof('ann') }), wrongProof('user'))
    expect((await shop.say({ user: 'ann', user_proof: proofOf(second, 'ann') })).status).toBe(200)
  })

  test('of a third time ends the first, however long its overlap', async () => {
    const shop = newProvingShop(service, clock, true)
    service.makeUserKey(shop.application, OVERLAP_MS)
    service.makeUserKey(shop.application, OVERLAP_MS)
    clock.advance(1000)
    expectUnproven(await shop.say({ user: 'ann', user_proof: shop.proof('ann') }), wrongProof('user'))
  })

  test('counts at once where there was none', async () => {
    const caller = newCaller(service)
    const says = (key: string) =>
      caller.put('/deviceToken', { ...DEVICE, user: 'ann', user_proof: proofOf(key, 'ann') }, 'device')
    expect((await says('bhu_')).status).toBe(401)
    expect((await says(service.makeUserKey(caller.application))).status).toBe(201)
  })

  test('counts after a restart, the one before it too', async () => {
    await using first = await startService({ clock })
    const old = first.makeUserKey(first.application)
    const young = first.makeUserKey(first.application, OVERLAP_MS)
    await using second = await first.restart()
    for (const key of [old, young]) {
      const answer = await second.put('/deviceToken', { ...DEVICE, user: 'ann', user_proof: proofOf(key, 'ann') })
      expect([200, 201]).toContain(answer.status)
    }
  })
})
