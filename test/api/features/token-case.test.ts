import { beforeEach, describe, expect, test } from 'bun:test'
import { newTenant } from '../../support/caller.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { acceptedPush } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'

/* Some apps write the hex of Apple's token in upper case: it is the same device, by whatever door it comes. */

const TOKEN = 'ab12cdef'.repeat(8)
const UPPER = TOKEN.toUpperCase()
const OTHER = 'cd'.repeat(32)
const DEVICE = { token: UPPER, platform: '0' }

const { service: shared } = await fileSending()
let service: Service
beforeEach(() => {
  service = newTenant(shared)
})

async function put(path: string, body: object, as: 'device' | 'backend' = 'backend') {
  const answer = await service.put(path, body, { as })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

const all = async () => (await service.get('/deviceToken/all')).body as { token: string; tag: string[] }[]
const tokens = async () => (await all()).map(({ token }) => token)

describe('an APNs token in upper case', () => {
  test('is registered in lower case, once, whichever way it is written', async () => {
    expect(await put('/deviceToken', { ...DEVICE, tag: ['a'] }, 'device')).toMatchObject({ token: TOKEN })
    expect(await put('/deviceToken', { token: TOKEN, platform: '0' }, 'device')).toMatchObject({ tag: ['a'] })
    const batch = { tokens: [UPPER, TOKEN, OTHER.toUpperCase()], platform: '0', tags: ['b'] }
    expect(await put('/deviceToken/batch', batch)).toMatchObject({ imported: 2, created: 1, updated: 1 })
    expect(await tokens()).toEqual([TOKEN, OTHER])
  })

  test('gets one push', async () => {
    await put('/deviceToken', DEVICE, 'device')
    await put('/deviceToken', { token: TOKEN, platform: '0' }, 'device')
    const id = await acceptedPush(service, '/push/all', { platform: ['0'] })
    expect((await arrivalsOf(service, id)).map(({ token }) => token)).toEqual([TOKEN])
  })

  test('names the device in each call that takes a token', async () => {
    await put('/deviceToken', { token: TOKEN, platform: '0' }, 'device')
    await put('/alias', { ...DEVICE, alias: 'ann' })
    await put('/tag', { ...DEVICE, tag: 'vip' })
    await put('/geo', { ...DEVICE, lat: 1, lng: 2 })
    await put('/badge', { ...DEVICE, setbadgecount: 4 })
    const found = { token: TOKEN, alias: 'ann', tag: ['vip'], lat: '1', lng: '2', badge: 4 }
    expect((await service.get('/deviceToken/one', { headers: { token: UPPER } })).body).toMatchObject(found)
    expect((await service.get('/deviceToken/one', { headers: DEVICE })).body).toMatchObject(found)
    await put('/tag/del', { ...DEVICE, tag: 'vip' })
    expect((await all())[0]?.tag).toEqual([])
    await put('/deviceToken/del', DEVICE)
    expect(await tokens()).toEqual([])
  })

  test('may be replaced by another, and take the place of one', async () => {
    await put('/deviceToken', { token: TOKEN, platform: '0', tag: ['a'] }, 'device')
    await put('/deviceToken', { token: OTHER.toUpperCase(), platform: '0', replaces: UPPER }, 'device')
    expect(await all()).toMatchObject([{ token: OTHER, tag: ['a'] }])
    // It is the same, so that nothing is replaced.
    await put('/deviceToken', { token: OTHER, platform: '0', replaces: OTHER.toUpperCase() }, 'device')
    expect(await all()).toMatchObject([{ token: OTHER, tag: ['a'] }])
  })

  test('is the one that a push is for', async () => {
    await put('/deviceToken', { token: TOKEN, platform: '0' }, 'device')
    await put('/deviceToken', { token: OTHER, platform: '0' }, 'device')
    const id = await acceptedPush(service, '/push/one', DEVICE)
    expect((await arrivalsOf(service, id)).map(({ token }) => token)).toEqual([TOKEN])
    for (const headers of [{ token: UPPER }, DEVICE]) {
      expect(await service.get(`/push/${id}/device`, { headers })).toMatchObject({
        status: 200,
        body: { platform: '0', excluded_by: [] },
      })
    }
  })

  test('of another platform stays as it is: what is not hex of Apple, others can tell apart', async () => {
    await put('/deviceToken', { token: UPPER, platform: '1' }, 'device')
    await put('/deviceToken', { token: TOKEN, platform: '1' }, 'device')
    await put('/deviceToken', { token: 'ABCDEF', platform: '0' }, 'device')
    expect(await tokens()).toEqual([UPPER, TOKEN, 'ABCDEF'])
  })
})
