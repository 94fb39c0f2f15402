import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs, rssMb } from '../../scripts/benchmark/measure/process-figures.ts'

/** One look at a running service. */
export interface Sample {
  /** Since the watch began, in ms. */
  readonly atMs: number
  readonly rssMb: number
  /** Open files and connections. */
  readonly handles: number
  readonly walMb: number
  readonly fileMb: number
  /** How long `GET /healthz` took, in ms. */
  readonly probeMs: number
  /**
   * How much of that the process was at work, in ms: what it did in place of answering. On a machine that others use
   * most of a wait is theirs. Of all its threads, so it is at most this.
   */
  readonly busyMs: number
}

export interface ProcessWatch {
  readonly samples: readonly Sample[]
  /** One more look, after which it is over. */
  stop(): Promise<void>
}

interface Watched {
  readonly pid: number
  /** Of its API. */
  readonly url: string
  /** Its data directory. */
  readonly data: string
}

/** Looks at a process every `everyMs` milliseconds. Linux. */
export function watchProcess({ pid, url, data }: Watched, everyMs: number): ProcessWatch {
  const samples: Sample[] = []
  const began = performance.now()
  const over = new AbortController()

  async function look(): Promise<void> {
    const [asked, used] = [performance.now(), cpuMs(pid)]
    // Without an answer there is nothing to look at: who kills the service stops the watch first.
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
