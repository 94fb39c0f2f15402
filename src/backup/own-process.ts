import { setPriority } from 'node:os'
import { join } from 'node:path'
import { ACTING_FOR } from '../system/operator.ts'

/** As `nice` counts: below everything that somebody waits for. */
const PRIORITY = 10

type Environment = Readonly<Record<string, string | undefined>>

export interface OwnProcess {
  readonly pid: number
  readonly ended: Promise<OwnEnd>
  /** Resolves when it has gone. */
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
 * A command of this program as a process of its own: what takes seconds of one thread, calls and pushes are not to wait
 * for. `env`: where it is told how a bucket is reached.
 */
export function runOwnProcess(args: readonly string[], env: Environment): OwnProcess {
  const child = Bun.spawn(
    [...program(), ...args],
    // A Ctrl-C at the terminal is for the service, which then ends this.
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

/** What is sealed is opened by none of these: of what the service knows they get what a bucket asks for, and no key. */
function needed(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('BELLHOP_') && name !== 'CREDENTIALS_DIRECTORY')
  // Nobody has asked for it: that is nothing for the audit log.
  return { ...Object.fromEntries(kept), [ACTING_FOR]: '{}' }
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
