import type { TokenPurpose } from './token-purpose.ts'

/** Who may do everything here. They have equal rights. */
export interface Administrator {
  readonly number: number
  readonly name: string
  /** Ms since the Unix epoch. */
  readonly createdAt: number
}

/** In characters. The longest is for a generated one; what is hashed has no limit of its own (RFC 9106). */
export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 1024
export const MAX_NAME = 64

/** 1 to 64 characters, none of them a control character, and no white space at the ends. */
export function isAdminName(name: string): boolean {
  const length = Array.from(name).length
  return length >= 1 && length <= MAX_NAME && name === name.trim() && name.isWellFormed() && !/\p{C}/u.test(name)
}

export function isPassword(password: string): boolean {
  const length = Array.from(password).length
  return length >= MIN_PASSWORD && length <= MAX_PASSWORD && password.isWellFormed()
}

/** Who does something, and from where (`origin`: a network address, or a terminal): to be written down. */
export type Actor = { readonly origin?: string | undefined } & (
  | { readonly kind: 'administrator'; readonly number: number; readonly name: string }
  | {
      readonly kind: 'token'
      readonly name: string
      readonly purpose: TokenPurpose
      /** Ms since the Unix epoch; `null`: never. */
      readonly expiresAt: number | null
    }
  /** `name`: of an application whose secret was sent, or the user of the machine who ran a command. */
  | { readonly kind: 'application' | 'command'; readonly name: string }
  /** Who has not signed in. */
  | { readonly kind: 'nobody' }
)

/** `administrator ann`, `token ci`, `command root`, `nobody`. */
export function actorText(actor: Actor): string {
  return actor.kind === 'nobody' ? 'nobody' : `${actor.kind} ${actor.name}`
}

/** Whose call it is: behind the gate there is somebody. */
export function known(actor: Actor | null): Actor {
  if (actor === null) throw new Error('a guarded route was reached by nobody')
  return actor
}
