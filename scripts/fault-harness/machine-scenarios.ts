import { join } from 'node:path'
import { startVariables } from '../../src/cli/start-variables.ts'
import { fillDisk } from './disk.ts'
import type { Scenario } from './scenario.ts'

const HOUR_MS = 3_600_000

/** How long another process holds the database, in ms. */
const LOCK_MS = 3_000

const TRAFFIC_MS = 3_000

const LOCKER = Bun.fileURLToPath(import.meta.resolve('./lock-database.ts'))
/** With them it is not restarted, and keeps its flags. */
const start = startVariables(4096, {})
const VARIABLES = start.kind === 'restart' ? start.variables : {}

const SHIFTED_CLOCK = Bun.fileURLToPath(import.meta.resolve('./shifted-clock.ts'))

export const MACHINE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'disk-full',
    what: 'the disk is full for 3 s',
    // Of a smaller one nothing new would be taken, full or not.
    diskBytes: 192 * 1024 * 1024,
    async run(stage) {
      await stage.pushes.toAll({ badge: true })
      const before = stage.registrar.counts.refused
      const free = fillDisk(stage.data)
      await stage.pushes.mixture(TRAFFIC_MS)
      free()
      const refused = stage.registrar.counts.refused - before
      await stage.pushes.toAll()
      return refused
    },
  },
  {
    name: 'clock-back',
    what: 'the clock goes back an hour while recipients wait for another attempt',
    hindrance: ({ compiled }) => (compiled ? 'a compiled binary takes no other clock' : null),
    async run(stage) {
      const offset = join(stage.data, 'clock-offset')
      await stage.stop()
      await stage.start({
        bunFlags: ['--preload', SHIFTED_CLOCK],
        env: { FAULTS_CLOCK_OFFSET: offset, ...VARIABLES },
      })
      let met = 0
      stage.apns.plan = ({ token, attempt }) => {
        if (attempt > 1 || !token.endsWith('7')) return null
        met++
        return { kind: 'refuse', status: 500 }
      }
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(TRAFFIC_MS / 3)
      // And a whole gateway that has asked for a pause.
      stage.fcm.plan = () => ({ kind: 'refuse', status: 503, retryAfterSeconds: 2 })
      await stage.pushes.toOne(1)
      await Bun.sleep(100)
      await Bun.write(offset, String(-HOUR_MS))
      stage.fcm.plan = null
      await sent
      await stage.pushes.toAll()
      return met
    },
  },
  {
    name: 'locked',
    what: 'another process holds the database for 3 s',
    async run(stage) {
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(100)
      const lock = Bun.spawn([process.execPath, LOCKER, join(stage.data, 'bellhop.db'), String(LOCK_MS)], {
        stderr: 'inherit',
      })
      await Promise.all([sent, lock.exited])
      return lock.exitCode === 0 ? 1 : 0
    },
  },
]
