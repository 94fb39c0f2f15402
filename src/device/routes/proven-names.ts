import type { Application } from '../../application/application.ts'
import type { JudgeProof } from '../../application/user-proofs.ts'
import { failure } from '../../failure.ts'
import type { Failure } from '../../failure.ts'

interface SaidNames {
  /** `''` removes it. */
  readonly user?: string | undefined
  readonly alias?: string | undefined
  readonly user_proof?: Uint8Array | undefined
  readonly alias_proof?: Uint8Array | undefined
}

interface Caller {
  readonly application: Application
  readonly withSecret: boolean
}

type Name = 'user' | 'alias'

interface Judged {
  readonly kind: 'judged'
  readonly aliasProven: boolean
}

const NOTHING_TO_PROVE: Judged = { kind: 'judged', aliasProven: false }

/**
 * Always refuses a wrong proof, or one without its name: otherwise the mistake would show only once proofs are
 * required. `user_proof` also proves an alias that equals the user or comes without one.
 */
export function judgeNames(
  { application, withSecret }: Caller,
  said: SaidNames,
  judge: JudgeProof,
): Judged | { readonly kind: 'unproven'; readonly why: Failure } {
  const mustProve = mustProveNames({ application, withSecret })
  if (!mustProve && said.user_proof === undefined && said.alias_proof === undefined) return NOTHING_TO_PROVE

  const lacking = nameLacking(said)
  if (lacking !== null)
    return unproven(failure('InvalidArgument', `${lacking}_proof proves nothing without ${lacking}.`))

  const { user = '', alias = '', user_proof, alias_proof } = said
  const sharedProof = user === '' || user === alias ? user_proof : undefined
  const names: readonly SaidName[] = [
    { field: 'user', name: user, proof: user_proof, by: 'user_proof' },
    alias_proof === undefined
      ? { field: 'alias', name: alias, proof: sharedProof, by: 'user_proof' }
      : { field: 'alias', name: alias, proof: alias_proof, by: 'alias_proof' },
  ]
  let aliasProven = false
  for (const { field, name, proof, by } of names) {
    if (name === '') continue
    if (proof === undefined) {
      if (mustProve) return unproven(proofNeeded(field))
      continue
    }
    const verdict = judge(application, name, proof)
    if (verdict === 'no-key') return unproven(noKey(by))
    if (verdict === 'wrong') return unproven(wrong(by, field))
    aliasProven = field === 'alias'
  }
  return { kind: 'judged', aliasProven }
}

interface SaidName {
  readonly field: Name
  readonly name: string
  readonly proof: Uint8Array | undefined
  /** The field of the proof. */
  readonly by: 'user_proof' | 'alias_proof'
}

/** A proof without its name; `null`: none. */
function nameLacking({ user = '', alias = '', user_proof, alias_proof }: SaidNames): Name | null {
  if (alias_proof !== undefined && alias === '') return 'alias'
  const isForAlias = alias !== '' && alias_proof === undefined
  return user_proof !== undefined && user === '' && !isForAlias ? 'user' : null
}

export function mustProveNames({ application, withSecret }: Caller): boolean {
  return application.limits.verifyUsers && !withSecret
}

export function broughtUnproven(field: Name): Failure {
  const problem = `replaces would bring the ${field} of that device, so ${field} is needed with ${field}_proof, or "" to leave it, or X-SERVICE-SECRET: this application verifies its users.`
  return failure('InvalidCredentials', problem)
}

function proofNeeded(field: Name): Failure {
  const problem = `${field} needs ${field}_proof, or X-SERVICE-SECRET: this application verifies its users.`
  return failure('InvalidCredentials', problem)
}

function wrong(by: SaidName['by'], field: Name): Failure {
  return failure('InvalidCredentials', `${by} is no proof of this ${field} under a user key of the application.`)
}

function noKey(by: SaidName['by']): Failure {
  return failure('InvalidCredentials', `${by} cannot be checked: the application has no user key.`)
}

function unproven(why: Failure) {
  return { kind: 'unproven', why } as const
}
