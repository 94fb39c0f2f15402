import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Database } from '../../src/database/database.ts'
import { stablePlan } from '../../src/database/statement.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

test('a parameter gets a plus; what stands between quotes stays as it is', () => {
  expect(stablePlan("SELECT '?', 'it''s ?' FROM t WHERE a = ? AND b > ?2 LIMIT -?")).toBe(
    "SELECT '?', 'it''s ?' FROM t WHERE a = +? AND b > +?2 LIMIT -+?",
  )
})

describe('a statement has the same plan whatever is bound, and so need not be compiled anew', () => {
  /** For 1 alone SQLite could take the index. */
  const [before, after] = ['EXPLAIN QUERY PLAN SELECT a FROM t WHERE b = ', ' ORDER BY a'] as const
  const plans: Record<string, (database: Database, value: number) => unknown> = {
    'on the writing connection': (database, value) =>
      database.statement<unknown, [number]>(`${before}?${after}`).all(value),
    'on the reading connection': (database, value) =>
      database.reading<unknown, [number]>(`${before}?${after}`).all(value),
    'by drizzle': ({ orm }, value) => orm.all(sql`${sql.raw(before)}${value}${sql.raw(after)}`),
    'by drizzle, reading': ({ readingOrm }, value) => readingOrm.all(sql`${sql.raw(before)}${value}${sql.raw(after)}`),
  }

  test.each(Object.entries(plans))('%s', (_, planFor) => {
    using temporary = temporaryDatabase()
    const { database } = temporary
    database.statement<never, []>('CREATE TABLE t (a INTEGER, b INTEGER)').run()
    database.statement<never, []>('CREATE INDEX ones ON t (a) WHERE b = 1').run()
    const detailsFor = (value: number) => (planFor(database, value) as { detail: string }[]).map(({ detail }) => detail)
    expect(detailsFor(1)).toEqual(['SCAN t', 'USE TEMP B-TREE FOR ORDER BY'])
    expect(detailsFor(2)).toEqual(detailsFor(1))
  })
})
