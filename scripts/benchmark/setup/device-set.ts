import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/database/database.ts'
import { prepareDevices } from './prepared-devices.ts'
import type { PreparedApplication } from './prepared-devices.ts'

/** A data directory with one application, its APNs credential, and iOS devices with three tags each. */
export interface DeviceSet extends PreparedApplication {
  readonly directory: string
  readonly count: number
}

/** Of the APNs credential in every set. */
const IDENTITY = { keyId: 'ABCDE12345', teamId: 'ABCDE12345', topic: 'com.example.bench' }

/** The unique user of `device.id` in a set with users. */
export function userOf(id: number): string {
  return `user-${id * USER_STEP}`
}

/** Gives neighbouring devices distant users. */
const USER_STEP = 7919

/** Takes three seconds for 1,000,000 devices. */
export function giveUsers({ directory }: DeviceSet): void {
  using database = openDatabase(directory)
  database.statement('PRAGMA synchronous = OFF').run()
  database.statement('PRAGMA cache_size = -1048576').run() // KiB
  database.transact(() => database.statement(`UPDATE device SET user = 'user-' || (id * ${USER_STEP})`).run())
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

/** Locales of a set's devices, in turns. */
export const LOCALES = ['de', 'fr', 'es']

export function giveLocales({ directory }: DeviceSet): void {
  using database = openDatabase(directory)
  const give = database.statement<never, [string, number]>(
    `UPDATE device SET locale = ? WHERE id % ${LOCALES.length} = ?`,
  )
  database.transact(() => {
    for (const [turn, locale] of LOCALES.entries()) give.run(locale, turn)
  })
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

/** Adds applications with as many devices as the first. */
export function giveApplications({ directory, count }: DeviceSet, applications: number): PreparedApplication[] {
  return Array.from({ length: applications }, (_, n) => prepareDevices(directory, count, IDENTITY, `bench-${n}`))
}

const made = new Map<string, DeviceSet>()

/** The set of `count` devices under `folder`, created on first use. Copy it before serving. */
export function deviceSet(folder: string, count: number): DeviceSet {
  const key = `${folder} ${count}`
  const known = made.get(key)
  if (known !== undefined) return known
  const directory = mkdtempSync(join(folder, `devices-${count}-`))
  const set = { directory, count, ...prepareDevices(directory, count, IDENTITY) }
  made.set(key, set)
  return set
}

/** A copy for a service to change, removed on dispose. Takes a second for 1,000,000 devices. */
export function copyOf(set: DeviceSet): DeviceSet & Disposable {
  const directory = `${set.directory}-${crypto.randomUUID().slice(0, 8)}`
  cpSync(set.directory, directory, { recursive: true })
  return { ...set, directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}
