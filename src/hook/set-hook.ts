import type { Application } from '../application/application.ts'
import { hashSecret } from '../application/secret.ts'
import type { HookProof, HookStore } from './hook-store.ts'
import { HOOK_NAME, isHookName } from './hook.ts'
import type { Hook } from './hook.ts'
import { templateProblems } from './push-of-event.ts'
import { SIGNATURES } from './sender-proof.ts'
import type { SignatureName } from './sender-proof.ts'

/** For an existing hook, `signature` `undefined` keeps its proof, unless `newKey`. */
export interface HookChange {
  readonly name: string
  /** JSON */
  readonly template: string
  readonly signature?: SignatureName | undefined
  /** The signing secret, as the sender shows it. */
  readonly secret?: string | undefined
  readonly newKey?: boolean | undefined
}

/** `problem` is a sentence that begins with "FIELD ". */
export interface HookProblem {
  readonly field: keyof HookChange
  readonly problem: string
}

type SetHook =
  /** `key`: the only time it is shown; `null`: unchanged, or signed. */
  | { readonly kind: 'set'; readonly hook: Hook; readonly key: string | null; readonly isNew: boolean }
  | { readonly kind: 'wrong'; readonly problems: readonly HookProblem[] }
  | { readonly kind: 'taken' }

/** Problems that need no look at the database. */
export function hookProblems({ name, template, signature, secret, newKey }: HookChange): readonly HookProblem[] {
  const secretProblem =
    signature === undefined || secret === undefined ? null : SIGNATURES[signature].secretProblem(secret)
  return [
    ...(isHookName(name) ? [] : [{ field: 'name', problem: `must be ${HOOK_NAME}.` } as const]),
    ...templateProblems(template).map(
      (problem) => ({ field: 'template', problem: `is not right: ${problem}` }) as const,
    ),
    ...(signature !== undefined && secret === undefined
      ? [{ field: 'secret', problem: 'is required: what the sender signs with.' } as const]
      : []),
    ...(signature === undefined && secret !== undefined
      ? [{ field: 'signature', problem: 'is required with a secret.' } as const]
      : []),
    ...(secretProblem === null ? [] : [{ field: 'secret', problem: `${secretProblem}.` } as const]),
    ...(signature !== undefined && newKey === true
      ? [{ field: 'newKey', problem: 'is for a hook without a signature.' } as const]
      : []),
  ]
}

/** Creates or changes a hook. `made`: a new key, if one is needed. */
export function setHook(
  hooks: Pick<HookStore, 'find' | 'put'>,
  application: Pick<Application, 'number'>,
  change: HookChange,
  made: string,
): SetHook {
  const problems = hookProblems(change)
  if (problems.length > 0) return { kind: 'wrong', problems }
  const before = hooks.find(change.name)
  if (before !== null && before.application !== application.number) return { kind: 'taken' }
  const proof = proofOf(change, before, made)
  const { name, template } = change
  const hook = hooks.put({ name, template, application: application.number }, proof)
  return { kind: 'set', hook, key: proof?.kind === 'key' ? made : null, isNew: before === null }
}

/** `null`: keep the current proof. */
function proofOf({ signature, secret, newKey }: HookChange, before: Hook | null, made: string): HookProof | null {
  if (signature !== undefined) return { kind: 'signature', signature, secret: secret ?? '' }
  return before === null || newKey === true ? { kind: 'key', hash: hashSecret(made) } : null
}
