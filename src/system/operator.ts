import { readlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { isatty } from 'node:tty'
import { codeOf } from '../text/error-code.ts'

/** Who sits at this process, as far as the system says. */
export interface Operator {
  /** `root`, `root (sudo by ann)`, `user 998` where that one has no name. */
  readonly user: string
  /** `pts/3`, `pts/3 from 203.0.113.5`, `no terminal`. */
  readonly terminal: string
}

export function operatorOf(env: Readonly<Record<string, string | undefined>>): Operator {
  const [address] = (env['SSH_CONNECTION'] ?? '').split(' ')
  const by = env['SUDO_USER'] ?? ''
  const user = userName()
  return {
    user: by === '' || by === user ? user : `${user} (sudo by ${by})`,
    terminal: address === '' || address === undefined ? terminalName() : `${terminalName()} from ${address}`,
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch (error) {
    // libuv says so of a user without an entry in /etc/passwd, as systemd's of the moment or a container's.
    if (codeOf(error) === null) throw error
    return `user ${process.geteuid?.() ?? ''}`
  }
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
