import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { APPLICATION, oldDatabase } from '../../support/old-database.ts'
import type { Journey } from '../trial.ts'

/** The oldest that there was. */
const SCHEMA = 1

const DEVICES = 4

export const UPKEEP: Journey = {
  name: 'upkeep',
  what: 'an old database is upgraded, given another key, backed up, compacted, exported and restored, by commands',
  async run({ directory, plan, accuse, command }) {
    const data = join(directory, 'data')
    const database = oldDatabase(data, SCHEMA, { simulated: true })
    const backup = join(directory, 'backup.db')
    const steps: readonly (readonly string[])[] = [
      ['devices', APPLICATION.id],
      ['key', 'rotate'],
      ['backup', backup],
      ['compact'],
      ['export', APPLICATION.id, join(directory, 'devices.jsonl')],
      ['restore', backup, '--yes'],
      ['app', 'rotate-secret', APPLICATION.id],
    ]
    for (const step of steps) {
      const whole = [...step, `--data=${data}`]
      if ((await command(...whole)).exitCode === 0) continue
      plan.disarm()
      check(`after ${step[0]}`)
      const again = await command(...whole)
      // What is there already was made whole before it could be said.
      if (again.exitCode !== 0 && !/exists already|is there already/.test(again.stderr))
        accuse(`${step.join(' ')} does not do it the second time: ${again.stderr}`)
    }
    plan.disarm()
    check('in the end')
    const { exitCode, stdout } = await command('backup', 'verify', backup, `--data=${data}`, '--json')
    if (exitCode !== 0) accuse(`backup verify: ${stdout}`)
    for (const name of readdirSync(data)) {
      if (/\.db(\.(before|replaced)-[^.]+)?$/.test(name)) checkFile(join(data, name), `in the end, ${name}`)
    }

    function check(when: string): void {
      // What has to be rolled back first, only a connection that writes can read.
      if (existsSync(`${database}-journal`)) return
      if (existsSync(database)) checkFile(database, when)
      else accuse(`${when} there is no database`)
    }

    function checkFile(path: string, when: string): void {
      const found = inspect(path, 'full')
      if (found.kind === 'bad') accuse(`${when}: ${found.problems.join(' ')}`)
      else if (found.content.devices !== DEVICES) accuse(`${when} there are ${found.content.devices} devices`)
    }
  },
}
