import { DatabaseRefused } from '../database/database-refused.ts'
import { codeOf, messageOf } from '../text/error-code.ts'

/** `warning`: works, but not for long or not for everyone. `skipped`: could not be checked. */
export type State = 'ok' | 'warning' | 'failed' | 'skipped'

/** Never contains a secret, a token or part of a key. */
export interface Finding {
  readonly state: State
  /** One sentence. */
  readonly found: string
  /** One sentence, if there is something to do. */
  readonly advice: string | null
}

export const GROUPS = ['machine', 'gateways', 'database', 'application'] as const
export type Group = (typeof GROUPS)[number]

export interface DoctorCheck extends Finding {
  /** Stable: scripts rely on it. */
  readonly id: string
  readonly group: Group
  /** Set in the group `application` only. */
  readonly application: { readonly id: string; readonly name: string } | null
  readonly ms: number
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: null }
}

/** Fine, but could be better. */
export function note(found: string, advice: string): Finding {
  return { state: 'ok', found, advice }
}

export function warning(found: string, advice: string): Finding {
  return { state: 'warning', found, advice }
}

export function failing(found: string, advice: string): Finding {
  return { state: 'failed', found, advice }
}

export function skipped(found: string, advice: string | null = null): Finding {
  return { state: 'skipped', found, advice }
}

/** For a check that threw; the other checks still run. */
export function findingOf(error: unknown): Finding {
  if (error instanceof DatabaseRefused)
    return failing(error.message, 'Until then, neither serve nor commands can use it.')
  const message = messageOf(error)
  const code = codeOf(error) ?? ''
  const named = message.includes(code) ? message : `${message} (${code})`
  return failing(`This could not be checked: ${named}.`, code.startsWith('SQLITE_') ? RESTORE : LOOK)
}

const LOOK = "Run doctor as the server's user, and report it if it persists."
const RESTORE = 'If the database is damaged, restore a backup: bellhop help restore.'

export interface CheckList {
  look(
    place: Pick<DoctorCheck, 'id' | 'group'> & Partial<Pick<DoctorCheck, 'application'>>,
    check: () => Finding | Promise<Finding>,
  ): Promise<Finding>
  /** Ordered by group, then by start. */
  checks(): readonly DoctorCheck[]
}

export function createCheckList(stopwatch: () => number): CheckList {
  const checks: DoctorCheck[] = []
  let begun = 0
  return {
    async look({ id, group, application = null }, check) {
      const at = begun++
      const started = stopwatch()
      let finding: Finding
      try {
        finding = await check()
      } catch (error) {
        finding = findingOf(error)
      }
      checks[at] = { id, group, application, ...finding, ms: Math.round((stopwatch() - started) * 10) / 10 }
      return finding
    },
    checks: () => {
      const applications = [...new Set(checks.map(({ application }) => application?.id))]
      const rank = ({ group, application }: DoctorCheck): number =>
        GROUPS.indexOf(group) * applications.length + applications.indexOf(application?.id)
      return checks.toSorted((a, b) => rank(a) - rank(b))
    },
  }
}
