import type { Limits } from '../../application/application.ts'
import { choice, integer } from '../../settings/setting-type.ts'
import type { SettingType } from '../../settings/setting-type.ts'
import type { FlagSpec, ParsedArguments } from '../command.ts'
import { indented } from './app-text.ts'

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

type Switch = 'pushId' | 'secretEverywhere' | 'verifyUsers' | 'adoptImported'
type LimitWithValue = Exclude<keyof Limits, Switch>

const LIMITS: {
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

/** `--flag` turns it on, `--no-flag` off. */
const SWITCHES: Readonly<Record<Switch, { readonly flag: string; readonly on: string; readonly off: string }>> = {
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

/** In the order in which help and `app limits` show them. */
export const LIMIT_FLAGS: readonly FlagSpec[] = [
  ...Object.values(LIMITS).map(([name, type, doc]) => ({ name, placeholder: type.placeholder, doc, type })),
  ...Object.values(SWITCHES).flatMap(({ flag, on, off }) => [
    { name: flag, placeholder: null, doc: on },
    { name: `no-${flag}`, placeholder: null, doc: off },
  ]),
]

/** Of each of these pairs one at the most may stand. */
export const EXCLUSIVE_LIMIT_FLAGS = Object.values(SWITCHES).map(({ flag }) => [flag, `no-${flag}`])

/** What the flags, which are right each by itself, change. */
export function limitsIn(flags: ParsedArguments['flags']): Partial<Limits> {
  const valued = Object.entries(LIMITS).flatMap(([name, [flag, type]]) => {
    const text = flags.get(flag)
    return text === undefined ? [] : [[name, type.read(text)] as const]
  })
  const switched = Object.entries(SWITCHES).flatMap(([name, { flag }]) =>
    flags.has(flag) || flags.has(`no-${flag}`) ? [[name, flags.has(flag)] as const] : [],
  )
  return Object.fromEntries([...valued, ...switched])
}

/** What 0 says of a limit, where it is not that there is none. */
const WHEN_ZERO: Partial<Record<keyof Limits, string>> = { confirmAbove: 'off', holdSeconds: 'off' }

/** A switch that nobody has turned is `null`. */
const SWITCHED: Readonly<Record<string, string>> = { true: 'on', false: 'off', null: 'unset' }

export function limitsText(limits: Limits): string {
  const rows = Object.entries(LIMITS).map(([name, [flag, , doc]]) => {
    const limit = name as LimitWithValue
    const value = limits[limit]
    return [flag, value === 0 ? (WHEN_ZERO[limit] ?? 'unlimited') : String(value), doc]
  })
  const switches = Object.entries(SWITCHES).map(([name, { flag, on }]) => [
    flag,
    SWITCHED[String(limits[name as Switch])] ?? '',
    on,
  ])
  return `${indented([...rows, ...switches]).join('\n')}\n`
}
