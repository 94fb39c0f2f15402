import { readdirSync, readlinkSync } from 'node:fs'

/**
 * What this machine's processes have open, as far as this user may see: `/srv/data/serving.lock`, `socket:[4711]`.
 * Nothing on a system without /proc.
 */
export function* openFiles(): Generator<{ readonly pid: string; readonly target: string }> {
  for (const pid of namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    for (const file of namesIn(`/proc/${pid}/fd`)) {
      const target = targetOf(`/proc/${pid}/fd/${file}`)
      if (target !== null) yield { pid, target }
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    // It has ended, or is another user's.
    return []
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link)
  } catch {
    return null
  }
}
