import type { TokenPurpose } from './token-purpose.ts'

export interface Administrator {
  readonly number: number
  readonly name: string
  readonly createdAt: number
}

/** Characters. The maximum leaves room for generated passwords; argon2 has none (RFC 9106). */
export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 1024
export const MAX_NAME = 64

export function isAdminName(name: string): boolean {
  const length = Array.from(name).length
  return length >= 1 && length <= MAX_NAME && name === name.trim() && name.isWellFormed() && !/\p{C}/u.test(name)
}

export function isPassword(password: string): boolean {
  const length = Array.from(password).length
  return length >= MIN_PASSWORD && length <= MAX_PASSWORD && password.isWellFormed()
}

/** For the audit log. `origin`: a network address or a terminal. */
export type Actor = { readonly origin?: string | undefined } & (
  | { readonly kind: 'administrator'; readonly number: number; readonly name: string }
  | {
      readonly kind: 'token'
      readonly name: string
      readonly purpose: TokenPurpose
      /** `null`: never. */
      readonly expiresAt: number | null
    }
  /** `name`: the application, or the system user who ran the command. */
  | { readonly kind: 'application' | 'command'; readonly name: string }
  | { readonly kind: 'nobody' }
)

/** `administrator ann`, `token ci`, `command root`, `nobody`. */
export function actorText(actor: Actor): string {
  return actor.kind === 'nobody' ? 'nobody' : `${actor.kind} ${actor.name}`
}

export function known(actor: Actor | null): Actor {
  return actor ?? withoutCaller()
}

export function withoutCaller(): never {
  throw new Error('a guarded route was reached without a caller')
}
