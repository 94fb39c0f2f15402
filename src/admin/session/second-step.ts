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

/** Tries a second that come back. One in five minutes, of a million codes: guessing takes decades. */
const RATE = 1 / 300

const CAPACITY = 1000

export type FirstFactor = 'password' | 'link'

interface Step {
  readonly administrator: Administrator
  readonly first: FirstFactor
  /** The password's hash: the step ends when it changes. */
  readonly hash: string | null
  /** Ms since the Unix epoch. */
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
 * The second step of signing in: right first factor → `begin` → `finish`, by a code. A step ends after `STEP_MS`, with a
 * restart, and when the password or the second factor changes. Without the right password nobody learns whether there is
 * a second factor.
 */
export function createSecondSteps({ clock, administrators, secondFactors }: Dependencies) {
  const steps = new Map<string, Step>()
  const tries = createBucketTable(CAPACITY)

  /** Uses a right code up; in a transaction. Only wrong codes count towards the limit. */
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

    /** Returns the step's secret; `null`: the administrator has no second factor. */
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
