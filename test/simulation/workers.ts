import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, SeedReport } from './worker.ts'

/** Of memory, where there is such: what a world writes is not to wait for a disk. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

interface Assignment extends Pick<Order, 'shrink' | 'untilFailure' | 'lines'> {
  /** The first of them; the others come after it. */
  readonly seed: number
  readonly count: number
  /** Processes at once. */
  readonly jobs: number
  /** Whose code to run: the root of a checkout. Default this one. */
  readonly root?: string
  readonly onReport: (report: SeedReport) => void
}

/** Has processes of their own live through seeds; resolves when all are through. Throws where one of them breaks. */
export async function runWorkers({ jobs, root, seed, count, onReport, ...order }: Assignment): Promise<void> {
  const running = Array.from({ length: Math.min(jobs, count) }, (_, nth) => {
    const seeds = { first: seed + nth, count: Math.ceil((count - nth) / jobs), step: jobs }
    return startWorker({ ...order, seeds }, root)
  })
  const end = () => running.forEach(({ process }) => process.kill())
  try {
    await Promise.all(
      running.map(async ({ process }) => {
        let rest = ''
        for await (const chunk of process.stdout.pipeThrough(new TextDecoderStream())) {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const report = JSON.parse(line) as SeedReport
            onReport(report)
            // The others need not go on.
            if (report.violation !== null && order.untilFailure) end()
          }
        }
        const code = await process.exited
        if (code !== 0 && process.signalCode === null && code !== 1) throw new Error(`a worker ended with ${code}`)
      }),
    )
  } finally {
    end()
  }
}

function startWorker(order: Omit<Order, 'directory'>, root = join(import.meta.dir, '../..')) {
  const directory = mkdtempSync(join(ROOT, 'bellhop-simulation-'))
  const argument: Order = { ...order, directory }
  return {
    process: Bun.spawn([process.execPath, join(root, 'test/simulation/worker.ts'), JSON.stringify(argument)], {
      stdout: 'pipe',
      stderr: 'inherit',
      env: { ...process.env, TZ: 'UTC' },
    }),
  }
}
