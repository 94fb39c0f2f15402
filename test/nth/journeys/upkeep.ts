import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { APPLICATION, oldDatabase } from '../../support/old-database.ts'
import type { Journey } from '../trial.ts'

/** The oldest that there was. */
const SCHEMA = 1

/** Registered, and with those that have left. */
const DEVICES = 4
const EXPORTED = 5

export const UPKEEP: Journey = {
  name: 'upkeep',
  what: 'an old database is upgraded, given another key, backed up, compacted, exported and restored, by commands',
  async run({ directory, plan, accuse, command }) {
    const data = join(directory, 'data')
    const database = oldDatabase(data, SCHEMA, { simulated: true })
    const backup = join(directory, 'backup.db')
    const exported = join(directory, 'devices.jsonl')
    const steps: readonly (readonly string[])[] = [
      ['devices', APPLICATION.id],
      ['key', 'rotate'],
      ['backup', backup],
      ['compact'],
      ['export', APPLICATION.id, exported],
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
    checkExport()
    const { exitCode, stdout } = await command('backup', 'verify', backup, `--data=${data}`, '--json')
    if (exitCode !== 0) accuse(`backup verify: ${stdout}`)
    for (const name of readdirSync(data)) {
      if (/\.db(\.(before|replaced)-[^.]+)?(?<!-wal|-shm|-journal)$/.test(name))
        checkFile(join(data, name), `in the end, ${name}`)
    }

    function check(when: string): void {
      // What has to be rolled back first, only a connection that writes can read.
      if (existsSync(`${database}-journal`)) return
      if (existsSync(database)) checkFile(database, when)
      else accuse(`${when} there is no database`)
    }

    /** Its first line says how many others there are. */
    function checkExport(): void {
      if (!existsSync(exported)) return accuse('nothing is exported')
      const [head = '{}', ...lines] = readFileSync(exported, 'utf8').split('\n').slice(0, -1)
      try {
        const { devices, feedback, tallies } = JSON.parse(head).counts
        lines.forEach((line) => JSON.parse(line))
        if (devices === EXPORTED && lines.length === devices + feedback + tallies) return
        accuse(
          `of ${devices} devices, ${feedback} of feedback and ${tallies} of statistics ${lines.length} are exported`,
        )
      } catch {
        accuse('what was exported is no list of JSON')
      }
    }

    function checkFile(path: string, when: string): void {
      const found = inspect(path, 'full')
      if (found.kind === 'bad') accuse(`${when}: ${found.problems.join(' ')}`)
      else if (found.content.devices !== DEVICES) accuse(`${when} there are ${found.content.devices} devices`)
    }
  },
}
