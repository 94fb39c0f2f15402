import { readFileSync, readlinkSync } from 'node:fs'
import { isatty } from 'node:tty'
import { codeOf } from '../text/error-code.ts'

/**
 * Environment of a command that the service runs: for whom, as JSON of an actor of the admin side. `{}`: for itself, which
 * nobody has asked for.
 */
export const ACTING_FOR = 'BELLHOP_ACTING_FOR'

/** Who runs this process, as far as the system says. */
export interface Operator {
  /** `root`, `root (sudo by ann)`, `998` where that one has no name. */
  readonly user: string
  /** `pts/3`, `pts/3 from 203.0.113.5`, `no terminal`. */
  readonly terminal: string
}

export function operatorOf(env: Readonly<Record<string, string | undefined>>): Operator {
  const [address = ''] = (env['SSH_CONNECTION'] ?? '').split(' ')
  const by = env['SUDO_USER'] ?? ''
  const user = userName(process.geteuid?.() ?? 0)
  return {
    user: by === '' || by === user ? user : `${user} (sudo by ${by})`,
    terminal: address === '' ? terminalName() : `${terminalName()} from ${address}`,
  }
}

/** `bellhop`, or `998` where that one has no name, as systemd's of the moment. Bun's `userInfo` says what USER does. */
export function userName(id: number): string {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.split(':')[2] === String(id))
  return line?.split(':')[0] ?? String(id)
}

function terminalName(): string {
  const fd = [0, 1, 2].find((one) => isatty(one))
  if (fd === undefined) return 'no terminal'
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).replace(/^\/dev\//, '')
  } catch (error) {
    // No Linux.
    if (codeOf(error) === null) throw error
    return 'terminal'
  }
}
