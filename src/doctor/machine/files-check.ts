import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MINUTE_MS } from '../../clock.ts'
import { byteSize } from '../../text/byte-size.ts'
import { listed } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface FileMode {
  /** `.` is the data directory itself. */
  readonly name: string
  readonly mode: number
  readonly owner: number
}

/** The data directory and every non-empty file in it. Throws if there is none. */
export function readModes(directory: string): readonly FileMode[] {
  const names = ['.', ...readdirSync(directory).toSorted()].filter((name) => !name.startsWith(LOCK))
  return names.flatMap((name) => {
    // Ignores files that have just been removed, such as the WAL of a stopping server.
    const found = statSync(join(directory, name), { throwIfNoEntry: false })
    const counts = found !== undefined && (name === '.' || (found.isFile() && found.size > 0))
    return counts ? [{ name, mode: found.mode & 0o777, owner: found.uid }] : []
  })
}

const LOCK = 'serving.lock'

const OTHERS = 0o077

export function judgeModes(directory: string, files: readonly FileMode[]): Finding {
  const open = files.filter(({ mode }) => (mode & OTHERS) !== 0)
  const closed = open.every(({ name }) => name !== '.')
  const inside = open.filter(({ name }) => name !== '.').map(({ name }) => name)
  if (open.length === 0) return ok('Only their owner can read the data directory and its files.')
  const keys = inside.filter((name) => name.startsWith('key'))
  if (keys.length > 0 && !closed) {
    return failing(
      `Other users of this machine can read the sealing key (${listed(keys)} in ${directory}).`,
      `chmod 700 ${directory} && chmod 600 ${directory}/key*, and then bellhop key rotate.`,
    )
  }
  if (closed) {
    // The directory is private, but a copy of a file keeps its mode.
    return warning(
      `Other users may read ${listed(inside)}, if they can enter the directory.`,
      `chmod 600 ${directory}/*`,
    )
  }
  const what = inside.length === 0 ? 'read the data directory' : `read ${listed(inside)}`
  return warning(
    `Others on this machine can ${what}.`,
    inside.length === 0 ? `chmod 700 ${directory}` : `chmod 700 ${directory} && chmod 600 ${directory}/*`,
  )
}

/** `path`: from BELLHOP_KEY_FILE. Its group may read it: some systems pass secrets that way. */
export function judgeKeyFile(path: string, mode: number): Finding {
  if ((mode & 0o007) === 0) return ok(`Only its owner can read the sealing key ${path}.`)
  return warning(
    `Every user of this machine can read the sealing key ${path}.`,
    `chmod 600 ${path}, and then bellhop key rotate.`,
  )
}

/** `user`: runs doctor; `null`: the system has no user IDs. */
export function judgeOwners(directory: string, files: readonly FileMode[], user: number | null): Finding {
  const owner = files.find(({ name }) => name === '.')?.owner
  const strange = files.filter((file) => file.owner !== owner)
  if (strange.length > 0) {
    return failing(
      `In the data directory of user ${owner}, another user owns ${listed(strange.map(({ name }) => name))}.`,
      `chown -R --reference=${directory} ${directory}: a command run with sudo creates files that the server cannot open.`,
    )
  }
  if (user === null || user === 0 || user === owner) return ok(`All files belong to one user (${owner}).`)
  return warning(
    `The data directory belongs to user ${owner}, and doctor runs as user ${user}.`,
    "Run doctor as the server's user: others may not see everything.",
  )
}

/** Temporary files of backups, upgrades, exports, restores and doctor. */
const WORK = [
  /\.partial(-journal)?$/,
  /\.unfinished$/,
  /^restoring$/,
  /^verifying-/,
  /^\.doctor-/,
  /^bellhop\.db-journal$/,
]

/** Younger files may be in use. */
const YOUNG_MS = 10 * MINUTE_MS

/** Files that killed processes left in or beside the data directory, or in the backup folder. */
export function checkLeftovers(data: string, backups: string | null, now: number): Finding {
  const home = realpathSync(data)
  const found = [
    ...leftIn(data, now),
    ...(backups === null ? [] : leftIn(backups, now)),
    ...leftIn(dirname(home), now, [`.${basename(home)}.restoring`]),
  ]
  if (found.length === 0) return ok('No leftovers of interrupted commands.')
  const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
  const paths = found.map(({ path }) => path)
  return warning(
    `An interrupted command left ${listed(paths)} (${byteSize(bytes)}).`,
    'The next backup, restore or export of the same name deletes its own. If none is running, you can delete it: rm -r.',
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
    // Another check reports it.
    return []
  }
}
