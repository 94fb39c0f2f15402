import { join } from 'node:path'
import type { Scenario } from './scenario.ts'

/** How long another process holds the database, in ms. */
const LOCK_MS = 3_000

const TRAFFIC_MS = 3_000

const LOCKER = Bun.fileURLToPath(import.meta.resolve('../stage/lock-database.ts'))

export const MACHINE_SCENARIOS: readonly Scenario[] = [
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
