import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, SeedReport } from './worker.ts'

/** In memory if possible: worlds must not wait for a disk. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Most worlds of a process. Its end closes the files of services that died. */
const MAX_WORLDS = 2000

interface Assignment extends Pick<Order, 'shrink' | 'untilFailure' | 'lines' | 'ownApi'> {
  /** The first seed. */
  readonly seed: number
  readonly count: number
  readonly jobs: number
  /** Root of the checkout to run. Default this one. */
  readonly root?: string
  readonly onReport: (report: SeedReport) => void
}

/** Simulates seeds in processes. Throws if one of them breaks. */
export async function runWorkers({ jobs, root, seed, count, onReport, ...order }: Assignment): Promise<void> {
  const running = new Set<ReturnType<typeof startWorker>>()
  let isOver = false
  const end = () => {
    isOver = true
    running.forEach((process) => process.kill())
  }

  async function run(seeds: Order['seeds']): Promise<void> {
    const process = startWorker({ ...order, seeds }, root)
    running.add(process)
    let rest = ''
    for await (const chunk of process.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const report = JSON.parse(line) as SeedReport
        onReport(report)
        // The others can stop.
        if (report.violation !== null && order.untilFailure) end()
      }
    }
    const code = await process.exited
    running.delete(process)
    if (code !== 0 && process.signalCode === null && code !== 1) throw new Error(`a worker ended with ${code}`)
  }

  async function runAll(nth: number): Promise<void> {
    for (let from = nth; from < count; from += jobs * MAX_WORLDS) {
      if (isOver) return
      const left = Math.ceil((count - from) / jobs)
      await run({ first: seed + from, count: Math.min(left, MAX_WORLDS), step: jobs })
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(jobs, count) }, (_, nth) => runAll(nth)))
  } finally {
    end()
  }
}

function startWorker(order: Omit<Order, 'directory'>, root = join(import.meta.dir, '../..')) {
  const directory = mkdtempSync(join(ROOT, 'bellhop-simulation-'))
  const argument: Order = { ...order, directory }
  return Bun.spawn([process.execPath, join(root, 'test/simulation/worker.ts'), JSON.stringify(argument)], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, TZ: 'UTC' },
  })
}
