import { readFileSync, writeFileSync } from 'node:fs'

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MS = 10

/** CPU time of a process and its threads, in ms. Linux. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Resident memory in MB: total, without files, and peak. Linux. */
export function rssMb(pid: number): { now: number; own: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  const mb = (name: string) => Math.round(kb(name) / 1024)
  return { now: mb('VmRSS'), own: mb('RssAnon'), peak: mb('VmHWM') }
}

/** Resets the peak resident size (proc(5), `clear_refs`, 5). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}
