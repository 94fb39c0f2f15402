import { readFileSync, readlinkSync } from 'node:fs'
import { isatty } from 'node:tty'
import { codeOf } from '../text/error-code.ts'

/**
 * Environment variable of a command that the service runs for an administrator: the actor as JSON. `{}`: for the
 * service itself.
 */
export const ACTING_FOR = 'BELLHOP_ACTING_FOR'

export interface Operator {
  /** `root`, `root (sudo by ann)`, or `998` if that user has no name. */
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

/** systemd's dynamic users may have no name: then the number. Bun's `userInfo` only repeats USER. */
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
