import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, SeedReport } from './worker.ts'

/** Of memory, where there is such: what a world writes is not to wait for a disk. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Worlds that a process lives through at the most: files that were open when a service died are closed with the process. */
const MAX_WORLDS = 2000

interface Assignment extends Pick<Order, 'shrink' | 'untilFailure' | 'lines' | 'ownApi'> {
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
        // The others need not go on.
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
