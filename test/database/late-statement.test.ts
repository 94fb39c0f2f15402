import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { late } from '../../src/database/late-statement.ts'
import { application } from '../../src/database/schema.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

test('a statement of drizzle is spelled when it is first run, and once', () => {
  using temporary = temporaryDatabase()
  const { orm } = temporary.database
  let spelled = 0
  const named = late(() => {
    spelled++
    return orm
      .select({ id: application.id })
      .from(application)
      .where(eq(application.name, sql.placeholder('name')))
      .prepare()
  })
  expect(spelled).toBe(0)
  expect(named.get({ name: 'nobody' })).toBeUndefined()
  expect(named.all({ name: 'nobody' })).toEqual([])
  expect(spelled).toBe(1)
})
