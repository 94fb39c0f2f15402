import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { workDirectoryFor } from '../database/regular-file.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { writtenIn } from './newest.ts'
import { runOwnProcess } from './own-process.ts'
import type { RepositoryPlace } from './repository.ts'

/** What came of opening a backup. A problem is one of reaching it: then nobody knows. */
export type VerifyOutcome =
  | { readonly kind: 'good'; readonly devices: number }
  | {
      readonly kind: 'bad'
      /** Sentences. */
      readonly what: string
    }
  | Problem

export interface Verifying {
  readonly ended: Promise<VerifyOutcome>
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>
}

interface Options {
  /** The data directory. */
  readonly data: string
  readonly from: RepositoryPlace
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What a backup out of a bucket is checked in, beside the database. `pid`: of the process that does. */
export function verifyDirectoryPrefix(pid: number): string {
  return `verifying-${pid}-`
}

/** `bellhop backup verify` beside the service: reads all of one backup, and counts what is in it. */
export function verifyProcess(name: string, { data, from, env }: Options): Verifying {
  const child = runOwnProcess(['backup', 'verify', `--data=${data}`, '--json', '--', writtenIn(from, name)], env)

  async function ended(): Promise<VerifyOutcome> {
    const { stdout, complaint, how } = await child.ended
    if (stdout === '') return problem(complaint ?? `bellhop backup verify ended with ${how}.`)
    // Whether the key opens what is sealed in it is no matter here: the service may have another one than it finds.
    const { good, problems, devices } = JSON.parse(stdout) as Verified
    return good ? { kind: 'good', devices } : { kind: 'bad', what: problems.join(' ') }
  }

  return {
    ended: ended(),
    async stop() {
      await child.kill()
      if (from.kind === 'folder') return
      const above = workDirectoryFor(data)
      const left = readdirSync(above).filter((each) => each.startsWith(verifyDirectoryPrefix(child.pid)))
      for (const each of left) rmSync(join(above, each), { recursive: true, force: true })
    },
  }
}

interface Verified {
  readonly good: boolean
  readonly problems: readonly string[]
  readonly devices: number
}
