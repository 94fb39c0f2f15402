import { readdirSync } from 'node:fs'
import { maxOpenFiles } from '../system/socket-table.ts'
import { counter, gauge } from './exposition.ts'
import type { Family } from './exposition.ts'

/** Names from prometheus.io, "Writing client libraries". */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time of all threads.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory that is in RAM.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'When the process started, since the Unix epoch.',
      performance.timeOrigin / 1000,
    ),
    gauge('process_open_fds', 'Open files and connections.', openFiles()),
    gauge('process_max_fds', 'Their limit.', maxFiles()),
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
