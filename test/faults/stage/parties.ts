import { PLATFORM_OF } from '../gateways/arrival.ts'
import type { Arrival } from '../gateways/arrival.ts'
import { keyOf } from './ledger.ts'
import type { Party, Stage } from './stage.ts'

/** The scenario's application, and the others. */
export function partiesOf({ api, ledger, others }: Pick<Stage, 'api' | 'ledger' | 'others'>): readonly Party[] {
  return [{ api, ledger }, ...others]
}

/** Arrivals by the party that owns their device. The first party gets those of unknown devices. */
export function arrivalsOf(
  stage: Pick<Stage, 'api' | 'ledger' | 'others' | 'apns' | 'fcm' | 'pushServices'>,
): readonly (readonly Arrival[])[] {
  const gateways = [stage.apns, stage.fcm, ...stage.pushServices]
  const arrivals = gateways.flatMap((gateway) => gateway.arrivals)
  if (stage.others.length === 0) return [arrivals]
  const parties = partiesOf(stage)
  const sorted = parties.map((): Arrival[] => [])
  const owners = new Map(parties.flatMap(({ ledger }, party) => [...ledger.devices.keys()].map((key) => [key, party])))
  for (const arrival of arrivals) {
    const key = keyOf(PLATFORM_OF[arrival.gateway], arrival.token)
    sorted[owners.get(key) ?? 0]?.push(arrival)
  }
  return sorted
}
