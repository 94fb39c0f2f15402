import { expect, test } from 'bun:test'
import type { Application } from '../../src/application/application.ts'
import type { Commit } from '../../src/database/group-commit.ts'
import { createAccept } from '../../src/push/accept.ts'
import type { PushRequest } from '../../src/push/accept.ts'
import { createIdempotencyStore } from '../../src/push/idempotency-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { createScheduleStore } from '../../src/push/schedule/schedule-store.ts'
import { openRegistry } from '../support/registry.ts'

const APPLICATION: Application = {
  number: 1,
  id: 'app_first',
  name: 'first',
  secretHash: new Uint8Array(32),
  previousSecret: null,
  simulated: false,
  limits: {
    rate: 0,
    burst: 1,
    backendRate: 0,
    backendBurst: 1,
    quota: 0,
    quotaPeriod: 'month',
    confirmAbove: 0,
    holdSeconds: 0,
    maxLabels: 0,
    maxDevices: 0,
    pushId: true,
    secretEverywhere: false,
    verifyUsers: false,
    adoptImported: null,
  },
}

const REQUEST: PushRequest = {
  notification: { msg: 'Hello', sound: null, badge: null, payload: null },
  to: { kind: 'one', find: () => ({ device: 1, platform: 0 }) },
  when: { kind: 'now' },
  repeat: { key: 'order-17', digest: new Uint8Array(32), replace: false },
}

test('a repeat is not answered before what it repeats is on disk', async () => {
  using registry = openRegistry()
  const { database, clock } = registry
  const disk = Promise.withResolvers<void>()
  // Stored at once, and answered when the disk has it.
  const commit: Commit = async (operation) => {
    const result = database.transact(operation)
    await disk.promise
    return result
  }
  const accept = createAccept(
    { clock, commit },
    {
      pushes: createPushStore({ database }),
      schedule: createScheduleStore({ database }),
      idempotency: createIdempotencyStore({ database }),
      count: async () => 0,
    },
  )
  const answered: string[] = []
  const first = accept(APPLICATION, REQUEST).then(({ id }) => answered.push(id))
  const second = accept(APPLICATION, REQUEST).then(({ id }) => answered.push(id))
  // Everything that does not wait for the disk is over after a turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  expect(answered).toEqual([])
  disk.resolve()
  await Promise.all([first, second])
  expect(new Set(answered).size).toBe(1)
})
