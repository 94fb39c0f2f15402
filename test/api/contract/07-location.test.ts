import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { READABLE_DEGREES } from '../../support/degrees.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/geo'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const PLACE = { lat: '52.52', lng: '13.405' }

const clock = createFakeClock()
const service = await fileService({ clock })

async function expectSet(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([200, { message: 'Location set' }])
}

describe('PUT /geo', () => {
  test('adds and updates the location of the device, and changes nothing else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, tag: ['a'], active: ['n'], alias: 'user-17' })
    const other = await caller.register({ token: 'other', platform: '0', lat: 1, lng: 2 })
    for (const place of [PLACE, { lat: '-33.8688', lng: '151.2093' }]) {
      clock.advance(1000)
      await expectSet(caller, { ...DEVICE, ...place })
      const updated = new Date(clock.now()).toISOString()
      expect(await caller.devices()).toEqual([{ ...before, ...place, updated_at: updated }, other])
    }
    expect(await caller.register(DEVICE)).toMatchObject({ lat: '-33.8688', lng: '151.2093' })
  })

  test('reads lat and lng as strings or numbers, stores numbers and writes decimal strings', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    for (const [given, written] of READABLE_DEGREES) {
      await expectSet(caller, { ...DEVICE, lat: given, lng: given })
      const [device] = await caller.devices()
      expect([given, device?.lat, device?.lng]).toEqual([given, written, written])
    }
    const sql = 'SELECT DISTINCT typeof(lat) || typeof(lng) AS types FROM device WHERE lat IS NOT NULL'
    expect(service.database.statement<{ types: string }, []>(sql).all()).toEqual([{ types: 'realreal' }])
  })

  test('takes latitudes to 90 and longitudes to 180 degrees', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    for (const place of [
      { lat: '90', lng: '180' },
      { lat: '-90', lng: '-180' },
      { lat: '0', lng: '0' },
    ]) {
      await expectSet(caller, { ...DEVICE, ...place })
      expect(await caller.devices()).toMatchObject([place])
    }
  })

  test('reads platform as a number too, and ignores unknown fields', async () => {
    const caller = newCaller(service)
    await caller.register({ ...DEVICE, platform: '1' })
    await expectSet(caller, { ...DEVICE, platform: 1, ...PLACE, alias: 5, tag: ['x'] })
    expect(await caller.devices()).toMatchObject([{ ...PLACE, alias: null, tag: [] }])
  })
})
