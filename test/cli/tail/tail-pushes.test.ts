import { expect, test } from 'bun:test'
import { createPushTail } from '../../../src/cli/tail/tail-pushes.ts'
import { createPushChangesStore } from '../../../src/push/push-changes-store.ts'
import { createStatusStore } from '../../../src/push/status/status-store.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startService } from '../../support/service.ts'

test('a push that is released, or cancelled, before it is ever seen to wait is told of all the same', async () => {
  const clock = createFakeClock()
  await using service = await startService({ clock })
  const { database } = service
  const caller = newCaller(service)
  await caller.register({ token: 'a1'.repeat(32), platform: '0' })
  const tail = createPushTail({
    watch: createPushChangesStore({ database }),
    statuses: createStatusStore({ database }),
    application: null,
  })
  const later = { msg: 'Hello', sound: '', badge: '', platform: '0', send_at: 60 }
  const released: string = (await caller.post('/push/all', later)).body.id
  const cancelled: string = (await caller.post('/push/all', later)).body.id
  await caller.post(`/push/${cancelled}/cancel`, {})
  clock.advance(60_000)
  await service.logged(({ event, push }) => event === 'push sent' && push === released)

  const told = [...tail.look(clock.now())].map((event) => [event.type, 'push' in event ? event.push : null])
  expect(told).toEqual([
    ['push.accepted', released],
    ['push.accepted', cancelled],
    ['push.released', released],
    ['push.cancelled', cancelled],
    ['push.started', released],
    ['push.finished', released],
  ])
  expect([...tail.look(clock.now())]).toEqual([])
})
