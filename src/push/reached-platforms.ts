import type { Application } from '../application/application.ts'
import type { WantedFilter } from '../audience/filter-schema.ts'
import type { Filter } from '../audience/filter.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'
import type { Platform } from '../platform.ts'

/** Adds platforms that the caller didn't name: those of the contract, and optional ones with a credential. */
export function reaching(
  wanted: WantedFilter,
  { simulated }: Pick<Application, 'simulated'>,
  credentials: () => readonly { readonly provider: string }[],
): Filter {
  const { platforms } = wanted
  if (platforms !== null) return { ...wanted, platforms }
  const isReached = (platform: Platform) =>
    !PLATFORM[platform].isOptional ||
    simulated ||
    credentials().some(({ provider }) => provider === PLATFORM[platform].provider)
  return { ...wanted, platforms: PLATFORMS.filter(isReached) }
}
