import { choice, integer } from '../settings/setting-type.ts'
import type { SettingType } from '../settings/setting-type.ts'
import type { Limits } from './application.ts'

/** Largest rate, burst. Far beyond what one server answers, and exact in thousandths. */
const MAX_CALLS = 1_000_000
const MAX_QUOTA = 1_000_000_000_000
const MAX_DEVICES = 1_000_000_000
/** A day: longer is what send_at is for. */
const MAX_HOLD_SECONDS = 86_400

const calls = integer(0, MAX_CALLS)

const rate: SettingType<number> = {
  expected: `a number from 0 to ${MAX_CALLS}, with at most 3 decimals`,
  placeholder: 'N',
  read(text) {
    const value = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
    return value <= MAX_CALLS ? value : undefined
  },
}

export type Switch = 'pushId' | 'secretEverywhere' | 'verifyUsers' | 'adoptImported'
export type LimitWithValue = Exclude<keyof Limits, Switch>

/** What each limit with a value may be. `flag`: as `app limits` calls it. */
export const LIMIT_VALUES: {
  readonly [Name in LimitWithValue]: readonly [flag: string, type: SettingType<Limits[Name]>, doc: string]
} = {
  rate: ['rate', rate, 'calls a second for each network address'],
  burst: ['burst', calls, 'calls at once for each network address'],
  backendRate: ['backend-rate', rate, 'calls a second with the secret'],
  backendBurst: ['backend-burst', calls, 'calls at once with the secret'],
  quota: ['quota', integer(0, MAX_QUOTA), 'calls a period'],
  quotaPeriod: ['quota-period', choice('day', 'month'), 'a calendar day or month, UTC'],
  confirmAbove: [
    'confirm-above',
    integer(0, MAX_DEVICES),
    'devices above which a push must name their number; 0 = off',
  ],
  holdSeconds: [
    'hold-seconds',
    integer(0, MAX_HOLD_SECONDS),
    'seconds in which a push to many can be cancelled; 0 = off',
  ],
  maxLabels: [
    'labels',
    integer(0, MAX_DEVICES),
    'tags and types up to which calls without the secret may bring new ones',
  ],
  maxDevices: [
    'devices',
    integer(0, MAX_DEVICES),
    'devices up to which calls without the secret may register new ones',
  ],
}

/** Those that are on or off: `--flag` turns one on, `--no-flag` off. */
export const LIMIT_SWITCHES: Readonly<
  Record<Switch, { readonly flag: string; readonly on: string; readonly off: string }>
> = {
  pushId: {
    flag: 'push-id',
    on: 'the payload carries the id of the push, to report opens with',
    off: 'the payload carries nothing but what was given',
  },
  secretEverywhere: {
    flag: 'secret-everywhere',
    on: 'every call needs the secret, also those that an app makes',
    off: 'an app registers its device with the application id alone',
  },
  verifyUsers: {
    flag: 'verify-users',
    on: 'a user or alias without the secret needs a proof, made with the key of app user-key',
    off: 'an app says whose its device is, and nobody asks for a proof',
  },
  adoptImported: {
    flag: 'adopt-imported',
    on: 'a new token takes the place of an imported device of its user; unset = on with the first import of users',
    off: 'a new token is a device of its own beside the imported one',
  },
}
