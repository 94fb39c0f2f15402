import { describe, expect, test } from 'bun:test'
import type { Database } from '../../src/database/database.ts'
import type { Value } from '../../src/database/statement.ts'
import { MOVED, NOT_MOVED, NUMBERED } from '../../src/move/moved-tables.ts'
import { cellFrom, createRowMapping } from '../../src/move/row-mapping.ts'
import { createRowGuard } from '../../src/move/row-guard.ts'
import { columnsOf, createArrivalRows, highestNumbers, rowsOf } from '../../src/move/rows-store.ts'
import { ERASURE } from '../../src/server/erasure/erasure.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { fillFull, FULL } from './full-application.ts'

const AHEAD = 10_000
const RESEALED = Buffer.from('resealed')

/** Moves application 3 to a database where other applications have used up numbers. */
function move(from: Database, to: Database) {
  to.statement(`INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
    VALUES ('app_first', 'First', x'00', 0, 0, 0, 0, 0, 'day', 0)`).run()
  to.statement(`INSERT INTO device (id, application, platform, token, registered_at, seen_at, updated_at)
    VALUES (1000, 1, 1, 'first', 0, 0, 0)`).run()
  to.statement('INSERT INTO registry_day (day, ceiling) VALUES (1, 900)').run()
  const highest = highestNumbers(from)
  return to.transact(() => {
    const rows = createArrivalRows(to)
    const reserved = rows.reserve(highest)
    if (reserved === null) throw new Error('no numbers')
    for (const table of MOVED) {
      const columns = columnsOf(from, table)
      const map = createRowMapping(table, columns, 'app_full', {
        ...reserved,
        highest,
        aheadMs: AHEAD,
        reseal: () => RESEALED,
      })
      const cells = [...rowsOf(from, table, columns, 3)].map((row) =>
        columns.map((column) => cellFrom(row[column] ?? null)),
      )
      // As sent over the network.
      rows.inserter(table, columns)((JSON.parse(JSON.stringify(cells)) as typeof cells).map(map))
    }
    return reserved
  })
}

function shown(row: Readonly<Record<string, Value>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  )
}

describe('the tables of a move', () => {
  test('are all that there are: a new one is moved, or says why not', () => {
    using file = temporaryDatabase()
    const all = file.database
      .statement<{ name: string }, []>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .all()
      .map(({ name }) => name)
    expect([...MOVED.map(({ name }) => name), ...Object.keys(NOT_MOVED)].toSorted()).toEqual(all)
    expect(Object.keys(FULL).toSorted()).toEqual(
      MOVED.map(({ name }) => name)
        .filter((name) => name !== 'registry_size')
        .toSorted(),
    )
  })

  test('name every column that refers to a row, holds a device, a time of waiting or something sealed', () => {
    using file = temporaryDatabase()
    const referring = file.database.statement<{ column: string }, [string]>(
      `SELECT "from" AS "column" FROM pragma_foreign_key_list(?) WHERE "table" <> 'administrator'`,
    )
    for (const { name, local } of MOVED) {
      const erasure = (ERASURE as Readonly<Record<string, { columns: Readonly<Record<string, { holds: string }>> }>>)[
        name
      ]
      const ids = Object.entries(erasure?.columns ?? {}).filter(([, { holds }]) => holds === 'id' || holds === 'ids')
      const columns = columnsOf(file.database, MOVED.find((one) => one.name === name) ?? MOVED[0]!)
      const needed = [
        ...referring.all(name).map(({ column }) => column),
        ...ids.map(([column]) => column),
        ...columns.filter((column) =>
          ['sealed', 'audience', 'held_until', 'waits_until', 'due_at', 'device', 'push'].includes(column),
        ),
      ]
      expect([name, needed.filter((column) => !(column in local))]).toEqual([name, []])
      expect([name, Object.keys(local).filter((column) => !columns.includes(column))]).toEqual([name, []])
    }
  })
})

