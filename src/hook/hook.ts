import type { SignatureName } from './sender-proof.ts'

/** Where another service reports events of an application. */
export interface Hook {
  readonly number: number
  /** In the path of its calls; no other hook of this server has it. */
  readonly name: string
  /** `Application.number` */
  readonly application: number
  /** JSON */
  readonly template: string
  /** How calls are signed; `null`: they have a key. */
  readonly signature: SignatureName | null
  /** Ms since the Unix epoch. */
  readonly createdAt: number
  /** Ms since the Unix epoch. */
  readonly changedAt: number
}

/** What became of a call whose sender was proven. */
export type HookOutcome = 'pushed' | 'ignored' | 'refused'

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const HOOK_NAME = 'a name of 1 to 63 characters of a-z, 0-9, - and _, which starts with a letter or digit'

export const isHookName = (name: string): boolean => NAME.test(name)

/** What stands in the path, or behind `Authorization: Bearer`, of a call. */
export function newHookKey(random: (length: number) => Uint8Array): string {
  return `bhh_${Buffer.from(random(32)).toString('base64url')}`
}
