import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { failure } from '../../failure.ts'
import type { Failure } from '../../failure.ts'
import type { SecondFactorProof, SecondFactorStore } from '../../account/second-factor-store.ts'
import { createBucketTable } from '../../usage/bucket-table.ts'
import { returnToken, secondsToToken, takeToken } from '../../usage/token-bucket.ts'
import { newAdminSecret } from '../admin-secret.ts'
import type { AdministratorStore } from '../administrator-store.ts'
import type { Administrator } from '../administrator.ts'

const STEP_MS = 5 * MINUTE_MS

/** Wrong codes in a row for one administrator, from any address. */
const BURST = 10

/** Tries per second. With one in 5 minutes, guessing one of a million codes takes decades. */
const RATE = 1 / 300

const CAPACITY = 1000

export type FirstFactor = 'password' | 'link'

interface Step {
  readonly administrator: Administrator
  readonly first: FirstFactor
  /** Of the password: the step ends when it changes. */
  readonly hash: string | null
  readonly until: number
}

export type CodeOutcome =
  | { readonly kind: 'right'; readonly proof: SecondFactorProof }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }

export const WRONG_CODE = failure('InvalidCredentials', 'code is wrong or was already used.')

export function tooManyCodes(seconds: number): Failure {
  const sentence = 'Too many wrong codes. Wait, or run bellhop admin reset NAME on the server.'
  return failure('TooManyRequestsError', sentence, { 'retry-after': String(seconds) })
}

type StepOutcome =
  | { readonly kind: 'over' }
  | (CodeOutcome & { readonly administrator: Administrator; readonly first: FirstFactor })

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly administrators: Pick<AdministratorStore, 'hashOf'>
  readonly secondFactors: Pick<SecondFactorStore, 'isOn' | 'prove'>
}

export type SecondSteps = ReturnType<typeof createSecondSteps>

/**
 * The second step of signing in: right first factor → `begin` → `finish`, by a code. A step ends after `STEP_MS`, on a
 * restart, and when the password or second factor changes. Without the right first factor nobody learns whether there
 * is a second.
 */
export function createSecondSteps({ clock, administrators, secondFactors }: Dependencies) {
  const steps = new Map<string, Step>()
  const tries = createBucketTable(CAPACITY)

  /** Uses up a right code; in a transaction. Only wrong codes count towards the limit. */
  function check(administrator: Pick<Administrator, 'number'>, code: string): CodeOutcome {
    const now = clock.now()
    const bucket = tries.bucket(String(administrator.number), BURST, now)
    if (!takeToken(bucket, RATE, BURST, now)) return { kind: 'wait', seconds: secondsToToken(bucket, RATE) }
    const proof = secondFactors.prove(administrator, code)
    if (proof === null) return { kind: 'wrong' }
    returnToken(bucket)
    return { kind: 'right', proof }
  }

  function find(text: string): Step | null {
    const step = steps.get(text)
    if (step === undefined || step.until <= clock.now()) return null
    const { administrator, hash } = step
    return administrators.hashOf(administrator.name) === hash && secondFactors.isOn(administrator) ? step : null
  }

  return {
    check,

    /** Returns the step's secret; `null`: no second factor. */
    begin(administrator: Administrator, first: FirstFactor): string | null {
      if (!secondFactors.isOn(administrator)) return null
      const [oldest] = steps.keys()
      if (steps.size >= CAPACITY && oldest !== undefined) steps.delete(oldest)
      const { text } = newAdminSecret('step')
      const hash = administrators.hashOf(administrator.name)
      steps.set(text, { administrator, first, hash, until: clock.now() + STEP_MS })
      return text
    },

    /** In a transaction. */
    finish(text: string, code: string): StepOutcome {
      const step = find(text)
      if (step === null) {
        steps.delete(text)
        return { kind: 'over' }
      }
      const outcome = check(step.administrator, code)
      if (outcome.kind === 'right') steps.delete(text)
      return { ...outcome, administrator: step.administrator, first: step.first }
    },
  }
}
