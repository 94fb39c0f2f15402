import { dirname } from 'node:path'
import { classOf } from './fault-plan.ts'
import type { TracedCall } from './fault-plan.ts'

/**
 * What a power cut could undo or tear of files that got a name (rename, link), which no failed call shows. Their
 * content must be synced before that, and the directory of the name after it by the same process.
 */
export function unsyncedNames(calls: readonly TracedCall[]): readonly string[] {
  const findings: string[] = []
  const unsynced = new Set<string>()
  /** By process and directory: the last name since its sync. */
  const named = new Map<string, string>()
  for (const { process, name, path, target } of calls) {
    if (classOf(name) === 'write') unsynced.add(path)
    if (classOf(name) === 'sync') {
      unsynced.delete(path)
      named.delete(`${process} ${path}`)
    }
    if (name.startsWith('unlink')) unsynced.delete(path)
    if (target === '') continue
    if (unsynced.has(path)) findings.push(`${target} gets its name before what is in it is on disk`)
    if (name.startsWith('rename')) unsynced.delete(path)
    named.set(`${process} ${dirname(target)}`, target)
  }
  return [...findings, ...[...named.values()].map((target) => `the name ${target} is not on disk in the end`)]
}
