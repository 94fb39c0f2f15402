import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../src/database/schema.ts'
import { temporaryDatabase } from './support/temporary-database.ts'

/**
 * Which room a table belongs to: `INSERT`, `UPDATE` and `DELETE` of it stand only there, other rooms call a verb of its
 * stores. Triggers and foreign keys of the migrations are not looked at: they are the database's own.
 */
const OWNERS: Readonly<Record<string, string>> = {
  application: 'application',
  credential: 'application',
  provider_token: 'application',
  user_key: 'application',
  quota: 'usage',
  device: 'device',
  label: 'device',
  label_network: 'device',
  device_label: 'device',
  feedback: 'device',
  left_device: 'device',
  adopted_token: 'device',
  device_key: 'device',
  registry_size: 'device',
  registry_day: 'device',
  webhook: 'webhook',
  event: 'webhook',
  paused_credential: 'webhook',
  tally: 'stats',
  receipt: 'stats',
  push_receipt: 'stats',
  delivery: 'delivery',
  delivery_language: 'delivery',
  push_exception: 'delivery',
  badge_lease: 'delivery',
  accepted_device: 'delivery',
  refused_token: 'delivery',
  push: 'push',
  idempotency: 'push',
  alert: 'alert',
  alert_condition: 'alert',
  hook: 'hook',
  hook_call: 'hook',
  application_move: 'move',
  administrator: 'admin',
  admin_session: 'admin',
  admin_link: 'admin',
  admin_token: 'admin',
  admin_log: 'admin',
  second_factor: 'account',
  recovery_code: 'account',
  service_time: 'time',
}

/** Tables that triggers alone write. */
const BY_TRIGGER = ['label_network']

/** Who reads a table besides its owner: what a join, or a look at a database that nobody serves, needs. */
const READERS: Record<string, string[]> = {
  administrator: ['account'],
  application_move: ['application', 'backup'],
  adopted_token: ['push'],
  alert: ['backup', 'doctor'],
  application: ['backup', 'delivery', 'device', 'doctor', 'hook', 'move', 'usage', 'webhook'],
  credential: ['backup', 'monitoring'],
  delivery: ['backup', 'doctor', 'monitoring', 'push', 'stats'],
  delivery_language: ['push', 'stats'],
  device: ['audience', 'backup', 'delivery', 'doctor', 'monitoring', 'push', 'stats', 'webhook'],
  device_label: ['audience', 'push'],
  event: ['backup'],
  feedback: ['backup', 'doctor', 'push'],
  hook: ['backup'],
  label: ['audience', 'push'],
  receipt: ['backup'],
  paused_credential: ['doctor'],
  push: ['backup', 'delivery', 'doctor', 'monitoring', 'stats'],
  push_exception: ['audience', 'push'],
  refused_token: ['doctor'],
  registry_size: ['monitoring', 'server'],
  second_factor: ['admin', 'backup'],
  tally: ['doctor'],
  user_key: ['backup', 'doctor'],
  webhook: ['backup', 'doctor', 'monitoring'],
}

/** Reads, and writes, the rows of a whole application: those of the tables of move/moved-tables.ts, and SQLite's own of numbers. */
const MOVES = 'move/rows-store.ts'

/** What is read by a name that is only known when it runs: a backup may be of a schema in which a table is missing. */
const READ_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  'backup/summary.ts': [
    'application',
    'credential',
    'webhook',
    'user_key',
    'device',
    'push',
    'delivery',
    'feedback',
    'receipt',
  ],
  'database/change-log-store.ts': [],
  [MOVES]: [],
}

/** That of database/change-log-store.ts. */
const TEMPORARY = '${log}'

const root = join(import.meta.dir, '..', 'src')
const files = await Promise.all(
  [...new Bun.Glob('**/*.ts').scanSync(root)]
    .filter((path) => !path.endsWith('.d.ts') && !/^database\/(migrations|schema)\.ts$/.test(path))
    .toSorted()
    .map(async (path) => {
      const text = await Bun.file(join(root, path)).text()
      return { path, code: text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '') }
    }),
)
const roomOf = (path: string): string => path.split('/')[0] ?? path
const KNOWN = new Set(Object.keys(OWNERS))

