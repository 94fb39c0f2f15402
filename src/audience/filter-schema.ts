import type { Platform } from '../device/device.ts'
import type { Input } from '../http/fields.ts'
import type { Filter } from './filter.ts'
import { NARROWINGS } from './narrowings.ts'

type Narrowings = typeof NARROWINGS

const ENTRIES = Object.entries(NARROWINGS) as unknown as readonly (readonly [
  keyof Narrowings,
  Narrowings[keyof Narrowings],
])[]

export const filterFields = Object.fromEntries(ENTRIES.map(([name, { said }]) => [name, said])) as {
  readonly [Name in keyof Narrowings]: Narrowings[Name]['said']
}

/** `platforms` `null`: the caller names none. */
export type WantedFilter = Omit<Filter, 'platforms'> & { readonly platforms: readonly Platform[] | null }

export function filterOf(input: Input<typeof filterFields> & { readonly platform: readonly Platform[] }): Filter {
  return { ...wantedFilterOf(input), platforms: input.platform }
}

export function wantedFilterOf(input: Input<typeof filterFields>): WantedFilter {
  const entries = ENTRIES.map(([name, { key, unsaid }]) => [key, input[name] ?? unsaid] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as unknown as WantedFilter
}

/** Only platforms narrow the audience. */
export function isBroadcast(filter: WantedFilter): boolean {
  return ENTRIES.every(([name, { demand }]) => name === 'platform' || demand({ ...filter, platforms: [] }) === null)
}
