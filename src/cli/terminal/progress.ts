import { grouped } from '../../text/format.ts'
import type { CommandContext } from '../command.ts'
import { textColumns } from './table-text.ts'

export interface Advance {
  readonly done: number
  readonly total: number | null
  readonly startedAt: number
  /** Not counted in the speed. Default 0. */
  readonly startedWith?: number
  readonly now: number
  readonly columns: number
  /** `devices`; `bytes` are shown in MB. */
  readonly unit: string
  /** Appended. Default nothing. */
  readonly note?: string | undefined
}

const REDRAW_MS = 200
const LINE_MS = 10_000

export const ERASE = '\r\u001B[K'

/** A bar on a terminal's standard error, drawn at most 5 times a second; in a pipe or file, a line every 10 seconds. */
export function createProgress(
  {
    stderr,
    terminal,
    clock,
  }: Pick<CommandContext, 'stderr' | 'terminal'> & { clock: Pick<CommandContext['clock'], 'now'> },
  { unit }: { unit: string },
) {
  const startedAt = clock.now()
  let shownAt = terminal === null ? startedAt : Number.NEGATIVE_INFINITY
  let startedWith: number | null = null
  let drawn = false
  return {
    /** First with what was already done. */
    show(done: number, total: number | null, note?: string): void {
      const now = clock.now()
      startedWith ??= done
      if (now - shownAt < (terminal === null ? LINE_MS : REDRAW_MS)) return
      shownAt = now
      const advance = { done, total, startedAt, startedWith, now, unit, note }
      if (terminal === null) return stderr(`${progressLine({ ...advance, columns: 0 })}\n`)
      drawn = true
      // The last column stays free: some terminals wrap when it is written.
      stderr(`${ERASE}${progressLine({ ...advance, columns: textColumns(terminal) - 1 })}`)
    },
    end(): void {
      if (drawn) stderr(ERASE)
      drawn = false
    },
  }
}

const MIN_BAR = 10
const MAX_BAR = 40

/**
 * ` 43 % [#######---------] 430,000 of 1,000,000 devices, 21,000/s, 27 s left`. No bar without a total or room;
 * `columns` 0: a log line of any length.
 */
export function progressLine({ done, total, startedAt, startedWith = 0, now, columns, unit, note }: Advance): string {
  const seconds = (now - startedAt) / 1000
  const rate = seconds > 0 ? (done - startedWith) / seconds : 0
  const counted = total === null ? amount(done, unit) : `${amount(done, unit, total)} of ${amount(total, unit)}`
  const words = [
    unit === 'bytes' ? counted : `${counted} ${unit}`,
    ...(seconds >= 1 ? [`${amount(rate, unit)}/s`] : []),
    ...(seconds >= 1 && total !== null && done < total && rate > 0 ? [`${lasting((total - done) / rate)} left`] : []),
    ...(note === undefined ? [] : [note]),
  ].join(', ')
  if (total === null) return columns === 0 ? words : words.slice(0, columns)

  // Rounded down: 100 % means nothing is left.
  const share = total > 0 ? Math.min(done / total, 1) : 1
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`
  const room = Math.min(columns - percent.length - words.length - 4, MAX_BAR)
  if (room < MIN_BAR) {
    const line = `${percent} ${words}`
    return columns === 0 ? line.trimStart() : line.slice(0, columns)
  }
  const filled = Math.floor(share * room)
  return `${percent} [${'#'.repeat(filled)}${'-'.repeat(room - filled)}] ${words}`
}

const MEGABYTES = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

function amount(value: number, unit: string, total?: number): string {
  if (unit !== 'bytes') return grouped(value)
  const megabytes = MEGABYTES.format(value / 1e6)
  return total === undefined ? `${megabytes} MB` : megabytes
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`. */
function lasting(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min ${whole % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
