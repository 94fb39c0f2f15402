import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/database/database.ts'
import { prepareDevices } from './prepared-devices.ts'
import type { PreparedApplication } from './prepared-devices.ts'

/** A data directory with one application, its APNs credential and its devices, all iOS, each with three tags. */
export interface DeviceSet extends PreparedApplication {
  readonly directory: string
  readonly count: number
}

/** The signing key's names in the credential of every set. */
const IDENTITY = { keyId: 'ABCDE12345', teamId: 'ABCDE12345', topic: 'com.example.bench' }

/** The user of device `id`, `device.id`, of a set with users: each has one of its own. */
export function userOf(id: number): string {
  return `user-${id * USER_STEP}`
}

/** So that devices that lie beside each other have users that do not. */
const USER_STEP = 7919

/** Gives each device of a copy its user. Three seconds for 1,000,000 devices. */
export function giveUsers({ directory }: DeviceSet): void {
  using database = openDatabase(directory)
  database.statement('PRAGMA synchronous = OFF').run()
  database.statement('PRAGMA cache_size = -1048576').run() // KiB
  database.transact(() => database.statement(`UPDATE device SET user = 'user-' || (id * ${USER_STEP})`).run())
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

/** Of the devices of a set with locales, in turns. */
export const LOCALES = ['de', 'fr', 'es']

/** Gives each device of a copy its locale. */
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

/** Gives a copy further applications, each with as many devices as the first. */
export function giveApplications({ directory, count }: DeviceSet, applications: number): PreparedApplication[] {
  return Array.from({ length: applications }, (_, n) => prepareDevices(directory, count, IDENTITY, `bench-${n}`))
}

const made = new Map<string, DeviceSet>()

/** The set of `count` devices under `folder`, prepared on first use and left as it is: to be copied, not served from. */
export function deviceSet(folder: string, count: number): DeviceSet {
  const key = `${folder} ${count}`
  const known = made.get(key)
  if (known !== undefined) return known
  const directory = mkdtempSync(join(folder, `devices-${count}-`))
  const set = { directory, count, ...prepareDevices(directory, count, IDENTITY) }
  made.set(key, set)
  return set
}

/** A copy to run the service on, which changes it; removed when disposed. A second for 1,000,000 devices. */
export function copyOf(set: DeviceSet): DeviceSet & Disposable {
  const directory = `${set.directory}-${crypto.randomUUID().slice(0, 8)}`
  cpSync(set.directory, directory, { recursive: true })
  return { ...set, directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}
