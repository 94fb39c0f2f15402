import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { keyOf } from '../../faults/stage/ledger.ts'
import { servedJourney } from './served.ts'
import type { Scene } from './served.ts'

const IMPORTED = ['imported-1', 'imported-2', 'imported-3']

export const OPERATING = servedJourney({
  name: 'operating',
  what: 'beside a service that sends a backup is made, and a list imported',
  ready: true,
  stepsOf: (scene) => [
    { go: () => scene.pushes.toOne(0) },
    { ofProcesses: true, go: () => scene.command('backup', `${backupsOf(scene)}/`, `--data=${scene.data}`) },
    { ofProcesses: true, go: () => importInto(scene) },
    { go: () => scene.pushes.toTag('few') },
    { go: scene.settle },
  ],
  async inTheEnd(scene) {
    if (!(await importInto(scene))) scene.accuse('a second import did not do it')
    // Not in the folder, where a backup of the same second may have its name.
    const last = join(scene.directory, 'last.db')
    if ((await scene.command('backup', last, `--data=${scene.data}`)).exitCode !== 0)
      scene.accuse('no backup could be made')
    const folder = backupsOf(scene)
    const earlier = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
    for (const path of [...earlier.filter((name) => name.endsWith('.db')), last]) {
      const found = inspect(path, 'full')
      if (found.kind === 'bad') scene.accuse(`a backup: ${found.problems.join(' ')}`)
    }
  },
})

function backupsOf({ directory }: Scene): string {
  return join(directory, 'backups')
}

/** Whether it succeeded. Its devices may exist either way. */
async function importInto({ directory, application, data, command, ledger }: Scene): Promise<boolean> {
  const list = join(directory, 'list.csv')
  writeFileSync(list, `token,platform\n${IMPORTED.map((token) => `${token},android\n`).join('')}`)
  const add = (ackedAt: number | null) => {
    for (const token of IMPORTED) {
      // Since the first import.
      const askedAt = ledger.devices.get(keyOf(1, token))?.askedAt ?? Date.now()
      const none = { tags: new Set<string>(), doubtfulTags: new Set<string>() }
      ledger.addDevice({ platform: 1, token, askedAt, ackedAt, ...none, aliases: [null] })
    }
  }
  add(null)
  const rejects = join(directory, 'rejects.jsonl')
  const { exitCode } = await command('import', application.id, list, `--rejects=${rejects}`, `--data=${data}`)
  if (exitCode === 0) add(Date.now())
  return exitCode === 0
}
