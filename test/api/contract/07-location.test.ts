import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { READABLE_DEGREES } from '../../support/degrees.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Service } from '../../support/service.ts'

const PATH = '/geo'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const PLACE = { lat: '52.52', lng: '13.405' }

const clock = createFakeClock()
let service: Service
beforeAll(async () => {
  service = await startService({ clock })
})
afterAll(() => service[Symbol.asyncDispose]())

async function expectSet(caller: Caller, body: object): Promise<void> {
  const answer = await caller.put(PATH, body)
  expect([answer.status, answer.body]).toEqual([200, { message: 'Location set' }])
}

function expectUnknown(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
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

  test('an unknown device is 404: never seen, of the other platform, or of another application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register(DEVICE)
    expectUnknown(await caller.put(PATH, { ...DEVICE, ...PLACE, token: 'unknown' }))
    expectUnknown(await caller.put(PATH, { ...DEVICE, ...PLACE, platform: '1' }))
    expectUnknown(await other.put(PATH, { ...DEVICE, ...PLACE }))
    expect(await caller.devices()).toEqual([before])
    expect(await other.devices()).toEqual([])
  })

  test.each(['gone', 'quarantined'] as const)('a device that is %s is unknown', async (state) => {
    const caller = newCaller(service)
    const device = { token: TOKEN_OF[state], platform: '0' }
    await caller.register(device)
    await depart(caller, state)
    expectUnknown(await caller.put(PATH, { ...device, ...PLACE }))
    expect(await caller.register(device)).toMatchObject({ lat: null, lng: null })
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    await caller.register(DEVICE)
    const answer = await caller.put(PATH, { ...DEVICE, ...PLACE }, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.devices()).toMatchObject([{ lat: null, lng: null }])
    expect(await caller.put(PATH, { ...DEVICE, ...PLACE }, 'device')).toMatchObject({ status: 200 })
    expect(await caller.devices()).toMatchObject([PLACE])
  })
})

describe('bad input to PUT /geo changes nothing', () => {
  test.each([
    ['token', bad.BAD_TOKENS],
    ['platform', bad.BAD_PLATFORMS],
    ['lat', bad.badDegrees(90)],
    ['lng', bad.badDegrees(180)],
  ] as const)('400: %s', async (field, values) => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...PLACE })
    clock.advance(1000)
    const send = (value: unknown) => caller.put(PATH, { ...DEVICE, lat: 1, lng: 2, [field]: value })
    await expectInvalid(send, field, values)
    expect(await caller.devices()).toEqual([before])
  })

  test('409: platform, token, lat or lng is missing, which is said before anything else', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...DEVICE, ...PLACE })
    for (const field of ['platform', 'token', 'lat', 'lng']) {
      const wrong = { platform: 5, token: 5, lat: 'x', lng: 'x' }
      await expectRequired((value) => caller.put(PATH, { ...wrong, [field]: value }), `${field} is required.`)
    }
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'platform is required.')
    expect(await caller.devices()).toEqual([before])
  })
})
