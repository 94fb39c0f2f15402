import { connectionLimits } from '../../http/connection-share.ts'
import { byteSize } from '../../text/byte-size.ts'
import { counted } from '../../text/format.ts'
import { ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface MemoryText {
  readonly meminfo: string | null
  /** memory.max and memory.current of the container. */
  readonly max: string | null
  readonly used: string | null
}

/** 62 MB at rest and 60 more in a broadcast (targets of `scripts/bench`), plus the system. */
const NEEDED_BYTES = 200_000_000
const SPARE_BYTES = 50_000_000

/** `served`: a running server has its share already. */
export function judgeMemory({ meminfo, max, used }: MemoryText, served: boolean): Finding {
  const ofMachine = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(meminfo ?? '')?.[1] ?? Number.NaN) * 1024
  const ofContainer = max === null || used === null ? Number.NaN : Number(max) - Number(used)
  const known = [ofMachine, ofContainer].filter((bytes) => !Number.isNaN(bytes))
  if (known.length === 0) return skipped('This system does not report its free memory.')
  const free = Math.max(Math.min(...known), 0)
  const needed = served ? SPARE_BYTES : NEEDED_BYTES
  if (free >= needed) return ok(`${byteSize(free)} of memory are free.`)
  return warning(
    `Only ${byteSize(free)} of memory are free.`,
    `Leave ${byteSize(needed)} for pushes to many devices: end other programs, or take a larger machine.`,
  )
}

/** Each API call and each gateway connection takes one. */
const NEEDED_FILES = 4096

/** `limits`: text of /proc/self/limits, if it exists. */
export function judgeOpenFiles(limits: string | null): Finding {
  const max = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '')?.[1]
  if (max === undefined) return skipped('This system does not report its limit of open files.')
  if (max === 'unlimited') return ok('The number of open files is not limited.')
  const files = counted(Number(max), 'file')
  const { atAll, atRest } = connectionLimits(Number(max)).api
  if (Number(max) >= NEEDED_FILES) return ok(`${files} may be open: callers may have ${counted(atAll, 'connection')}.`)
  return warning(
    `Only ${files} may be open: callers may have ${counted(atAll, 'connection')}, and idle ones are closed beyond ${atRest}.`,
    `Allow ${NEEDED_FILES}: LimitNOFILE=${NEEDED_FILES} in the systemd unit, or ulimit -n ${NEEDED_FILES}.`,
  )
}
