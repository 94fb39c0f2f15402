import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import type { Clock } from '../../../src/clock.ts'
import type { CheckpointOverrides } from '../../../src/database/checkpoint/checkpointer.ts'
import type { Sync } from '../../../src/database/database.ts'
import { moveLog } from '../../../src/database/checkpoint/move-log.ts'
import { hasSynced } from './connections.ts'
import { followLog, isBefore, LOG_HEAD_BYTES, sizeOf } from './log-position.ts'
import { keptOf, mixedOf } from './torn.ts'

const DATABASE = 'bellhop.db'
const LOG = 'bellhop.db-wal'
const INDEX = 'bellhop.db-shm'
const KEY = 'key'

interface Options {
  /** Of this world. */
  readonly directory: string
  /** The initial data directory. */
  readonly template: string
  readonly clock: Pick<Clock, 'after'>
  /** In [0, 1), the same for the same words in a world. */
  readonly chance: (...words: (string | number)[]) => number
}

/** A disk that keeps what was synced, and at a crash a random part of the rest. */
export function createDisk({ directory, template, clock, chance }: Options) {
  let life = 0
  let syncs = 0
  let moves = 0
  const isSlow = chance('slow disk') < 0.15
  let isFailing = false
  let data = join(directory, '0')
  mkdirSync(data, { mode: 0o700 })
  for (const name of [KEY, DATABASE]) copyFileSync(join(template, name), join(data, name))
  let log = followIn(data)
  /** Covered by a sync. */
  let durable = log.position()
  /** The log before it last restarted: unsynced parts of the new one show its content. */
  const logBefore = join(directory, 'log-before')
  let hasLogBefore = false
  /** The last synced database file, if the current one differs. */
  const databaseBefore = join(directory, 'database-before')
  let hasDatabaseBefore = false

  const pathOf = (name: string) => join(data, name)
  const covered = (position = log.position()) => void (durable = isBefore(durable, position) ? position : durable)

  /** Checkpoints like the service's thread. A reader keeps the log from restarting in the meantime. */
  async function move(path: string): Promise<string | null> {
    if (!hasDatabaseBefore) copyFileSync(path, databaseBefore)
    const reader = new Database(path, { readonly: true })
    reader.run('BEGIN')
    // Reads without looking at the schema.
    reader.run('PRAGMA user_version')
    const problem = moveLog(path)
    hasDatabaseBefore = true
    const isSafe = hasSynced()
    // SQLite syncs the log before it writes the file (sqlite.org/wal, "Checkpointing").
    if (isSafe) covered()
    const at = chance('move', life, moves++)
    const ms = at < 0.2 ? at * 7500 : at * (isSlow ? 400 : 80)
    await new Promise<void>((resolve) => void clock.after(ms, resolve))
    if (isSafe) hasDatabaseBefore = false
    copyFileSync(pathOf(LOG), logBefore)
    hasLogBefore = true
    reader.close()
    return problem
  }

  return {
    /** Of the current process. */
    get data() {
      return data
    },

    /** Slow syncs. Each covers what was written before it began. */
    sync: (own: Sync): Sync => ({
      later() {
        const position = log.position()
        if (isFailing) {
          isFailing = false
          return Promise.reject(new Error('EIO'))
        }
        return new Promise((resolve) => {
          const at = chance('sync', life, syncs++)
          // Sometimes a stall, and on a slow disk always slow.
          const ms = at < 0.06 ? at * 30_000 : at * (isSlow ? 300 : 6)
          clock.after(ms, () => {
            covered(position)
            resolve()
          })
        })
      },
      now() {
        own.now()
        covered()
      },
    }),

    /** Some worlds checkpoint often, since their log never gets long. */
    checkpoints: (chance('short log') < 0.35
      ? { logPages: 15 + Math.floor(chance('log pages') * 80), move }
      : {}) satisfies CheckpointOverrides,

    /** Another process has written and synced. */
    synced: () => covered(),

    /** Makes the next sync fail with an unknown result. */
    setFailing: (to: boolean) => void (isFailing = to),

    /** The process or machine died: prepares what the next one finds. `close`: closes the files. */
    crash(close: () => void): void {
      const words = (...more: (string | number)[]) => chance('crash', life + 1, ...more)
      const next = join(directory, String(life + 1))
      mkdirSync(next, { mode: 0o700 })
      copyFileSync(join(template, KEY), join(next, KEY))
      // Copied first: closing the last connection makes SQLite checkpoint.
      const database = join(next, DATABASE)
      copyFileSync(pathOf(DATABASE), database)
      if (hasDatabaseBefore)
        writeFileSync(database, mixedOf(readFileSync(databaseBefore), readFileSync(database), words))
      const written = sizeOf(pathOf(LOG)) === 0 ? new Uint8Array() : readFileSync(pathOf(LOG))
      const before = hasLogBefore ? readFileSync(logBefore) : new Uint8Array()
      const position = log.position()
      // When the log restarts, SQLite syncs its head before any frame (sqlite.org/walformat).
      const bytes = durable.turn === position.turn ? durable.bytes : LOG_HEAD_BYTES
      log[Symbol.dispose]()
      close()
      rmSync(data, { recursive: true, force: true })
      life++
      data = next
      const kept = keptOf({ log: written, durable: Math.min(bytes, written.length), before }, words)
      if (kept.length > 0) writeFileSync(pathOf(LOG), kept)
      begin()
    },

    /** The process ended by itself, and SQLite checkpointed. */
    ended(): void {
      log[Symbol.dispose]()
      life++
      begin()
    },

    [Symbol.dispose]() {
      log[Symbol.dispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }

  function begin(): void {
    log = followIn(data)
    durable = { turn: 0, bytes: sizeOf(pathOf(LOG)) }
    hasLogBefore = false
    hasDatabaseBefore = false
  }
}

function followIn(data: string) {
  return followLog(join(data, LOG), join(data, INDEX))
}
