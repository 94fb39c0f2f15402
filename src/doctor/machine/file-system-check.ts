import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Magic numbers of Linux (statfs(2)). */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
])
const MEMORY = new Set([0x01021994, 0x858458f6])
const OVERLAY = 0x794c7630

/** `type`: as statfs says it; `null` on a system with other numbers than Linux. */
export function judgeFileSystem(type: number | null): Finding {
  // Signed where the number has its highest bit set.
  const magic = type === null ? -1 : type >>> 0
  const remote = REMOTE.get(magic)
  if (remote !== undefined) {
    return warning(
      `The data directory is on a ${remote} file system, where SQLite's locks and log may not work.`,
      'Put it on a disk of this machine: two servers may write at once there, and a database may break.',
    )
  }
  if (MEMORY.has(magic)) {
    return warning('The data directory is in memory: it is gone with the next restart.', 'Put it on a disk.')
  }
  if (magic === OVERLAY) {
    return warning(
      'The data directory is in the layer of a container: it is gone with the container.',
      'Mount a volume, and name it with --data.',
    )
  }
  return ok('The data directory is on a local file system.')
}
