import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs, rssMb } from '../../scripts/benchmark/measure/process-figures.ts'

export interface Sample {
  /** Since the start of the watch, in ms. */
  readonly atMs: number
  readonly rssMb: number
  /** Open files and connections. */
  readonly handles: number
  readonly walMb: number
  readonly fileMb: number
  /** Duration of `GET /healthz`, in ms. */
  readonly probeMs: number
  /**
   * CPU time of the process during that, in ms: other work before the answer. On a shared machine most of a wait
   * belongs to others. Counts all threads, so it is an upper bound.
   */
  readonly busyMs: number
}

export interface ProcessWatch {
  readonly samples: readonly Sample[]
  /** Looks once more and ends. */
  stop(): Promise<void>
}

interface Watched {
  readonly pid: number
  readonly url: string
  readonly data: string
}

/** Samples a process every `everyMs` milliseconds. Linux. */
export function watchProcess({ pid, url, data }: Watched, everyMs: number): ProcessWatch {
  const samples: Sample[] = []
  const began = performance.now()
  const over = new AbortController()

  async function look(): Promise<void> {
    const [asked, used] = [performance.now(), cpuMs(pid)]
    // Stop the watch before killing the service.
    await (await fetch(`${url}/healthz`)).text()
    const now = performance.now()
    samples.push({
      atMs: now - began,
      rssMb: rssMb(pid).now,
      handles: readdirSync(`/proc/${pid}/fd`).length,
      walMb: megabytes(join(data, 'bellhop.db-wal')),
      fileMb: megabytes(join(data, 'bellhop.db')),
      probeMs: now - asked,
      busyMs: Math.min(now - asked, cpuMs(pid) - used),
    })
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await look()
      await Bun.sleep(everyMs)
    }
    await look()
  }
  const running = run()
  return {
    samples,
    async stop() {
      over.abort()
      await running
    },
  }
}

function megabytes(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6
}
