import { beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsOf, tokensReached } from '../../support/arrivals.ts'
import { BAD_MEMBERS, expectFailure, expectInvalid } from '../../support/refusals.ts'
import { registerDevice } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const DEVICES = {
  phone: { token: 'a1'.repeat(32), platform: '0', user: 'ann', tag: ['beta'] },
  tablet: { token: 'tablet', platform: '1', user: 'ann' },
  bob: { token: 'b2'.repeat(32), platform: '0', user: 'bob', tag: ['beta'] },
  nobody: { token: 'c3'.repeat(32), platform: '0', tag: ['beta'] },
} as const
type Name = keyof typeof DEVICES

const { clock, service: shared } = await fileSending()
let service: Service
beforeEach(async () => {
  service = newTenant(shared)
  for (const device of Object.values(DEVICES)) await registerDevice(service, device)
})

const BOTH = { platform: ['0', '1'] }
const HELLO = { ...BOTH, msg: 'Hello', sound: '', badge: '' }
const push = (more: object) => service.post('/push/all', { ...HELLO, ...more })
const tokensOf = (...names: readonly Name[]) => names.map((name) => DEVICES[name].token).toSorted()

const CASES: readonly (readonly [filter: object, ...reached: readonly Name[]])[] = [
  [{ users: ['ann'] }, 'phone', 'tablet'],
  [{ users: 'bob' }, 'bob'],
  [{ users: ['ann', 'bob', 'bob', 'unheard of'] }, 'phone', 'tablet', 'bob'],
  [{ users: ['ann', 'bob'], tags: 'beta' }, 'phone', 'bob'],
  [{ users: ['ann', 'bob'], except_users: 'bob', platform: '0' }, 'phone'],
  [{ except_users: ['ann'] }, 'bob', 'nobody'],
  [{ where: { user: 'ann' } }, 'phone', 'tablet'],
  [{ where: { any: [{ user: 'bob' }, { not: { any: [{ user: 'ann' }, { user: 'bob' }] } }] } }, 'bob', 'nobody'],
  [{ where: { any: [{ user: 'bob' }, { platform: '1' }] } }, 'tablet', 'bob'],
  [{ users: [] }],
  [{ users: ['Ann', 'unheard of'] }],
]

describe('a push to users', () => {
  test('goes to the devices that they have, as its preview says', async () => {
    for (const [filter, ...names] of CASES) {
      const { body } = await service.post('/push/preview', { msg: 'Hello', ...BOTH, ...filter })
      expect([filter, body.t]).toEqual([filter, names.length])
      expect([filter, await tokensReached(service, await push(filter))]).toEqual([filter, tokensOf(...names)])
    }
  })

  test('says why another device did not get it', async () => {
    const { id } = (await push({ users: ['ann'], except_users: ['bob'] })).body
    await arrivalsOf(service, id)
    const why = async (name: Name) =>
      (await service.get(`/push/${id}/device`, { headers: { token: DEVICES[name].token } })).body
    expect(await why('phone')).toMatchObject({ verdict: 'accepted' })
    expect(await why('bob')).toMatchObject({
      excluded_by: ['users', 'except_users'],
      explanation:
        'The push excluded the device: it belongs to the user "bob", whom the push does not address, and belongs to the user "bob", whom the push excludes. This is based on the device as it is now.',
    })
    expect((await why('nobody')).explanation).toContain('it has no user, and the push addresses users')
  })

  test('that waits for its time goes to the devices that they have then', async () => {
    const { id } = (await push({ users: ['ann'], send_at: 3600 })).body
    await service.put('/deviceToken', { ...DEVICES.phone, user: '' })
    await service.put('/deviceToken', { ...DEVICES.nobody, user: 'ann' })
    clock.standStill(3_600_000)
    clock.advance(1000)
    const sql = 'SELECT released_at AS at FROM push WHERE id = ?'
    const released = service.database.reading<{ at: number | null }, [string]>(sql)
    await until(() => typeof released.get(id)?.at === 'number')
    const reached = await arrivalsOf(service, id)
    expect(reached.map(({ token }) => token).toSorted()).toEqual(tokensOf('tablet', 'nobody'))
  })

  test('names up to 10,000 of them', async () => {
    const users = Array.from({ length: 10_000 }, (_, n) => `user-${n}`)
    const some = [...users.slice(0, -2), 'ann', 'bob']
    expect(await tokensReached(service, await push({ users: some, except_users: users }))).toEqual(
      tokensOf('phone', 'tablet', 'bob'),
    )
    for (const field of ['users', 'except_users']) {
      expectFailure(
        await push({ [field]: [...users, 'one more'] }),
        400,
        'InvalidArgument',
        `${field} must have at most 10000 entries, not 10001.`,
      )
    }
  })

  test.each(['users', 'except_users'])('is refused where %s is not what it should be', async (field) => {
    const send = (value: unknown) => push({ [field]: value })
    await expectInvalid((value) => send(['fine', value]), `${field}[1]`, BAD_MEMBERS)
    await expectInvalid(send, field, [
      [5, 'must be an array of strings, not 5'],
      [{}, 'must be an array of strings, not an object'],
    ])
    expect((await service.get('/pushes')).body).toEqual([])
  })

  test('to "" is refused, and not a broadcast', async () => {
    expectFailure(await push({ users: '' }), 400, 'InvalidArgument', 'users must be 1 to 256 characters, not empty.')
    expect((await service.get('/pushes')).body).toEqual([])
  })
})
