import { expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { assert, constantFrom, double, oneof, property, record } from 'fast-check'
import { MIGRATIONS } from '../../../src/database/migration/migrations.ts'
import { cellOf } from '../../../src/device/index/place.ts'
import { openRegistry } from '../../support/registry.ts'

const aPlace = record({
  lat: oneof(double({ min: -90, max: 90, noNaN: true }), constantFrom(-90, -0.25, 0, 0.25, 90)),
  lng: oneof(double({ min: -180, max: 180, noNaN: true }), constantFrom(-180, -0.25, 0, 0.25, 180)),
})

test('cells are a quarter of a degree wide, and 180° is beside no other', () => {
  expect(cellOf(52.52, 13.405)).toBe(cellOf(52.74, 13.49))
  const different = [
    [52.52, 13.405],
    [52.76, 13.405],
    [52.52, 13.505],
    [-90, 180],
    [-89.75, -180],
    [90, 180],
    [90, -180],
  ] as const
  expect(new Set(different.map(([lat, lng]) => cellOf(lat, lng))).size).toBe(different.length)
})

test('the cell follows the place, however it is told', () => {
  using registry = openRegistry()
  const { database, devices } = registry
  const stored = database.statement<{ lat: number | null; lng: number | null; cell: number | null }, [string]>(
    'SELECT lat, lng, cell FROM device WHERE token = ?',
  )
  const device = { token: 'phone', platform: 0 } as const
  const follows = () => {
    const { lat = null, lng = null, cell = null } = stored.get('phone') ?? {}
    expect(cell).toBe(lat === null || lng === null ? null : cellOf(lat, lng))
    return [lat, lng]
  }
  devices.register(1, device)
  expect(follows()).toEqual([null, null])
  expect(devices.setLocation(1, { ...device, lat: 1, lng: 2 })).toBe('ok')
  expect(follows()).toEqual([1, 2])
  devices.register(1, device)
  expect(follows()).toEqual([1, 2])
  // In the same cell, in another, and on the other side of the date line.
  for (const [lat, lng] of [
    [1.1, 2.1],
    [1.1, 3],
    [1.1, 180],
    [1.1, -180],
  ] as const) {
    devices.register(1, { ...device, lat, lng })
    expect(follows()).toEqual([lat, lng])
  }
  devices.register(1, { token: 'phone', platform: 1, lat: -90, lng: 180 })
  follows()
  devices.unregister(1, 0, 'phone')
  devices.register(1, { ...device, lat: 5, lng: 6 })
  follows()
})

test('devices that were there before have the same cells', () => {
  using database = new Sqlite(':memory:')
  for (const { sql } of MIGRATIONS.slice(0, 4)) database.run(sql)
  database.run(
    `INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
     VALUES ('a', 'a', x'00', 0, 1, 0, 1, 0, 'month', 0)`,
  )
  let tokens = 0
  const insert = database.prepare<never, [string, number | null, number | null]>(
    `INSERT INTO device (application, platform, token, lat, lng, registered_at, seen_at, updated_at)
     VALUES (1, 0, ?, ?, ?, 0, 0, 0)`,
  )
  insert.run('nowhere', null, null)
  assert(
    property(aPlace, ({ lat, lng }) => void insert.run(`t${tokens++}`, lat, lng)),
    { numRuns: 1000 },
  )
  database.run(MIGRATIONS[4]?.sql ?? '')
  const rows = database.query<{ lat: number | null; lng: number | null; cell: number | null }, []>(
    'SELECT lat, lng, cell FROM device',
  )
  const found = rows.all()
  expect(found).toHaveLength(tokens + 1)
  for (const { lat, lng, cell } of found) expect(cell).toBe(lat === null || lng === null ? null : cellOf(lat, lng))
})
