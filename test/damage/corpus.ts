import { Database as Sqlite } from 'bun:sqlite'
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../src/database/migration/migrations.ts'
import { oldDatabase } from '../support/old-database.ts'

/** Damage to a data directory by a disk, a person or a program. */
export interface Damage {
  readonly name: string
  /** `data`: a copy of `makeSound`'s directory. */
  apply(data: string): void
}

const PAGE_BYTES = 4096

/** In every page header (sqlite.org/fileformat2, 1.6): type, number of cells, and their start. */
const HEADER_PLACES = [0, 4, 6]

/** The first page begins with the file's header. */
const FILE_HEADER_BYTES = 100

/** Rows in every table, some only in the WAL. */
export function makeSound(directory: string): void {
  const making = `${directory}-making`
  const path = oldDatabase(making, MIGRATIONS.at(-1)?.number ?? 0, { simulated: true })
  using database = new Sqlite(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const insert = database.query(
    `INSERT INTO device (application, platform, token, alias, registered_at, seen_at, updated_at) VALUES (1, 0, ?, ?, 0, 0, 0)`,
  )
  const add = (from: number, to: number) => {
    for (let n = from; n < to; n++) insert.run(Bun.SHA256.hash(`${n}`), `alias ${n}`)
  }
  add(0, 200)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  add(200, 220)
  // Closing would remove the WAL.
  cpSync(making, directory, { recursive: true })
  rmSync(join(directory, 'bellhop.db-shm'), { force: true })
  rmSync(making, { recursive: true, force: true })
}

export function corpusOf(sound: string): readonly Damage[] {
  const pages = statSync(join(sound, 'bellhop.db')).size / PAGE_BYTES
  const numbers = Array.from({ length: pages }, (_, page) => page)
  return [
    ...numbers.flatMap((page) => placesIn(page).map((place) => flipped(page, place))),
    ...numbers.flatMap((page) => [cut(page * PAGE_BYTES), cut(page * PAGE_BYTES + 1000)]),
    ...inTheLog(sound),
    ...OTHERS,
  ]
}

/** In the header, and at pseudo-random offsets, the same in each run. */
function placesIn(page: number): readonly number[] {
  const header = page === 0 ? FILE_HEADER_BYTES : 0
  const within = Number(Bun.hash.wyhash(`page ${page}`) % BigInt(PAGE_BYTES - 200))
  return [...(page === 0 ? [0, 18, 24, 28, 44, 56, 60] : []), ...HEADER_PLACES.map((at) => header + at), 200 + within]
}

function flipped(page: number, place: number): Damage {
  return {
    name: `page ${page + 1}, byte ${place} flipped`,
    apply: (data) => flip(join(data, 'bellhop.db'), page * PAGE_BYTES + place),
  }
}

function cut(bytes: number): Damage {
  return { name: `cut to ${bytes} bytes`, apply: (data) => truncateSync(join(data, 'bellhop.db'), bytes) }
}

function inTheLog(sound: string): readonly Damage[] {
  const log = (data: string) => join(data, 'bellhop.db-wal')
  const { size } = statSync(log(sound))
  // In the WAL's header, a frame's header, and its page (sqlite.org/fileformat2, 4.1).
  const places = [0, 8, 20, 24, 32, 36, 48, 1000, PAGE_BYTES + 60, size - 10]
  return [
    ...places.map((place) => ({
      name: `log, byte ${place} flipped`,
      apply: (data: string) => flip(log(data), place),
    })),
    ...[0, 10, 32, 100, size - 100].map((bytes) => ({
      name: `log cut to ${bytes} bytes`,
      apply: (data: string) => truncateSync(log(data), bytes),
    })),
    { name: 'log of noise', apply: (data) => writeFileSync(log(data), noise(size)) },
    { name: 'no log', apply: (data) => rmSync(log(data)) },
    {
      name: 'a directory in place of the log',
      apply(data) {
        rmSync(log(data))
        mkdirSync(log(data))
      },
    },
  ]
}

const OTHERS: readonly Damage[] = [
  { name: 'an empty file', apply: (data) => writeFileSync(join(data, 'bellhop.db'), '') },
  { name: 'noise', apply: (data) => writeFileSync(join(data, 'bellhop.db'), noise(100_000)) },
  { name: 'a text', apply: (data) => writeFileSync(join(data, 'bellhop.db'), 'a list of things to do\n'.repeat(100)) },
  { name: 'no database', apply: (data) => rmSync(join(data, 'bellhop.db')) },
  {
    name: 'a directory in its place',
    apply(data) {
      rmSync(join(data, 'bellhop.db'))
      mkdirSync(join(data, 'bellhop.db'))
    },
  },
  {
    name: 'the database of another program',
    apply(data) {
      for (const name of readdirSync(data)) if (name.startsWith('bellhop.db')) rmSync(join(data, name))
      using database = new Sqlite(join(data, 'bellhop.db'), { create: true })
      database.run('CREATE TABLE device (id INTEGER PRIMARY KEY)')
    },
  },
  { name: 'shared memory of noise', apply: (data) => writeFileSync(join(data, 'bellhop.db-shm'), noise(32_768)) },
  {
    name: 'a rollback journal of noise',
    apply: (data) => writeFileSync(join(data, 'bellhop.db-journal'), noise(5000)),
  },
  { name: 'a lock of noise', apply: (data) => writeFileSync(join(data, 'serving.lock'), noise(5000)) },
  { name: 'an empty key', apply: (data) => writeFileSync(join(data, 'key'), '') },
  {
    name: 'half a key',
    apply: (data) => writeFileSync(join(data, 'key'), readFileSync(join(data, 'key')).subarray(20)),
  },
  {
    name: 'what is known of backups is noise',
    apply: (data) => writeFileSync(join(data, 'backup-verified.json'), noise(99)),
  },
  written('a newer schema', 'PRAGMA user_version = 999'),
  written('an older schema than it has', 'PRAGMA user_version = 3'),
  written('no schema number', 'PRAGMA user_version = 0'),
  written('a view of somebody', 'CREATE VIEW theirs AS SELECT * FROM device'),
  written('a trigger of somebody', 'CREATE TRIGGER theirs AFTER INSERT ON device BEGIN DELETE FROM push; END'),
  written('no table of deliveries', 'PRAGMA foreign_keys = OFF', 'DROP TABLE delivery'),
  written('no table of devices', 'PRAGMA foreign_keys = OFF', 'DROP TABLE device'),
  written('no table of calls', 'PRAGMA foreign_keys = OFF', 'DROP TABLE quota'),
  written('no row of an application', 'PRAGMA foreign_keys = OFF', 'DELETE FROM application'),
  written('a notification that is no JSON', `UPDATE push SET notification = '{'`),
  written('an audience that is no JSON', `UPDATE push SET audience = '{'`),
  written('an audience of other fields', `UPDATE push SET audience = '{"filter":{}}'`),
  written('a credential that is no JSON', `UPDATE credential SET public = '{'`),
  written('a credential of nothing', `UPDATE credential SET sealed = x''`),
]

function written(name: string, ...statements: readonly string[]): Damage {
  return {
    name,
    apply(data) {
      using database = new Sqlite(join(data, 'bellhop.db'))
      for (const sql of statements) database.run(sql)
    },
  }
}

function flip(path: string, place: number): void {
  const bytes = readFileSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, Uint8Array.of((bytes[place] ?? 0) ^ 0xff), 0, 1, place)
  closeSync(file)
}

/** The same in each run. */
function noise(bytes: number): Uint8Array {
  const noise = new Uint8Array(bytes)
  for (let at = 0; at < bytes; at++) noise[at] = Number(Bun.hash.wyhash(`noise ${at}`) & 0xffn)
  return noise
}
