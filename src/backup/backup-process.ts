import { join } from 'node:path'
import { workDirectoryFor } from '../database/regular-file.ts'
import { DRAFT, eraseDraft } from './make-backup.ts'
import { writtenIn } from './newest.ts'
import { runOwnProcess } from './own-process.ts'
import type { RepositoryPlace } from './repository.ts'
import type { Making } from './schedule.ts'

interface Options {
  readonly data: string
  readonly to: RepositoryPlace
  readonly keep: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/** `bellhop backup` as a process beside the service. */
export function backupProcess(name: string, { data, to, keep, env }: Options): Making & { readonly pid: number } {
  const child = runOwnProcess(['backup', `--keep=${keep}`, `--data=${data}`, '--json', '--', writtenIn(to, name)], env)

  async function ended() {
    const { code, stdout, complaint, how } = await child.ended
    if (code !== 0) return { kind: 'problem' as const, problem: complaint ?? `bellhop backup ended with ${how}.` }
    const { bytes, erased } = JSON.parse(stdout) as { bytes: number; erased: readonly string[] }
    return { kind: 'made' as const, bytes, erased: erased.length, warning: complaint }
  }

  return {
    pid: child.pid,
    ended: ended(),
    async stop() {
      await child.kill()
      eraseDraft(join(to.kind === 'folder' ? to.path : workDirectoryFor(data), name + DRAFT))
    },
  }
}
