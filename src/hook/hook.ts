import type { SignatureName } from './sender-proof.ts'

/** Where another service reports events of an application. */
export interface Hook {
  readonly number: number
  /** Unique on this server; part of its URL. */
  readonly name: string
  /** `Application.number` */
  readonly application: number
  /** JSON */
  readonly template: string
  /** `null`: it has a key. */
  readonly signature: SignatureName | null
  readonly createdAt: number
  readonly changedAt: number
}

export type HookOutcome = 'pushed' | 'ignored' | 'refused'

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const HOOK_NAME = 'a name of 1 to 63 characters of a-z, 0-9, - and _, which starts with a letter or digit'

export const isHookName = (name: string): boolean => NAME.test(name)

/** Sent in the path, or as a bearer token. */
export function newHookKey(random: (length: number) => Uint8Array): string {
  return `bhh_${Buffer.from(random(32)).toString('base64url')}`
}
