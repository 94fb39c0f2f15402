import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../../src/application/application-store.ts'
import { systemClock } from '../../../src/clock.ts'
import { tokensReached } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { BAD_PLATFORMS, BAD_TOKENS, expectFailure, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'
import type { Answer } from '../../support/service.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const IOS = { platform: '0', token: 'a1'.repeat(32) }
const IOS_TOO = { platform: '0', token: 'a2'.repeat(32) }
const ANDROID = { platform: '1', token: 'phone:1' }
const HELLO = { msg: 'Hello', sound: 'default', badge: '1' }

const service = await fileService()

const reached = (answer: Answer) => tokensReached(service, answer)

async function expectNothingStored(during: () => Promise<unknown>): Promise<void> {
  const count = service.database.reading<object, []>('SELECT count(*) FROM push')
  const before = count.get()
  await during()
  expect(count.get()).toEqual(before)
}

function expectNoDevice(answer: Answer): void {
  expectFailure(answer, 404, 'ResourceNotFound', 'No device found')
}

describe('POST /push/one', () => {
  test('answers 200 with "Queued" and the id of the push, a UUID v7', async () => {
    const caller = newCaller(service)
    await caller.register(IOS)
    const answer = await caller.post('/push/one', { ...IOS, ...HELLO })
    expect(answer).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect(answer.body.id).toMatch(UUID_V7)
    expect(Object.keys(answer.body)).toEqual(['message', 'id'])
    const stored = service.database.reading<object, [string]>('SELECT 1 FROM push WHERE id = ?').get(answer.body.id)
    expect(stored).not.toBeNull()
  })

  test('reaches the device of that token, once, and no other', async () => {
    const caller = newCaller(service)
    for (const device of [IOS, IOS_TOO, ANDROID, { ...ANDROID, platform: '0' }]) await caller.register(device)
    for (const device of [IOS, IOS_TOO, ANDROID]) {
      expect(await reached(await caller.post('/push/one', { ...device, ...HELLO }))).toEqual([device.token])
    }
    expect(await reached(await caller.post('/push/one', { ...IOS, ...HELLO, platform: 0 }))).toEqual([IOS.token])
  })

  test('needs the secret', () =>
    expectNothingStored(async () => {
      const push = { ...IOS, ...HELLO }
      const asDevice = await service.post('/push/one', push, { as: 'device' })
      expectFailure(asDevice, 400, 'InvalidHeader', 'Authentication headers not found.')
      const wrong = await service.post('/push/one', push, { headers: { 'x-service-secret': 'wrong' } })
      expectFailure(wrong, 401, 'InvalidCredentials', 'Application ID and/or Secret unauthorized.')
    }))
})

describe('POST /push/one is refused, and nothing stored,', () => {
  const send = (more: object) => service.post('/push/one', { ...IOS, ...HELLO, ...more })

  for (const field of ['platform', 'token', 'msg', 'sound', 'badge']) {
    test(`without ${field}`, () => {
      const absent = field === 'sound' || field === 'badge' ? [undefined, null] : [undefined, null, '']
      return expectNothingStored(() =>
        expectRequired((value) => send({ [field]: value }), `${field} is required.`, absent),
      )
    })
  }

  test('and what is missing is reported before what is wrong', async () => {
    const answer = await service.post('/push/one', { platform: 'ios', token: 5, msg: 'x', sound: '' })
    expectFailure(answer, 409, 'MissingParameter', 'badge is required.')
  })

  test('for a platform that is none', () =>
    expectNothingStored(() => expectInvalid((platform) => send({ platform }), 'platform', BAD_PLATFORMS)))

  test('for a token that cannot be one', () =>
    expectNothingStored(() => expectInvalid((token) => send({ token }), 'token', BAD_TOKENS)))

  test('for a token that was never registered, of up to 4096 bytes', () =>
    expectNothingStored(async () => {
      expectNoDevice(await send({}))
      expectNoDevice(await send({ token: 'a'.repeat(4096) }))
      expectNoDevice(await send({ token: 'é'.repeat(2048) }))
    }))

  test('for a token of the other platform, or of another application', async () => {
    const [mine, theirs] = [newCaller(service), newCaller(service)]
    await mine.register(IOS)
    await theirs.register(IOS_TOO)
    await expectNothingStored(async () => {
      expectNoDevice(await mine.post('/push/one', { ...IOS, ...HELLO, platform: '1' }))
      expectNoDevice(await mine.post('/push/one', { ...IOS_TOO, ...HELLO }))
    })
  })

  test('for a device that is unregistered, or was declared gone or bad, until it registers again', async () => {
    const caller = newCaller(service)
    const devices = [TOKEN_OF.gone, TOKEN_OF.quarantined, IOS.token].map((token) => ({ token, platform: '0' }))
    for (const device of devices) await caller.register(device)
    await depart(caller, 'gone')
    await depart(caller, 'quarantined')
    await caller.put('/deviceToken/del', IOS)
    await expectNothingStored(async () => {
      for (const device of devices) expectNoDevice(await caller.post('/push/one', { ...device, ...HELLO }))
    })
    for (const device of devices) {
      await caller.register(device)
      expect(await caller.post('/push/one', { ...device, ...HELLO })).toMatchObject({ status: 200 })
    }
  })
})

test('a device that unregisters before its turn is not addressed, even if it registers again', async () => {
  // Without a credential: what is pushed waits for one.
  const application = service.addApplication('waiting', {}, false)
  for (const device of [IOS, IOS_TOO]) await service.put('/deviceToken', device, { application })
  const staying = await service.post('/push/one', { ...IOS, ...HELLO }, { application })
  const leaving = await service.post('/push/one', { ...IOS_TOO, ...HELLO }, { application })
  await service.put('/deviceToken/del', IOS_TOO, { application })
  await service.put('/deviceToken', IOS_TOO, { application })
  createApplicationStore({ database: service.database, clock: systemClock }).setSimulated(application.id, true)
  expect(await reached(staying)).toEqual([IOS.token])
  expect(await reached(leaving)).toEqual([])
})
