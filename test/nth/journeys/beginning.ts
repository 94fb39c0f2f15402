import { join } from 'node:path'
import { openDatabase } from '../../../src/database/database.ts'
import { startService } from '../../faults/stage/service.ts'
import { rawLinesOf } from '../trial.ts'
import type { Journey } from '../trial.ts'

/** How often a command is tried that a fault hinders: the second time nothing is wrong with the disk. */
const TRIES = 2

export const BEGINNING: Journey = {
  name: 'beginning',
  what: 'where there is nothing an application is created and simulated, and a service starts and stops',
  async run(trial) {
    const { directory, program, plan, lasting, accuse, command } = trial
    const data = join(directory, 'data')
    const known: string[] = []

    for (let tries = 0; known.length === 0; tries++) {
      if (tries === TRIES) return accuse('no application could be created')
      if (tries > 0 && lasting) plan.disarm()
      const { exitCode, stdout } = await command('app', 'create', `shop ${tries}`, '--json', `--data=${data}`)
      if (exitCode === 0) known.push(JSON.parse(stdout).id)
    }
    for (let tries = 0; (await command('app', 'simulate', known[0] ?? '', `--data=${data}`)).exitCode !== 0; tries++) {
      if (tries === TRIES) return accuse('no application could be simulated')
      if (lasting) plan.disarm()
    }
    for (let tries = 0; !(await serves()); tries++) {
      if (tries === TRIES) return accuse('it does not start')
      if (lasting) plan.disarm()
    }
    plan.disarm()
    if (!(await serves())) accuse('it does not start again')
    using database = openDatabase(data)
    const integrity = database.statement<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    if (integrity[0]?.integrity_check !== 'ok') accuse(`integrity_check: ${JSON.stringify(integrity)}`)
    const stored = database.statement<{ id: string }, []>('SELECT id FROM application WHERE simulated = 1').all()
    if (!stored.some(({ id }) => id === known[0])) accuse('the application is not there')

    /** Whether it starts, is ready and stops. */
    async function serves(): Promise<boolean> {
      await using service = startService({ program, data, env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' } })
      const ready = (await service.ready) !== null
      const code = await (ready ? service.end('SIGTERM') : service.exited)
      rawLinesOf(service.log()).forEach((line) => accuse(`the service said: ${line}`))
      const said = /(^|\n)bellhop: [^\n]*[.?!]\n$/.test(service.log())
      if (!ready && !said && !(trial.kills && code === 137))
        accuse(`it ended with ${code}: ${service.log().slice(-500)}`)
      return ready
    }
  },
}
