import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { openDatabase } from '../../src/database/database.ts'
import { copyDatabase, readDatabaseFile, writeDatabaseFile } from '../../src/database/offline-database.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { layNewDatabase } from '../support/new-database.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

interface StoredPush {
  readonly sendAt?: number
  readonly releasedAt?: number | null
  readonly parent?: number
  /** On iOS. */
  readonly delivery?: { readonly finishedAt: number | null; readonly waiting?: number }
}

/** Data directories in a temporary one. The clock starts at 2026-11-20 12:00 UTC. */
export function dataDirectories() {
  const own = temporaryDirectory('bellhop-backup')
  const root = own.path
  const clock = createFakeClock()

  return {
    root,
    clock,
    path: (name: string) => join(root, name),

    /** With an application and devices. No process has it open. */
    make(name: string, devices = 3, application = 'Corner Shop'): string {
      const data = join(root, name)
      mkdirSync(data)
      // A copy: this process keeps its database open while statements live.
      const seed = join(root, `seed of ${name}`)
      mkdirSync(seed)
      layNewDatabase(seed)
      using database = openDatabase(seed)
      const made = createApplicationStore({ database, clock }).create(application)
      if (made.kind !== 'created') throw new Error(made.kind)
      copyDatabase(join(seed, 'bellhop.db'), join(data, 'bellhop.db'))
      this.register(data, devices)
      return data
    },

    /** Registers more devices now. */
    register(data: string, count: number): void {
      using database = writeDatabaseFile(join(data, 'bellhop.db'))
      database.transact(() => {
        for (let at = 0; at < count; at++) {
          database.run(
            `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at)
             VALUES (1, 0, ?1, ?2, ?2, ?2)`,
            crypto.getRandomValues(new Uint8Array(32)),
            clock.now(),
          )
        }
      })
    },

    /** Stores a push. Returns its number. */
    push(data: string, { sendAt, releasedAt = clock.now(), parent, delivery }: StoredPush): number {
      using database = writeDatabaseFile(join(data, 'bellhop.db'))
      const [{ number } = { number: 0 }] = database.all<{ number: number }>(
        `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at, send_at, released_at, parent)
         VALUES (?1, 1, '{"message":"Hello"}', '{"filter":{}}', 3, ?2, ?2 + 86400000, ?3, ?4, ?5) RETURNING number`,
        crypto.randomUUID(),
        clock.now(),
        sendAt ?? null,
        releasedAt,
        parent ?? null,
      )
      if (delivery === undefined) return number
      const { finishedAt, waiting = 0 } = delivery
      database.run(
        'INSERT INTO delivery (push, platform, application, lane, failed, finished_at) VALUES (?, 0, 1, 1, 1, ?)',
        number,
        finishedAt,
      )
      for (let device = 1; device <= waiting; device++) {
        database.run(
          `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
           VALUES (?, 0, ?, 'retry', 1, ?, 'TooManyRequests')`,
          number,
          device,
          clock.now(),
        )
      }
      return number
    },

    rows<Row>(path: string, sql: string): Row[] {
      using file = readDatabaseFile(path)
      return file.all<Row>(sql)
    },

    [Symbol.dispose]: () => own[Symbol.dispose](),
  }
}
