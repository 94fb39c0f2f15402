import { describe, expect, test } from 'bun:test'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import * as bad from '../../support/refusals.ts'
import { expectFailure, expectInvalid, expectRequired, statusesOf } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/deviceToken/del'
const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const EVERYTHING = { ...DEVICE, lat: '1', lng: '2', active: ['news'], tag: ['beta'], alias: 'user-17' }

const service = await fileService({ clock: createFakeClock() })

async function expectUnregistered(caller: Caller, device: object): Promise<void> {
  const answer = await caller.put(PATH, device)
  expect([answer.status, answer.body]).toEqual([200, { message: 'Device unregistered' }])
}

/** Rows in the database that belong to the application's devices. */
function rowsOf({ application }: Caller): { devices: number; labels: number } | null {
  const sql = `SELECT count(DISTINCT d.id) AS devices, count(l.label) AS labels
    FROM device d LEFT JOIN device_label l ON l.device = d.id
    WHERE d.application = (SELECT number FROM application WHERE id = ?)`
  return service.database.statement<{ devices: number; labels: number }, [string]>(sql).get(application.id)
}

describe('PUT /deviceToken/del', () => {
  test('answers 200 and erases the data of the device', async () => {
    const caller = newCaller(service)
    await caller.register(EVERYTHING)
    expect(rowsOf(caller)).toEqual({ devices: 1, labels: 2 })
    await expectUnregistered(caller, DEVICE)
    expect(rowsOf(caller)).toEqual({ devices: 0, labels: 0 })
    expect(await caller.devices()).toEqual([])
    const push = await caller.post('/push/one', { ...DEVICE, msg: 'Hello', sound: '', badge: '' })
    expectFailure(push, 404, 'ResourceNotFound', 'No device found')
  })

  test('is idempotent: 200 for a device already gone or never seen', async () => {
    const caller = newCaller(service)
    await expectUnregistered(caller, DEVICE)
    await caller.register(EVERYTHING)
    await expectUnregistered(caller, DEVICE)
    await expectUnregistered(caller, DEVICE)
    await caller.register(EVERYTHING)
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.put(PATH, DEVICE)))
    expect(statusesOf(answers)).toEqual({ 200: 5 })
    expect(rowsOf(caller)).toEqual({ devices: 0, labels: 0 })
  })

  test.each(['gone', 'quarantined'] as const)(
    'erases a %s device, and /feedback keeps what was said of it',
    async (state) => {
      const caller = newCaller(service)
      const device = { token: TOKEN_OF[state], platform: '0' }
      await caller.register({ ...EVERYTHING, ...device })
      await depart(caller, state)
      const { body: feedback } = await caller.get('/feedback')
      expect(rowsOf(caller)?.devices).toBe(1)
      await expectUnregistered(caller, device)
      expect(rowsOf(caller)).toEqual({ devices: 0, labels: 0 })
      expect((await caller.get('/feedback')).body).toEqual(feedback)
      const anew = { lat: null, active: [], tag: [], alias: null }
      expect(await caller.put('/deviceToken', device)).toMatchObject({ status: 201, body: anew })
    },
  )

  test('frees the alias of the device', async () => {
    const caller = newCaller(service)
    await caller.register(EVERYTHING)
    await expectUnregistered(caller, DEVICE)
    const taking = { token: 'b', platform: '1', alias: 'user-17' }
    expect(await caller.put('/deviceToken', taking)).toMatchObject({ status: 201, body: { alias: 'user-17' } })
  })

  test('touches no other device: not of the other platform, nor of another application, nor with another token', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    const before = await caller.register(EVERYTHING)
    await expectUnregistered(caller, { ...DEVICE, platform: '1' })
    await expectUnregistered(caller, { ...DEVICE, token: `b${DEVICE.token.slice(1)}` })
    await expectUnregistered(other, DEVICE)
    expect(await caller.devices()).toEqual([before])
  })

  test('reads platform as a number too, and ignores unknown fields', async () => {
    const caller = newCaller(service)
    await caller.register(EVERYTHING)
    await expectUnregistered(caller, { ...DEVICE, platform: 0, alias: 5, lat: 'x' })
    expect(await caller.devices()).toEqual([])
  })

  test('needs no secret, but an application', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    const answer = await caller.put(PATH, DEVICE, 'nobody')
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(await caller.devices()).toEqual([before])
    expect(await caller.put(PATH, DEVICE, 'device')).toMatchObject({ status: 200 })
    expect(await caller.devices()).toEqual([])
  })
})

describe('bad input to PUT /deviceToken/del erases nothing', () => {
  test('400: token and platform; 409 where one is missing, which is said before anything else', async () => {
    const caller = newCaller(service)
    const before = await caller.register(EVERYTHING)
    const send = (more: object) => caller.put(PATH, { ...DEVICE, ...more })
    await expectInvalid((token) => send({ token }), 'token', bad.BAD_TOKENS)
    await expectInvalid((platform) => send({ platform }), 'platform', bad.BAD_PLATFORMS)
    await expectRequired((token) => send({ token, platform: 5 }), 'token is required.')
    await expectRequired((platform) => send({ platform, token: 5 }), 'platform is required.')
    expectFailure(await caller.put(PATH, undefined), 409, 'MissingParameter', 'token is required.')
    expect(await caller.devices()).toEqual([before])
  })
})
