import { LIMIT_SWITCHES, LIMIT_VALUES } from '../../application/application.ts'
import type { Limits, LimitWithValue, Switch } from '../../application/application.ts'
import { switchFlag } from '../command.ts'
import type { FlagSpec, ParsedArguments } from '../command.ts'
import { indented } from './app-text.ts'

export const LIMIT_FLAGS: readonly FlagSpec[] = [
  ...Object.values(LIMIT_VALUES).map(([name, type, doc]) => ({ name, placeholder: type.placeholder, doc, type })),
  ...Object.values(LIMIT_SWITCHES).flatMap(({ flag, on, off }) => [
    switchFlag(flag, on),
    switchFlag(`no-${flag}`, off),
  ]),
]

export const EXCLUSIVE_LIMIT_FLAGS = Object.values(LIMIT_SWITCHES).map(({ flag }) => [flag, `no-${flag}`])

export function limitsIn(flags: ParsedArguments['flags']): Partial<Limits> {
  const valued = Object.entries(LIMIT_VALUES).flatMap(([name, [flag, type]]) => {
    const text = flags.get(flag)
    return text === undefined ? [] : [[name, type.read(text)] as const]
  })
  const switched = Object.entries(LIMIT_SWITCHES).flatMap(([name, { flag }]) =>
    flags.has(flag) || flags.has(`no-${flag}`) ? [[name, flags.has(flag)] as const] : [],
  )
  return Object.fromEntries([...valued, ...switched])
}

/** Where 0 is not "unlimited". */
const WHEN_ZERO: Partial<Record<keyof Limits, string>> = { confirmAbove: 'off', holdSeconds: 'off' }

const SWITCHED: Readonly<Record<string, string>> = { true: 'on', false: 'off', null: 'unset' }

export function limitsText(limits: Limits): string {
  const rows = Object.entries(LIMIT_VALUES).map(([name, [flag, , doc]]) => {
    const limit = name as LimitWithValue
    const value = limits[limit]
    return [flag, value === 0 ? (WHEN_ZERO[limit] ?? 'unlimited') : String(value), doc]
  })
  const switches = Object.entries(LIMIT_SWITCHES).map(([name, { flag, on }]) => [
    flag,
    SWITCHED[String(limits[name as Switch])] ?? '',
    on,
  ])
  return `${indented([...rows, ...switches]).join('\n')}\n`
}
