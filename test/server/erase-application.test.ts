import { expect, test } from 'bun:test'
import { createEraseContents } from '../../src/server/erasure/erase-application.ts'
import { openRegistry } from '../support/registry.ts'

/** A device costs its own row and its labels. Rows that hang on one push make a transaction large. */
const MAX_CHANGES = 1100

test('no transaction grows with what hangs on a push', async () => {
  using registry = openRegistry()
  const { database } = registry
  database.transact(() => {
    database
      .statement<never, []>(
        `INSERT INTO push (number, id, application, notification, audience, ceiling, created_at, expires_at)
         VALUES (1, 'one', 1, '{}', '{}', 0, 0, 0)`,
      )
      .run()
    database
      .statement<never, []>(
        `WITH RECURSIVE n (device) AS (SELECT 1 UNION ALL SELECT device + 1 FROM n WHERE device < 5000)
         INSERT INTO receipt (push, device, event, at) SELECT 1, device, 0, 0 FROM n`,
      )
      .run()
    database
      .statement<never, []>(
        `WITH RECURSIVE n (device) AS (SELECT 1 UNION ALL SELECT device + 1 FROM n WHERE device < 5000)
         INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
         SELECT 1, 0, device, 'rejected', 1, 0, 'BadDeviceToken' FROM n`,
      )
      .run()
    const languages = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)`
    database
      .statement<never, []>(
        `${languages} INSERT INTO push_receipt (push, event, language, count) SELECT 1, 0, 'x-' || n, 1 FROM n`,
      )
      .run()
    database
      .statement<never, []>(
        `${languages} INSERT INTO delivery_language (push, platform, language, accepted) SELECT 1, 0, 'x-' || n, 1 FROM n`,
      )
      .run()
  })
  const total = database.statement<{ changes: number }, []>('SELECT total_changes() AS changes')
  const changes = () => total.get()?.changes ?? 0
  let most = 0
  const eraseContents = createEraseContents({ database }, async (work) => {
    const before = changes()
    const result = database.transact(work)
    most = Math.max(most, changes() - before)
    return result
  })
  await eraseContents(1)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(MAX_CHANGES)
  for (const table of ['push', 'receipt', 'push_receipt', 'push_exception', 'delivery_language']) {
    expect(database.statement<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 0 })
  }
})
