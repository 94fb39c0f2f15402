import { describe, expect, test } from 'bun:test'
import { createAdminCaller } from '../../admin/admin-caller.ts'
import { fileService } from '../../support/file-service.ts'
import { tokensReached } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { expectInvalid } from '../../support/refusals.ts'

const PHONE = { token: 'a1'.repeat(32), platform: '0' }
const OLD = { token: 'phone:old', platform: '1' }
const SILENT = { token: 'phone:silent', platform: '1' }

const service = await fileService()

describe('app_version in PUT /deviceToken', () => {
  test('is kept as the app says it, and in the record where it is known', async () => {
    const caller = newCaller(service)
    for (const app_version of ['2.3.1', '2.4 (beta) 日本', 'x'.repeat(64)]) {
      expect(await caller.register({ ...PHONE, app_version })).toMatchObject({ app_version })
      expect(await caller.devices()).toMatchObject([{ app_version }])
    }
    expect(await caller.register({ ...PHONE, app_version: '' })).not.toHaveProperty('app_version')
  })

  test('is refused beyond 64 characters, and where it is no text', async () => {
    const caller = newCaller(service)
    const before = await caller.register({ ...PHONE, app_version: '2.3.1' })
    await expectInvalid((app_version) => caller.put('/deviceToken', { ...PHONE, app_version }), 'app_version', [
      [5, 'must be a string, not 5'],
      [['2'], 'must be a string, not an array'],
      ['x'.repeat(65), 'must be at most 64 characters'],
      ['2\n3', 'must not contain control characters'],
    ])
    expect(await caller.devices()).toEqual([before])
  })
})

test('a push finds devices by {"app_version": …} in where, and says why it leaves out others', async () => {
  const caller = newCaller(service)
  await caller.register({ ...PHONE, app_version: '2.3.1' })
  await caller.register({ ...OLD, app_version: '1.0' })
  await caller.register(SILENT)
  const push = async (where: object) => caller.post('/push/all', { platform: [0, 1], msg: 'Hello', where })
  const reached = async (where: object) => (await tokensReached(service, await push(where))).toSorted()
  expect(await reached({ app_version: '2.3.1' })).toEqual([PHONE.token])
  expect(await reached({ not: { app_version: '2.3.1' } })).toEqual([OLD.token, SILENT.token])
  expect(await reached({ any: [{ app_version: '1.0' }, { app_version: '2.3.1' }] })).toEqual([PHONE.token, OLD.token])
  expect(await reached({ all: [{ platform: '1' }, { app_version: '2.3.1' }] })).toEqual([])

  const { id } = (await push({ app_version: '2.3.1' })).body
  const { application } = caller
  const why = await service.get(`/push/${id}/device`, { application, headers: { token: OLD.token } })
  expect(why.body).toMatchObject({ verdict: 'excluded', excluded_by: ['where'] })
  const empty = await push({ app_version: '' })
  expect(empty.body.message).toBe('where.app_version must be 1 to 64 characters, not empty.')
})

test('administrators see it with the device', async () => {
  const caller = newCaller(service)
  await caller.register({ ...PHONE, app_version: '2.3.1' })
  const path = `/api/applications/${caller.application.id}/devices/search?q=${PHONE.token}`
  const { body } = await createAdminCaller(service)('GET', path)
  expect(body.devices[0].facts).toContainEqual({ name: 'app_version', label: 'App version', value: '2.3.1' })
})
