import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { workDirectoryFor } from '../database/regular-file.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { writtenIn } from './newest.ts'
import { runOwnProcess } from './own-process.ts'
import type { RepositoryPlace } from './repository.ts'

/** A problem: it could not be opened, so its state is unknown. */
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
  readonly data: string
  readonly from: RepositoryPlace
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Names directories beside the database in which the process `pid` checks backups from a bucket. */
export function verifyDirectoryPrefix(pid: number): string {
  return `verifying-${pid}-`
}

/** `bellhop backup verify` as a process beside the service: reads all of one backup. */
export function verifyProcess(name: string, { data, from, env }: Options): Verifying {
  const child = runOwnProcess(['backup', 'verify', `--data=${data}`, '--json', '--', writtenIn(from, name)], env)

  async function ended(): Promise<VerifyOutcome> {
    const { stdout, complaint, how } = await child.ended
    if (stdout === '') return problem(complaint ?? `bellhop backup verify ended with ${how}.`)
    // Ignores whether the key opens the records: the service may have another one.
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
