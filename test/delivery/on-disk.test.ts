import { expect, test } from 'bun:test'
import { pushSent, registerDevice, startSending, tokenOf } from '../support/sending.ts'
import { until } from '../support/until.ts'

test('a push is sent when it is on disk, and not with the one before it that is so earlier', async () => {
  const held: (() => void)[] = []
  let isSlow = false
  const count = () => pushes.get()?.count ?? 0
  const { service, simulator } = await startSending({
    sync: (own) => ({
      now: () => own.now(),
      async later() {
        // The service may have a write of its own under way when the first push comes.
        if (isSlow && count() > 1) await new Promise<void>((resolve) => held.push(resolve))
        await own.later()
      },
    }),
  })
  await using _ = service
  const pushes = service.database.statement<{ count: number }, []>('SELECT count(*) AS count FROM push')
  const sent = (id: string) => pushSent(service, id)
  const push = (token: string) => service.post('/push/one', { platform: 0, token, msg: 'Hello', sound: '', badge: '' })
  const [one, other] = [tokenOf(0, 1), tokenOf(0, 2)]
  for (const token of [one, other]) await registerDevice(service, { platform: '0', token })
  // Now both may be sent at once.
  await sent((await push(one)).body.id)

  isSlow = true
  const first = push(one)
  await until(() => held.length === 1)
  const second = push(other)
  await until(() => count() === 3)
  held.shift()?.()
  const { body } = await first
  // The end of the first waits for the sync of the second.
  await until(() => simulator.arrivals().length > 1 && held.length === 1)
  await service.get('/feedback')
  const early = simulator.arrivals().map(({ token }) => token)
  isSlow = false
  for (const resolve of held) resolve()
  expect(early).toEqual([one, one])

  await Promise.all([sent(body.id), sent((await second).body.id)])
  expect(simulator.arrivals().map(({ token }) => token)).toEqual([one, one, other])
})
