import { expect, test } from 'bun:test'
import { commandsBeside } from '../everyday-service.ts'
import { refused } from '../command-line.ts'

/** Throttled the first time, and accepted the second. */
const BUSY = 'bad42901'.padEnd(64, '0')
const OTHER = 'bad42901'.padEnd(64, '1')

const beside = await commandsBeside()

test('resend sends a push again to those it failed for, and says as what', async () => {
  const caller = beside.newCaller()
  for (const token of [BUSY, OTHER]) await caller.register({ token, platform: '0' })
  const { body } = await caller.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '', ttl: 1 })
  const state = async (id: string) => (await caller.get(`/push/${id}`)).body
  while ((await state(body.id)).state !== 'finished') await Bun.sleep(5)

  const shown = await beside.run(['resend', body.id.slice(0, 20), '--dry-run'])
  expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Would be sent to 2 devices.') })
  beside.service.limit(caller.application, { confirmAbove: 1 })
  expect(await beside.run(['resend', body.id])).toEqual(
    refused(1, 'The push addresses 2 devices, more than confirm-above 1: repeat it with --confirm 2, or with --yes.'),
  )
  const { exitCode, stdout } = await beside.run(['resend', body.id, '--confirm', '2', '--json'])
  const { id, ...rest } = JSON.parse(stdout)
  expect({ exitCode, rest }).toEqual({ exitCode: 0, rest: { state: 'accepted' } })
  while ((await state(id)).state !== 'finished') await Bun.sleep(5)
  expect(await state(id)).toMatchObject({ t: 2, s: 2 })
  expect(await beside.run(['resend', body.id])).toEqual(
    refused(1, `The push was already resent as ${id}: resend that one.`),
  )
  expect(await beside.run(['resend', id])).toEqual(
    refused(1, 'The push failed for no device that is still registered and in its audience.'),
  )
})
