import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PLAIN, PLAIN_FACTS } from '../../src/device/columns.ts'
import type { PlainName } from '../../src/device/columns.ts'
import { deviceRecordOf } from '../../src/device/device-record.ts'
import { RegisterDevice } from '../../src/device/device-schema.ts'
import { createExportStore } from '../../src/device/transfer/export-store.ts'
import { createImportStore } from '../../src/device/transfer/import-store.ts'
import { deviceLine } from '../../src/transfer/bellhop-lines.ts'
import { rowReader } from '../../src/transfer/rows.ts'
import { BEGINNING } from '../../src/transfer/split.ts'
import { openRegistry } from '../support/registry.ts'

/** Two values that each column may have, as an app says them. */
const VALUES: Readonly<Record<PlainName, readonly [string, string]>> = {
  user: ['ann', 'bob'],
  timezone: ['Europe/Berlin', 'America/New_York'],
  locale: ['de', 'pt-BR'],
  app_version: ['2.3.1', '2.4.0-beta'],
  client: ['web/1.2.0', 'kotlin/1.3.0'],
  fcm_platform: ['ios', 'android'],
}

let registry: ReturnType<typeof openRegistry>
beforeEach(() => {
  registry = openRegistry()
})
afterEach(() => registry[Symbol.dispose]())

/** Registers by a body of PUT /deviceToken; gives the record. */
function register(body: object, token = 'phone:1') {
  const { value } = RegisterDevice['~standard'].validate({ token, platform: '1', ...body })
  const { device } = registry.devices.register(1, value)
  const found = registry.devices.find(1, token)
  expect(found).toEqual(device)
  return deviceRecordOf(device)
}

/** Exports the devices of the first application, and imports them into the second. */
function copied() {
  const { database, clock, devices } = registry
  const store = createImportStore({ database, clock })
  const read = rowReader({
    name: 'bellhop',
    shape: { kind: 'lines' },
    map: new Map(),
    platform: null,
    noBrowsers: null,
    now: clock.now(),
  })
  const lines = [...createExportStore({ database }).devices(1)].flat().map(deviceLine)
  for (const text of lines) {
    for (const row of read({ line: 1, text, key: null, broken: false, next: BEGINNING })) {
      if (row.kind !== 'device') throw new Error(JSON.stringify(row.complaints))
      store.put(2, row.device, { replace: true })
    }
  }
  return devices.find(2, 'phone:1')
}

describe.each(PLAIN)('the plain column %s', (name) => {
  const [value, other] = VALUES[name]

  test('is what the app said last, and stays where it says nothing', () => {
    expect(register({})).not.toHaveProperty(name)
    expect(register({ [name]: value })).toHaveProperty(name, value)
    expect(register({})).toHaveProperty(name, value)
    expect(register({ [name]: null })).toHaveProperty(name, value)
    expect(register({ [name]: other })).toHaveProperty(name, other)
    if (PLAIN_FACTS[name].codes === undefined) expect(register({ [name]: '' })).not.toHaveProperty(name)
  })

  test('stays with a device whose token changes, unless the app says another', () => {
    register({ [name]: value })
    expect(register({ replaces: 'phone:1' }, 'phone:2')).toHaveProperty(name, value)
    expect(register({ replaces: 'phone:2', [name]: other }, 'phone:3')).toHaveProperty(name, other)
    register({ [name]: value }, 'phone:4')
    expect(register({ replaces: 'phone:3' }, 'phone:4')).toHaveProperty(name, value)
  })

  test('goes out with an export, and in with an import, over one that is there', () => {
    register({ [name]: value })
    expect(copied()).toHaveProperty(name, value)
    register({ [name]: other })
    expect(copied()).toHaveProperty(name, other)
    if (PLAIN_FACTS[name].codes !== undefined) return
    register({ [name]: '' })
    expect(copied()).toHaveProperty(name, null)
  })
})
