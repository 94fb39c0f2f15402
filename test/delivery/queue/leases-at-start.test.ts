import { expect, test } from 'bun:test'
import { openDatabase } from '../../../src/database/database.ts'
import { EVERYBODY } from '../../audience/population.ts'
import { passing } from '../../support/passing.ts'
import { registerDevices, startSending, tokensOf } from '../../support/sending.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'

/** More than the leases of two steps. */
const DEVICES = 600

/** The push that the last run was sending. */
const ID = '019a9f7e-3c1b-7000-8000-000000000000'

test('all whom the last run had leased are sent to, each once, and who was accepted meanwhile too', async () => {
  using own = temporaryDirectory('bellhop-leases')
  const data = own.path
  const first = await startSending({ data })
  const { application } = first.service
  await registerDevices(first.service, 0, tokensOf(0, DEVICES))
  await first.service[Symbol.asyncDispose]()
  const now = first.clock.now()
  {
    using database = openDatabase(data)
    for (const sql of [
      `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at, released_at)
       VALUES ('${ID}', 1, '{"msg":"Hello","sound":null,"badge":null,"payload":null}',
         '${JSON.stringify({ filter: EVERYBODY })}', ${DEVICES}, ${now}, ${now + 3_600_000}, ${now})`,
      `INSERT INTO delivery (push, platform, application, lane, progress, addressed, settled, expires_at)
       VALUES (1, 0, 1, 1, ${DEVICES}, ${DEVICES}, ${DEVICES}, ${now + 3_600_000})`,
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
       SELECT 1, 0, id, 'leased', 1, ${now + 60_000}, 'ServiceUnavailable' FROM device`,
    ]) {
      database.statement(sql).run()
    }
  }
  const { service, simulator, clock } = await startSending({ data, application })
  await using _ = service
  const started = clock.now()
  const one = { platform: '0', token: tokensOf(0, 1)[0], msg: 'Meanwhile', sound: '', badge: '' }
  expect(await service.post('/push/one', one)).toMatchObject({ status: 200 })
  await passing(
    service,
    clock,
    until(() => simulator.arrivals().length === DEVICES + 1),
  )
  // A lease is 60 seconds.
  expect(clock.now() - started).toBeLessThan(20_000)
  const leased = simulator.arrivals().filter(({ collapse }) => collapse === ID)
  expect(new Set(leased.map(({ token }) => token)).size).toBe(DEVICES)
  await until(() => {
    const sql = 'SELECT count(*) AS open FROM delivery WHERE finished_at IS NULL'
    return service.database.statement<{ open: number }, []>(sql).get()?.open === 0
  })
})
