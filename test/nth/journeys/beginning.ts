import { join } from 'node:path'
import { openDatabase } from '../../../src/database/database.ts'
import { KILLED, startProcess } from '../../support/service-process.ts'
import { chainOf } from '../chain/chain.ts'
import type { Scene } from '../chain/chain.ts'
import { rawLinesOf } from '../trial.ts'
import type { Journey } from '../trial.ts'

const dataOf = ({ directory }: Pick<Scene, 'directory'>) => join(directory, 'data')

export const BEGINNING: Journey = chainOf({
  name: 'beginning',
  what: 'where there is nothing an application is created and simulated, and a service starts and stops',
  drawn: /^(app_[a-z0-9]{16}|shop \d)$/,
  prepare: () => {},
  steps: [
    {
      name: 'app create',
      async attempt(scene) {
        const { command, tries } = scene
        // The first try may have created it without printing its id.
        const args = ['app', 'create', `shop ${tries}`, '--json', `--data=${dataOf(scene)}`]
        const { exitCode, stdout } = await command(...args)
        return exitCode === 0 ? JSON.parse(stdout).id : null
      },
    },
    {
      name: 'app simulate',
      async attempt(scene) {
        const { exitCode } = await scene.command('app', 'simulate', scene.notes[0] ?? '', `--data=${dataOf(scene)}`)
        return exitCode === 0 ? '' : null
      },
    },
    { name: 'serve', attempt: serves },
    { name: 'serve again', sound: true, attempt: serves },
    {
      name: 'in the end',
      sound: true,
      async attempt(scene) {
        using database = openDatabase(dataOf(scene))
        const integrity = database.statement<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
        if (integrity[0]?.integrity_check !== 'ok') scene.accuse(`integrity_check: ${JSON.stringify(integrity)}`)
        const stored = database.statement<{ id: string }, []>('SELECT id FROM application WHERE simulated = 1').all()
        if (!stored.some(({ id }) => id === scene.notes[0])) scene.accuse('the application is not there')
        return ''
      },
    },
  ],
})

/** Starts, gets ready and stops; `null`: it did not get ready. */
async function serves(scene: Scene): Promise<string | null> {
  const { program, accuse, kills } = scene
  await using service = startProcess({ program, data: dataOf(scene) })
  const ready = (await service.ready) !== null
  const code = await (ready ? service.kill('SIGTERM') : service.exited)
  rawLinesOf(service.log()).forEach((line) => accuse(`the service said: ${line}`))
  const said = /(^|\n)bellhop: [^\n]*[.?!]\n$/.test(service.log())
  if (!ready && !said && !(kills && code === KILLED)) accuse(`it ended with ${code}: ${service.log().slice(-500)}`)
  return ready ? '' : null
}