/** Names of drizzle's tables by those of their exports. */
const TYPED = new Map(
  Object.entries<unknown>(schema).flatMap(([name, table]) =>
    is(table, SQLiteTable) ? [[name, getTableName(table)]] : [],
  ),
)

/** What a file calls the tables that it imports from the schema. */
function importsOf(code: string): ReadonlyMap<string, string> {
  const list = /import (?:type )?\{([^}]*)\} from '[^']*\/schema\.ts'/.exec(code)?.[1] ?? ''
  return new Map(
    Array.from(list.matchAll(/(\w+)(?: as (\w+))?/g), ([, name = '', alias = name]) => [
      alias,
      TYPED.get(name) ?? name,
    ]),
  )
}

/** Tables that a file writes; a name that is only known when it runs comes as it stands. */
function written(code: string): string[] {
  const raw = Array.from(
    code.matchAll(
      /\b(?:INSERT(?: OR \w+)? INTO|REPLACE INTO|DELETE FROM|UPDATE(?: OR \w+)?(?! SET\b))\s+(?:main\.)?(\$\{[^}]*\}|\w+)/g,
    ),
    ([, name = '']) => name,
  )
  const imported = importsOf(code)
  const typed = Array.from(
    code.matchAll(/\borm\s*\.(?:insert|update|delete)\(([^)]*)\)/g),
    ([, name = '']) => imported.get(name) ?? name,
  )
  return [...raw, ...typed]
}

const BY_NAME = /(?<!DELETE )\b(?:FROM|JOIN)\s+\$\{/

/** Tables that a file reads. */
function read(code: string): string[] {
  const source = String.raw`\w+(?:\s+(?:AS\s+)?[a-z]\w*)?`
  const lists = code.matchAll(
    new RegExp(String.raw`(?<!DELETE )\b(?:FROM|JOIN)\s+(${source}(?:\s*,\s*${source})*)`, 'g'),
  )
  const raw = Array.from(lists, ([, list = '']) =>
    list.split(',').map((each) => each.trim().split(/\s/)[0] ?? ''),
  ).flat()
  const imported = importsOf(code)
  const typed = Array.from(
    code.matchAll(/\.(?:from|(?:inner|left)Join)\((\w+)/g),
    ([, name = '']) => imported.get(name) ?? '',
  )
  return [...raw, ...typed].filter((name) => KNOWN.has(name))
}

describe('tables', () => {
  test('each belongs to a room', () => {
    using file = temporaryDatabase()
    const names = file.database.statement<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    expect(names.all().map(({ name }) => name)).toEqual(Object.keys(OWNERS).toSorted())
  })

  test('each is written by its own room, and named where it is', () => {
    const writtenIn = ({ path, code }: (typeof files)[number]) =>
      written(code).filter((table) => KNOWN.has(table) || (path !== MOVES && table !== TEMPORARY))
    const strays = files.flatMap((file) =>
      writtenIn(file)
        .filter((table) => OWNERS[table] !== roomOf(file.path))
        .map((table) => `${file.path} writes ${table}`),
    )
    expect(strays).toEqual([])
    const writers = new Set([...BY_TRIGGER, ...files.flatMap(writtenIn)])
    expect([...writers].toSorted()).toEqual(Object.keys(OWNERS).toSorted())
  })

  test('who reads one of another room is listed', () => {
    const readers: Record<string, string[]> = {}
    for (const { path, code } of files) {
      for (const table of new Set([...read(code), ...(READ_BY_NAME[path] ?? [])])) {
        const rooms = (readers[table] ??= [])
        if (OWNERS[table] !== roomOf(path) && !rooms.includes(roomOf(path))) rooms.push(roomOf(path))
      }
    }
    const foreign = Object.entries(readers).filter(([, rooms]) => rooms.length > 0)
    const byName = files.filter(({ code }) => BY_NAME.test(code)).map(({ path }) => path)
    expect(byName).toEqual(Object.keys(READ_BY_NAME))
    expect(Object.fromEntries(foreign.map(([table, rooms]) => [table, rooms.toSorted()]))).toEqual(READERS)
  })
})
