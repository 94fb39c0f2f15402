import { setPriority } from 'node:os'
import { join } from 'node:path'
import { workDirectoryFor } from '../database/regular-file.ts'
import type { Destination } from './destination.ts'
import { DRAFT, eraseDraft } from './make-backup.ts'
import type { Making } from './schedule.ts'

interface Options {
  /** The data directory. */
  readonly data: string
  readonly to: Extract<Destination, { kind: 'folder' | 'prefix' }>
  readonly keep: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/** As `nice` counts: below everything that somebody waits for. */
const PRIORITY = 10

/**
 * `bellhop backup` as a process of its own: a copy takes seconds of one thread, which calls and pushes are not to wait
 * for.
 */
export function backupProcess(name: string, { data, to, keep, env }: Options): Making & { readonly pid: number } {
  const child = Bun.spawn(
    [...program(), 'backup', `--keep=${keep}`, `--data=${data}`, '--json', '--', placeOf(name, to)],
    // A Ctrl-C at the terminal is for the service, which then ends this.
    { env: needed(env), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true },
  )
  lower(child.pid)

  async function ended() {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const complaint = lastComplaint(stderr)
    if (child.exitCode === 0) {
      const { bytes, erased } = JSON.parse(stdout) as { bytes: number; erased: readonly string[] }
      return { kind: 'made' as const, bytes, erased: erased.length, warning: complaint }
    }
    const end = child.signalCode === null ? `code ${child.exitCode}` : child.signalCode
    return { kind: 'problem' as const, problem: complaint ?? `bellhop backup ended with ${end}.` }
  }

  const outcome = ended()
  return {
    pid: child.pid,
    ended: outcome,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      eraseDraft(join(to.kind === 'folder' ? to.path : workDirectoryFor(data), name + DRAFT))
    },
  }
}

function placeOf(name: string, to: Options['to']): string {
  return to.kind === 'folder' ? join(to.path, name) : `s3://${to.bucket}/${to.prefix}${name}`
}

/** It copies what is sealed and opens nothing: of what the service knows it gets what a bucket asks for, and no key. */
function needed(env: Options['env']): Options['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('BELLHOP_') && name !== 'CREDENTIALS_DIRECTORY'),
  )
}

/** This program; run from source, its first file. */
function program(): readonly string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
}

function lower(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch (error) {
    // Over already, or a sandbox does not let it: then it runs like any other.
    if (!(error instanceof Error) || !('syscall' in error)) throw error
  }
}

function lastComplaint(stderr: string): string | null {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return line === '' ? null : line.replace(/^bellhop: /, '')
}
