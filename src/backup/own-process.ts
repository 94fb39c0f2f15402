import { setPriority } from 'node:os'
import { join } from 'node:path'
import { ACTING_FOR } from '../system/operator.ts'

/** A `nice` value: below everything that somebody waits for. */
const PRIORITY = 10

type Environment = Readonly<Record<string, string | undefined>>

export interface OwnProcess {
  readonly pid: number
  readonly ended: Promise<OwnEnd>
  /** Resolves when it has ended. */
  kill(): Promise<void>
}

export interface OwnEnd {
  readonly code: number | null
  readonly stdout: string
  /** The last line of its standard error; `null`: there is none. */
  readonly complaint: string | null
  /** `code 1`, `SIGKILL` */
  readonly how: string
}

/**
 * Runs a command of this program as a process, for work that would block this thread for seconds. `env`: has the access
 * to the bucket.
 */
export function runOwnProcess(args: readonly string[], env: Environment): OwnProcess {
  const child = Bun.spawn(
    [...program(), ...args],
    // Ctrl-C at the terminal is for the service, which then ends this.
    { env: needed(env), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true },
  )
  lower(child.pid)

  async function end(): Promise<OwnEnd> {
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

function lastComplaint(stderr: string): string | null {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return line === '' ? null : line.replace(/^bellhop: /, '')
}
