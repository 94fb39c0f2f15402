import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../src/clock.ts'
import type { Sync } from '../../../src/database/database.ts'

const DATABASE = 'bellhop.db'
const LOG = 'bellhop.db-wal'
const KEY = 'key'

/** What a disk writes at once, or not at all. */
const SECTOR = 512

interface Options {
  /** Of this world alone. */
  readonly directory: string
  /** The data directory that the world begins with. */
  readonly template: string
  readonly clock: Pick<Clock, 'after'>
  /** In [0, 1); the same for the same words in a world. */
  readonly chance: (...words: (string | number)[]) => number
}

/** A disk that keeps what was synced, and of the rest at a crash what chance will have. */
export function createDisk({ directory, template, clock, chance }: Options) {
  let life = 0
  let syncs = 0
  const isSlow = chance('slow disk') < 0.15
  /** Bytes of the log that a sync has covered. */
  let durable = 0
  let isFailing = false
  let data = join(directory, '0')
  mkdirSync(data, { mode: 0o700 })
  for (const name of [KEY, DATABASE]) cpSync(join(template, name), join(data, name))

  const written = () => statSync(join(data, LOG), { throwIfNoEntry: false })?.size ?? 0

  return {
    /** The data directory of the process that lives now. */
    get data() {
      return data
    },

    /** Syncs that take their time, of which each covers what was written before it began. */
    sync: (own: Sync): Sync => ({
      later() {
        const covered = written()
        if (isFailing) {
          isFailing = false
          return Promise.reject(new Error('EIO'))
        }
        return new Promise((resolve) => {
          const at = chance('sync', life, syncs++)
          // A disk that has stalled for a moment, now and then; and one that is slow.
          const ms = at < 0.06 ? at * 30_000 : at * (isSlow ? 300 : 6)
          clock.after(ms, () => {
            durable = Math.max(durable, covered)
            resolve()
          })
        })
      },
      now() {
        own.now()
        durable = written()
      },
    }),

    /** Another process has written, and made sure of that. */
    synced: () => void (durable = written()),

    /** Whether the next sync fails: nobody knows what it has written. */
    setFailing: (to: boolean) => void (isFailing = to),

    /** The process, or the machine, has died: what the next one finds. `close`: closes the files. */
    crash(close: () => void): void {
      const database = readFileSync(join(data, DATABASE))
      const log = written() === 0 ? new Uint8Array() : readFileSync(join(data, LOG))
      close()
      rmSync(data, { recursive: true, force: true })
      life++
      data = join(directory, String(life))
      mkdirSync(data, { mode: 0o700 })
      cpSync(join(template, KEY), join(data, KEY))
      writeFileSync(join(data, DATABASE), database)
      const kept = keptOf(log, Math.min(durable, log.length), (...words) => chance('crash', life, ...words))
      if (kept.length > 0) writeFileSync(join(data, LOG), kept)
      durable = kept.length
    },

    /** The process has ended by itself: SQLite has moved the log into the database. */
    ended(): void {
      life++
      durable = written()
    },

    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** What is left of a log after a crash: what was synced; and of the rest all, nothing, a part, or sectors here and there. */
function keptOf(log: Uint8Array, durable: number, chance: (...words: (string | number)[]) => number): Uint8Array {
  const how = chance('how')
  if (how < 0.3) return log.slice(0, durable)
  if (how < 0.5) return log
  const sectors = Math.ceil((log.length - durable) / SECTOR)
  const end = Math.min(durable + Math.floor(chance('cut') * (sectors + 1)) * SECTOR, log.length)
  if (how < 0.75) return log.slice(0, end)
  const torn = log.slice()
  for (let sector = 0; sector < sectors; sector++) {
    if (chance('sector', sector) < 0.5)
      torn.subarray(durable + sector * SECTOR, durable + (sector + 1) * SECTOR).fill(0)
  }
  return torn
}
