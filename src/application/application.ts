import { choice, integer } from '../settings/setting-type.ts'
import type { SettingType } from '../settings/setting-type.ts'

/** The tenant: one mobile app. */
export interface Application {
  /** The row's number. Never shown. */
  readonly number: number
  /** X-SERVICE-APPID. Public, since the app contains it. */
  readonly id: string
  readonly name: string
  /** SHA-256. A slow hash is for passwords; a secret has 256 random bits. */
  readonly secretHash: Uint8Array
  readonly previousSecret: { readonly hash: Uint8Array; readonly until: number } | null
  readonly limits: Limits
  /** Pushes go to the built-in simulator instead of Apple and Google. */
  readonly simulated: boolean
}

export const APPLICATION_ID = /^app_[a-z2-7]{16}$/

/** `number` is the row's, `id` is what the seal is bound to. */
export type SecretOwner = Pick<Application, 'number' | 'id'>

/** Largest rate and burst: far more than one server answers, and exact in thousandths. */
const MAX_CALLS = 1_000_000
const MAX_QUOTA = 1_000_000_000_000
const MAX_DEVICES = 1_000_000_000
/** A day: for longer there is send_at. */
const MAX_HOLD_SECONDS = 86_400

const rate: SettingType<number> = {
  expected: `a number from 0 to ${MAX_CALLS}, with at most 3 decimals`,
  placeholder: 'N',
  read(text) {
    const value = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
    return value <= MAX_CALLS ? value : undefined
  },
}

type ValueRule<T> = readonly [flag: string, type: SettingType<T>, doc: string, usual: T]

function value<T>(flag: string, type: SettingType<T>, usual: NoInfer<T>, doc: string): ValueRule<T> {
  return [flag, type, doc, usual]
}

const calls = integer(0, MAX_CALLS)
const devices = integer(0, MAX_DEVICES)

/**
 * Limits with a value: the flag of `app limits`, type, default and meaning. Rates are calls a second. 0 is unlimited,
 * or off for the two limits of pushes (test/api/http/admission.test.ts).
 */
export const LIMIT_VALUES = {
  rate: value('rate', rate, 10, 'calls a second for each network address'),
  burst: value('burst', calls, 100, 'burst for each network address'),
  backendRate: value('backend-rate', rate, 100, 'calls a second with the secret'),
  backendBurst: value('backend-burst', calls, 1000, 'burst with the secret'),
  quota: value('quota', integer(0, MAX_QUOTA), 10_000_000, 'calls a period'),
  quotaPeriod: value('quota-period', choice('day', 'month'), 'month', 'a calendar day or month, UTC'),
  confirmAbove: value('confirm-above', devices, 0, 'a push to more devices must state their number; 0 = off'),
  holdSeconds: value(
    'hold-seconds',
    integer(0, MAX_HOLD_SECONDS),
    0,
    'seconds in which a push to many can be cancelled; 0 = off',
  ),
  maxLabels: value('labels', devices, 100_000, 'calls without the secret may add tags and types up to this number'),
  maxDevices: value('devices', devices, 1_000_000, 'calls without the secret may register devices up to this number'),
} as const

/** Limits that are on or off: `--flag` turns one on, `--no-flag` off. */
export const LIMIT_SWITCHES = {
  pushId: {
    flag: 'push-id',
    usual: true as boolean,
    on: 'the payload includes the push ID, for reporting opens',
    off: 'the payload has only your data',
  },
  secretEverywhere: {
    flag: 'secret-everywhere',
    usual: false as boolean,
    on: 'require the secret for every call, including those of apps',
    off: 'an app registers its device with only the application ID',
  },
  verifyUsers: {
    flag: 'verify-users',
    usual: false as boolean,
    on: 'a user or alias without the secret needs a proof, made with the key of app user-key',
    off: "an app names its device's user without a proof",
  },
  adoptImported: {
    flag: 'adopt-imported',
    // Off until an import brings devices with users.
    usual: null as boolean | null,
    on: 'a new token replaces an imported device of the same user; unset = on after the first import of users',
    off: 'a new token is an additional device beside the imported one',
  },
} as const

export type LimitWithValue = keyof typeof LIMIT_VALUES
export type Switch = keyof typeof LIMIT_SWITCHES

export type Limits = {
  readonly [Name in LimitWithValue]: (typeof LIMIT_VALUES)[Name] extends ValueRule<infer T> ? T : never
} & { readonly [Name in Switch]: (typeof LIMIT_SWITCHES)[Name]['usual'] }

export const DEFAULT_LIMITS = Object.fromEntries([
  ...Object.entries(LIMIT_VALUES).map(([name, [, , , usual]]) => [name, usual]),
  ...Object.entries(LIMIT_SWITCHES).map(([name, { usual }]) => [name, usual]),
]) as unknown as Limits
