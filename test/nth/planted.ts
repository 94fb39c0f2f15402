import type { Mutation } from '../simulation/plant.ts'
import type { HarmName } from './fault-plan.ts'
import { BEGINNING } from './journeys/beginning.ts'
import { SENDING } from './journeys/sending.ts'
import { UPKEEP } from './journeys/upkeep.ts'
import type { Journey } from './trial.ts'

/** A planted defect and where to look for it. */
export interface Planted extends Mutation {
  readonly journey: Journey
  /** `null`: it shows without a fault. */
  readonly harm: HarmName | null
  /** Calls to strike, one a trial: `rename data/key.next`. */
  readonly at: RegExp
}

export const PLANTED: readonly Planted[] = [
  {
    name: 'a key of which the disk takes half is half a key',
    from: "writeFileSync(descriptor, `${Buffer.from(key).toString('base64')}\\n`)",
    to: "require('node:fs').writeSync(descriptor, `${Buffer.from(key).toString('base64')}\\n`)",
    journey: BEGINNING,
    harm: 'short',
    at: /write data\/key/,
  },
  {
    name: 'an export goes on where the disk took half a page',
    file: 'src/cli/transfer/unfinished-file.ts',
    from: 'for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from)',
    to: 'writeSync(file, bytes)',
    journey: UPKEEP,
    harm: 'short',
    at: /write devices/,
  },
  {
    name: 'an export gets its name before it is synced',
    from: '      if (durable) fsyncSync(file)\n',
    to: '',
    journey: UPKEEP,
    harm: null,
    at: /^$/,
  },
  {
    name: 'the name of a backup is not synced',
    file: 'src/system/durable.ts',
    from: '  syncDirectory(dirname(path))\n  return true\n',
    to: '  return true\n',
    journey: UPKEEP,
    harm: null,
    at: /^$/,
  },
  {
    name: 'what a full disk refuses to take of a delivery is dropped',
    from: '        await sleep(clock, AGAIN_MS)\n',
    to: '        return undefined as T\n',
    journey: SENDING,
    harm: 'ENOSPC',
    at: /pwrite data\/bellhop.db-wal/,
  },
  {
    name: 'a lock outlives its process',
    file: 'src/database/directory-lock.ts',
    from: "    file.run('BEGIN EXCLUSIVE')\n",
    to: `    file.run('BEGIN EXCLUSIVE')
    if (existsSync(path + '.held')) return null
    require('node:fs').writeFileSync(path + '.held', '')
    process.once('exit', () => rmSync(path + '.held', { force: true }))
`,
    journey: UPKEEP,
    harm: 'kill',
    at: /rename .*compact/,
  },
  {
    name: 'a restore has a moment without a database',
    from: '  linkSync(path, keepAs)\n',
    to: '  renameSync(path, keepAs)\n',
    journey: UPKEEP,
    harm: 'kill',
    at: /rename /,
  },
  {
    name: 'the number of a schema is written after its migrations are committed',
    from: "    if (from < to) connection.run(`PRAGMA user_version = ${to}`)\n    connection.run('COMMIT')\n",
    to: "    connection.run('COMMIT')\n    if (from < to) connection.run(`PRAGMA user_version = ${to}`)\n",
    journey: UPKEEP,
    harm: 'kill',
    at: /^fsync data\/bellhop.db-wal$/,
  },
  {
    name: 'compact writes over the database in its place',
    file: 'src/backup/compact.ts',
    from: '    renameSync(draft, path)\n',
    to: "    require('node:fs').writeFileSync(path, require('node:fs').readFileSync(draft))\n",
    journey: UPKEEP,
    harm: 'torn',
    at: /^write data\/bellhop.db$/,
  },
]
