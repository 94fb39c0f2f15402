import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDatabaseFile } from '../../../src/database/offline-database.ts'
import { inspect } from '../../../src/backup/summary.ts'
import { APPLICATION, oldDatabase } from '../../support/old-database.ts'
import { chainOf } from '../chain/chain.ts'
import type { Scene, Step } from '../chain/chain.ts'
import type { Journey } from '../trial.ts'

/** The oldest schema. */
const SCHEMA = 1

/** Registered devices, and those plus unregistered ones. */
const DEVICES = 4
const EXPORTED = 5

const pathsIn = (directory: string) => ({
  data: join(directory, 'data'),
  database: join(directory, 'data/bellhop.db'),
  backup: join(directory, 'backup.db'),
  exported: join(directory, 'devices.jsonl'),
})
type Paths = ReturnType<typeof pathsIn>

export const UPKEEP: Journey = chainOf({
  name: 'upkeep',
  what: 'an old database is upgraded, given another key, backed up, compacted, exported and restored, by commands',
  drawn: /^$/,
  prepare: (directory) => void oldDatabase(pathsIn(directory).data, SCHEMA, { simulated: true }),
  steps: [
    command(() => ['devices', APPLICATION.id]),
    command(() => ['key', 'rotate']),
    command(({ backup }) => ['backup', backup]),
    command(() => ['compact']),
    command(({ exported }) => ['export', APPLICATION.id, exported]),
    command(({ backup }) => ['restore', backup, '--yes']),
    command(() => ['app', 'rotate-secret', APPLICATION.id]),
    { name: 'in the end', sound: true, attempt: checkAll },
  ],
})

function command(argsOf: (paths: Paths) => readonly string[]): Step {
  const name = argsOf(pathsIn('')).slice(0, 2).join(' ')
  return {
    name,
    async attempt({ directory, command, tries, accuse }) {
      const paths = pathsIn(directory)
      const { exitCode, stderr } = await command(...argsOf(paths), `--data=${paths.data}`)
      // An existing file is complete.
      if (exitCode === 0 || (tries > 0 && /exists already|is there already/.test(stderr))) return ''
      if (tries > 0) accuse(`${name} does not do it the second time: ${stderr}`)
      return null
    },
    afterFailure: (scene) => checkDatabase(scene, `after ${name}`),
  }
}

async function checkAll(scene: Scene): Promise<string> {
  const { directory, command, accuse } = scene
  const { data, backup, exported } = pathsIn(directory)
  checkDatabase(scene, 'in the end')
  checkExport(exported, accuse)
  const { exitCode, stdout } = await command('backup', 'verify', backup, `--data=${data}`, '--json')
  if (exitCode !== 0) accuse(`backup verify: ${stdout}`)
  for (const name of readdirSync(data)) {
    if (/\.db(\.(before|replaced)-[^.]+)?(?<!-wal|-shm|-journal)$/.test(name))
      checkFile(join(data, name), `in the end, ${name}`, accuse)
  }
  return ''
}

function checkDatabase({ directory, accuse }: Scene, when: string): void {
  const { database } = pathsIn(directory)
  // Only a writing connection can roll it back.
  if (existsSync(`${database}-journal`)) return
  if (existsSync(database)) checkFile(database, when, accuse)
  else accuse(`${when} there is no database`)
}

/** The first line has the number of lines. */
function checkExport(exported: string, accuse: Scene['accuse']): void {
  if (!existsSync(exported)) return accuse('nothing is exported')
  const [head = '{}', ...lines] = readFileSync(exported, 'utf8').split('\n').slice(0, -1)
  try {
    const { devices, feedback, tallies } = JSON.parse(head).counts
    lines.forEach((line) => JSON.parse(line))
    if (devices === EXPORTED && lines.length === devices + feedback + tallies) return
    accuse(`of ${devices} devices, ${feedback} of feedback and ${tallies} of statistics ${lines.length} are exported`)
  } catch {
    accuse('what was exported is no list of JSON')
  }
}

function checkFile(path: string, when: string, accuse: Scene['accuse']): void {
  // Databases are kept as the disk left them. Opening one rolls it back.
  if (existsSync(`${path}-journal`)) writeDatabaseFile(path)[Symbol.dispose]()
  const found = inspect(path, 'full')
  if (found.kind === 'bad') accuse(`${when}: ${found.problems.join(' ')}`)
  else if (found.content.devices !== DEVICES) accuse(`${when} there are ${found.content.devices} devices`)
}
