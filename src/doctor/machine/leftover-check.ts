import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MINUTE_MS } from '../../clock.ts'
import { byteSize } from '../../text/byte-size.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { listed } from '../quantity.ts'

/** What a backup, an upgrade, an export, a restore or doctor itself works in until it is done. */
const WORK = [
  /\.partial(-journal)?$/,
  /\.unfinished$/,
  /^restoring$/,
  /^verifying-/,
  /^\.doctor-/,
  /^bellhop\.db-journal$/,
]

/** Whoever works in it has written to it since: ms. */
const YOUNG_MS = 10 * MINUTE_MS

/** What processes that were killed have left in the data directory, beside it, and where backups go. */
export function checkLeftovers(data: string, backups: string | null, now: number): Finding {
  const home = realpathSync(data)
  const found = [
    ...leftIn(data, now),
    ...(backups === null ? [] : leftIn(backups, now)),
    ...leftIn(dirname(home), now, [`.${basename(home)}.restoring`]),
  ]
  if (found.length === 0) return ok('Nothing is left of what was killed.')
  const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
  const paths = found.map(({ path }) => path)
  return warning(
    `Something was killed at its work and has left ${listed(paths)} (${byteSize(bytes)}).`,
    'The next backup, restore or export of the same name clears its own away; or, while none runs: rm -r.',
  )
}

function leftIn(directory: string, now: number, names: readonly string[] = namesIn(directory)) {
  return names.flatMap((name) => {
    const path = join(directory, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    const isWork = name.endsWith('.restoring') || WORK.some((pattern) => pattern.test(name))
    return found !== undefined && isWork && now - found.mtimeMs > YOUNG_MS ? [{ path, bytes: found.size }] : []
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted()
  } catch {
    // Another check says why.
    return []
  }
}
