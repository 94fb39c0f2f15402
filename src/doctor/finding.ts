import { DatabaseRefused } from '../database/database-refused.ts'
import { codeOf } from '../text/error-code.ts'

/** `warning`: it works, but not for long, or not for everybody. `skipped`: it could not be looked at. */
export type State = 'ok' | 'warning' | 'failed' | 'skipped'

/** What one check came to. Never holds a secret, a token or a part of a key. */
export interface Finding {
  readonly state: State
  /** One sentence. */
  readonly found: string
  /** A sentence that says what to change; `null` for nothing. */
  readonly advice: string | null
}

/** The parts of the report, in its order. */
export const GROUPS = ['machine', 'gateways', 'database', 'application'] as const
export type Group = (typeof GROUPS)[number]

/** A finding with its place in the report. */
export interface DoctorCheck extends Finding {
  /** Stable: scripts rely on it. */
  readonly id: string
  readonly group: Group
  /** Of the group `application` only. */
  readonly application: { readonly id: string; readonly name: string } | null
  /** How long it took. */
  readonly ms: number
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: null }
}

/** In order, with something that might be better still. */
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

/** A check that broke off says so like any other, and the rest of them go on. */
export function findingOf(error: unknown): Finding {
  if (error instanceof DatabaseRefused)
    return failing(error.message, 'Until then neither serve nor a command works on it.')
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error) ?? ''
  const named = message.includes(code) ? message : `${message} (${code})`
  return failing(`This could not be looked at: ${named}.`, code.startsWith('SQLITE_') ? RESTORE : LOOK)
}

const LOOK = 'Run doctor as the user that serves, and report it if it stays.'
const RESTORE = 'If the database is damaged, put a backup back: bellhop help restore.'
