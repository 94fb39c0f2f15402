import { readdirSync, rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { workDirectoryFor } from '../database/regular-file.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { ACTING_FOR } from '../system/operator.ts'
import { DRAFT, eraseDraft } from './make-backup.ts'
import { writtenIn } from './newest.ts'
import type { RepositoryPlace } from './repository.ts'

/** Below everything that somebody waits for. */
const PRIORITY = 10

type Environment = Readonly<Record<string, string | undefined>>

interface ProcessParts {
  readonly data: string
  readonly env: Environment
}

export type BackupOutcome =
  | {
      readonly kind: 'made'
      readonly bytes: number
      readonly erased: number
      /** A sentence. */
      readonly warning: string | null
    }
  | Problem

export function backupProcess(
  name: string,
  { data, to, keep, env }: ProcessParts & { readonly to: RepositoryPlace; readonly keep: number },
) {
  const child = runOwnProcess(['backup', `--keep=${keep}`, `--data=${data}`, '--json', '--', writtenIn(to, name)], env)

  async function ended(): Promise<BackupOutcome> {
    const { code, stdout, complaint, how } = await child.ended
    if (code !== 0) return problem(complaint ?? `bellhop backup ended with ${how}.`)
    const { bytes, erased } = JSON.parse(stdout) as { bytes: number; erased: readonly string[] }
    return { kind: 'made', bytes, erased: erased.length, warning: complaint }
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
  stop(): Promise<void>
}

/** Names directories beside the database in which the process `pid` checks backups from a bucket. */
export function verifyDirectoryPrefix(pid: number): string {
  return `verifying-${pid}-`
}

export function verifyProcess(
  name: string,
  { data, from, env }: ProcessParts & { readonly from: RepositoryPlace },
): Verifying {
  const child = runOwnProcess(['backup', 'verify', `--data=${data}`, '--json', '--', writtenIn(from, name)], env)

  async function ended(): Promise<VerifyOutcome> {
    const { stdout, complaint, how } = await child.ended
    if (stdout === '') return problem(complaint ?? `bellhop backup verify ended with ${how}.`)
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

/**
 * Runs a command of this program as a process, for work that would block this thread for seconds. `env`: has the access
 * to the bucket.
 */
function runOwnProcess(args: readonly string[], env: Environment) {
  const child = Bun.spawn(
    [...program(), ...args],
    // Ctrl-C at the terminal is for the service, which then ends this.
    { env: needed(env), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true },
  )
  lower(child.pid)

  /** `how`: `code 1`, `SIGKILL`. */
  async function end() {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const how = child.signalCode === null ? `code ${child.exitCode}` : String(child.signalCode)
    return { code: child.exitCode, stdout, complaint: lastComplaint(stderr), how }
  }

  return {
    pid: child.pid,
    ended: end(),
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Only what a bucket needs, and no key: none of these processes opens sealed records. */
function needed(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('BELLHOP_') && name !== 'CREDENTIALS_DIRECTORY')
  // Nobody asked for it, so the audit log ignores it.
  return { ...Object.fromEntries(kept), [ACTING_FOR]: '{}' }
}

function program(): readonly string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
}

function lower(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch (error) {
    // It has ended, or a sandbox forbids it.
    if (!(error instanceof Error) || !('syscall' in error)) throw error
  }
}

/** `null`: none. */
function lastComplaint(stderr: string): string | null {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return line === '' ? null : line.replace(/^bellhop: /, '')
}
