import { openDatabase } from '../../src/database/database.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { createFeedbackStore } from '../../src/device/feedback-store.ts'
import { createFakeClock } from './fake-clock.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** A device store on a database file of its own, with two applications: numbers 1 and 2. Erases `directory` at its end. */
export function openRegistry(directory = temporaryDirectory('bellhop-registry')) {
  const database = openDatabase(directory.path)
  const clock = createFakeClock()
  const insert = database.statement<never, [string, string, Uint8Array, number]>(
    `INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
     VALUES (?, ?, ?, 0, 1, 0, 1, 0, 'month', ?)`,
  )
  for (const name of ['first', 'second']) insert.run(`app_${name}`, name, new Uint8Array(32), clock.now())

  const devices = createDeviceStore({ database, clock })
  return {
    database,
    clock,
    devices,
    feedback: createFeedbackStore({ database }),
    /** How many devices an application has. */
    registered: (application: number) => devices.list(application, { limit: 1000 }).length,
    [Symbol.dispose]() {
      database[Symbol.dispose]()
      directory[Symbol.dispose]()
    },
  }
}