describe('a copy', () => {
  test('has every row with every value, but for what is local', () => {
    using source = temporaryDatabase()
    using target = temporaryDatabase()
    fillFull(source.database)
    const { application, shifts } = move(source.database, target.database)
    expect({ application, device: shifts.device }).toEqual({ application: 2, device: 1024 })
    for (const table of MOVED) {
      const columns = columnsOf(source.database, table)
      const before = [...rowsOf(source.database, table, columns, 3)].map(shown)
      const after = [...rowsOf(target.database, table, columns, application)].map(shown)
      expect([table.name, after.length]).toEqual([table.name, before.length])
      expect(before.length).toBeGreaterThan(0)
      const moved = (value: unknown, by: number) => (value === null ? null : Number(value) + by)
      const expected: Record<string, unknown>[] = []
      for (const row of before) {
        const there: Record<string, unknown> = { ...row }
        for (const [column, kind] of Object.entries(table.local)) {
          const value = row[column]
          if (kind === 'application') there[column] = application
          else if (kind === 'sealed') there[column] = value === null ? null : RESEALED.toString('hex')
          else if (kind === 'position') there[column] = moved(value, shifts.device)
          else if (kind === 'block') there[column] = moved(value, shifts.device / 512)
          else if (kind === 'time') there[column] = Number(value) > 1_000_000 ? value : moved(value, AHEAD)
          else if (NUMBERED.some((name) => name === kind)) there[column] = moved(value, shifts[kind as 'device'])
          else there[column] = expect.anything()
        }
        expected.push(there)
      }
      expect([table.name, after]).toEqual([table.name, expected as never])
    }
  })

  test('addresses the same devices and pushes in what is JSON', () => {
    using source = temporaryDatabase()
    using target = temporaryDatabase()
    fillFull(source.database)
    const { shifts } = move(source.database, target.database)
    const json = (sql: string) =>
      target.database
        .statement<{ text: string }, []>(sql)
        .all()
        .map(({ text }) => JSON.parse(text) as unknown)
    const [device, push] = [shifts.device, shifts.push]
    expect(json('SELECT audience AS text FROM push ORDER BY number')).toEqual([
      { filter: { platforms: [1], devices: [600 + device, 601 + device] } },
      { turn: { zones: [null], stayedSince: 1000 + AHEAD } },
      {
        filter: {
          platforms: [0],
          stayedSince: 1000 + AHEAD,
          missed: {
            pushes: [11 + push],
            unsent: [{ platform: 0, ranges: [[1 + device, 600 + device]], turn: { stayedSince: 5 + AHEAD } }],
          },
        },
        letGoAt: 3000 + AHEAD,
      },
      { device: 601 + device, platform: 1 },
      { filter: { platforms: [1], reached: { pushes: [11 + push] } } },
      { device: 601 + device, platform: 1 },
    ])
    expect(
      target.database.statement('SELECT takes_back FROM push WHERE takes_back IS NOT NULL ORDER BY number').all(),
    ).toEqual([{ takes_back: 11 + push }, { takes_back: 0 }])
    expect(json('SELECT ahead AS text FROM delivery ORDER BY push')).toEqual([[], [[601 + device, 610 + device]]])
    expect(json('SELECT devices AS text FROM badge_lease')).toEqual([[600 + device, 601 + device]])
  })

  test('leaves the numbers behind it to others, and does not count as registered today', () => {
    using source = temporaryDatabase()
    using target = temporaryDatabase()
    fillFull(source.database)
    const { shifts } = move(source.database, target.database)
    const highest = highestNumbers(source.database)
    const after = highestNumbers(target.database)
    for (const name of NUMBERED) expect([name, after[name]]).toEqual([name, shifts[name] + highest[name]])
    const day = target.database.statement<{ ceiling: number }, []>('SELECT ceiling FROM registry_day').get()
    // One had registered since the day began.
    expect(after.device - (day?.ceiling ?? 0)).toBe(100)
    const sizes = target.database.statement('SELECT devices, labels FROM registry_size WHERE application = 2').get()
    expect(sizes).toEqual({ devices: 2, labels: 2 })
    const networks = target.database.statement('SELECT network, labels FROM label_network').all()
    expect(networks).toEqual([{ network: '192.0.2.0/24', labels: 1 }])
  })

  test('takes no number that the application cannot have', () => {
    const table = MOVED.find(({ name }) => name === 'receipt')!
    const numbers = Object.fromEntries(NUMBERED.map((name) => [name, 10])) as Record<'device', number> as never
    const mapping = { application: 2, shifts: numbers, highest: numbers, aheadMs: 0, reseal: () => RESEALED }
    const map = createRowMapping(table, ['push', 'device'], 'app_full', mapping)
    expect(map([10, 3])).toEqual([20, 13])
    for (const device of [11, -1, 1.5, 'x', 2 ** 60]) {
      expect(() => map([10, device])).toThrow(new RangeError('receipt has a device that the application cannot have'))
    }
  })
})

describe('the guard of the rows', () => {
  const REFUSED = 'the application is being moved to another server'

  test('refuses every change of every table, and nothing of other applications', () => {
    using file = temporaryDatabase()
    const { database } = file
    fillFull(database)
    const guard = createRowGuard(database)
    database.transact(() => guard.put(3))
    for (const table of MOVED) {
      if (table.name === 'quota' || table.name === 'registry_size') continue
      const columns = columnsOf(database, table)
      const [row] = rowsOf(database, table, columns, 3)
      const values = columns.map((column) => row?.[column] ?? null)
      const list = columns.map((column) => `"${column}"`).join(', ')
      const one = columns.filter((_, at) => values[at] !== null)
      const where = one.map((column) => `"${column}" = ?`).join(' AND ')
      const given = values.filter((value) => value !== null)
      const write =
        (sql: string, ...params: Value[]) =>
        () =>
          database.statement<never, Value[]>(sql).run(...params)
      expect([table.name, write(`DELETE FROM "${table.name}" WHERE ${where}`, ...given)]).toEqual([
        table.name,
        expect.any(Function),
      ])
      expect(write(`DELETE FROM "${table.name}" WHERE ${where}`, ...given)).toThrow(REFUSED)
      expect(write(`UPDATE "${table.name}" SET "${one[0]}" = "${one[0]}" WHERE ${where}`, ...given)).toThrow(REFUSED)
      expect(
        write(`INSERT INTO "${table.name}" (${list}) VALUES (${columns.map(() => '?').join(', ')})`, ...values),
      ).toThrow(REFUSED)
    }
    const other = (sql: string) => database.statement(sql).run().changes
    expect(other('UPDATE device SET badge = 1 WHERE application = 2')).toBe(1)
    expect(other('DELETE FROM device WHERE application = 2')).toBe(1)
    database.transact(() => guard.end(3))
    expect(other('UPDATE device SET badge = 1 WHERE application = 3')).toBe(2)
  })

  test('lets rows be erased once another server has them, and not written', () => {
    using file = temporaryDatabase()
    const { database } = file
    fillFull(database)
    database.transact(() => createRowGuard(database).put(3))
    database
      .statement(
        `INSERT INTO application_move (id, application, name, phase, changed_at) VALUES ('app_full', 3, 'Full', 'gone', 0)`,
      )
      .run()
    expect(() => database.statement('UPDATE device SET badge = 1 WHERE id = 600').run()).toThrow(REFUSED)
    expect(database.statement('DELETE FROM device WHERE id = 600').run().changes).toBeGreaterThan(0)
  })
})
