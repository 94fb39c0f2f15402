import { readdirSync } from 'node:fs'
import { maxOpenFiles } from '../system/socket-table.ts'
import { counter, gauge, histogram } from './exposition.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** How often `LoopDelay.tick` must be called. */
export const LOOP_TICK_MS = 1000

const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** How late timers run, which is what all other work in the process waits too. */
export class LoopDelay {
  readonly #late = new Histogram(BOUNDS_SECONDS)
  #tickedAt = performance.now()

  tick(): void {
    const now = performance.now()
    this.#late.observe(Math.max(now - this.#tickedAt - LOOP_TICK_MS, 0) / 1000)
    this.#tickedAt = now
  }

  families(): Family[] {
    const help = 'How late a timer ran that is due once a second.'
    return [histogram('bellhop_event_loop_delay_seconds', help, [[{}, this.#late]])]
  }
}

/** Named as prometheus.io, "Writing client libraries", asks. */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time, of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory that is in RAM.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'When the process started, since the Unix epoch.',
      performance.timeOrigin / 1000,
    ),
    gauge('process_open_fds', 'Open files and connections.', openFiles()),
    gauge('process_max_fds', 'How many of them may be open.', maxFiles()),
  ]
}

function openFiles(): [Record<string, never>, number][] {
  try {
    return [[{}, readdirSync('/proc/self/fd').length]]
  } catch {
    return []
  }
}

function maxFiles(): [Record<string, never>, number][] {
  const max = maxOpenFiles()
  return max === null ? [] : [[{}, max]]
}
