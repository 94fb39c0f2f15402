import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { problem } from '../failure.ts'
import { openFiles } from '../system/open-files.ts'
import { userName } from '../system/operator.ts'
import { codeOf } from '../text/error-code.ts'
import type { CommandOutcome } from './command.ts'

type Problem = Extract<CommandOutcome, { kind: 'problem' }>

interface Directory {
  readonly data: string
  /** The default: no setting names it. */
  readonly isDefault: boolean
}

/** Why there is no database in a directory that this user can open; `null`: there is one. */
export function noDatabaseIn({ data, isDefault }: Directory): Problem | null {
  const closed = closedTo(data)
  if (closed !== null || existsSync(join(data, 'bellhop.db'))) return closed
  const elsewhere = isDefault ? servedDirectories() : []
  const hint =
    elsewhere.length === 0
      ? ''
      : ` A Bellhop runs here with ${elsewhere.map((each) => `--data ${each}`).join(', and one with ')}.`
  return problem(
    `There is no Bellhop database in ${data}: bellhop app create NAME makes one, --data names another.${hint}`,
  )
}

/** Why this user cannot look into a data directory; `null`: it can, or there is none. */
export function closedTo(data: string): Problem | null {
  try {
    statSync(join(data, 'bellhop.db'))
  } catch (error) {
    if (codeOf(error) === 'EACCES') return problem(strangerText(data))
  }
  return null
}

function strangerText(data: string): string {
  let whose: string
  try {
    whose = `it belongs to user ${userName(statSync(data).uid)}`
  } catch {
    // Something above it keeps this user out.
    whose = 'it belongs to another user'
  }
  return `The data directory ${data} cannot be looked into by user ${userName(process.geteuid?.() ?? 0)}: ${whose}. Use sudo, or run this as that user.`
}

/** The data directories that processes of this machine serve, as far as this user may see them. */
function servedDirectories(): readonly string[] {
  const found = new Set<string>()
  for (const { target } of openFiles()) {
    if (target.endsWith('/serving.lock') && existsSync(join(dirname(target), 'bellhop.db'))) found.add(dirname(target))
  }
  return [...found].slice(0, 3)
}
