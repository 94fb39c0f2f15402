import type { Application } from '../application/application.ts'
import type { WantedFilter } from '../audience/filter-schema.ts'
import type { Filter } from '../audience/filter.ts'
import { PHONES, PLATFORMS } from '../device/device.ts'

/**
 * The filter with its platforms: where nothing says them, those of the contract, and browsers where the application can
 * send to some. `credentials`: those that it has.
 */
export function reaching(
  wanted: WantedFilter,
  { simulated }: Pick<Application, 'simulated'>,
  credentials: () => readonly { readonly provider: string }[],
): Filter {
  const { platforms } = wanted
  if (platforms !== null) return { ...wanted, platforms }
  const hasWebPush = simulated || credentials().some(({ provider }) => provider === 'webpush')
  return { ...wanted, platforms: hasWebPush ? PLATFORMS : PHONES }
}
