import { ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted } from '../quantity.ts'

/** Each call to the API holds one, and each connection to a gateway. */
const NEEDED = 4096

/** `limits`: what /proc/self/limits says; `null` where there is none. */
export function judgeOpenFiles(limits: string | null): Finding {
  const max = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '')?.[1]
  if (max === undefined) return skipped('How many files may be open, this system does not say.')
  if (max === 'unlimited' || Number(max) >= NEEDED) {
    return ok(max === 'unlimited' ? 'Any number of files may be open.' : `${counted(Number(max), 'file')} may be open.`)
  }
  return warning(
    `Only ${counted(Number(max), 'file')} may be open: more calls at once than that are turned away.`,
    `Allow ${NEEDED}: LimitNOFILE=${NEEDED} in the systemd unit, or ulimit -n ${NEEDED}.`,
  )
}
