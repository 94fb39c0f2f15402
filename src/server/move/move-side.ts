import { createApplicationStore } from '../../application/application-store.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import { createMoveStore, thawFrozen } from '../../move/move-store.ts'
import type { MoveStore } from '../../move/move-store.ts'
import { createArrivalRows } from '../../move/rows-store.ts'
import { createRowGuard } from '../../move/row-guard.ts'
import type { WebhookSender } from '../../webhook/webhook-sender.ts'
import { createEraseContents } from '../erasure/erase-application.ts'
import type { Senders } from '../sending/senders.ts'
import type { Service } from '../service.ts'
import { createArrivals } from './arrivals.ts'
import { createDepartures } from './departures.ts'
import { createForwarding } from './forwarding.ts'

export function whereApplicationsAre({ database, clock, config, key, log, directory, opened }: Service) {
  database.transact(() => thawFrozen(database))
  directory.reload()
  const stored = { database, clock, key }
  const moves = createMoveStore(stored)
  const forwarding = createForwarding({ config, clock, log, moves })
  // First of all: an application is never neither here nor elsewhere.
  opened.defer(directory.onChange(forwarding.load))
  return { moves, hooks: createHookStore(stored), forwarding }
}

type Dependencies = Service &
  Pick<Parameters<typeof createArrivals>[0], 'publicUrl' | 'disk' | 'hasRoom'> & {
    readonly moves: MoveStore
    readonly hooks: HookStore
    readonly senders: Pick<Senders, 'pool'>
    readonly webhooks: WebhookSender
  }

export function startMoveSide(service: Dependencies) {
  const { database, clock, commit, directory, opened } = service
  const eraseContents = createEraseContents({ database }, commit)
  const applications = createApplicationStore({ database, clock })
  const rows = createArrivalRows(database)
  const guard = createRowGuard(database)

  /** `id`: it may have come back with another number. */
  async function eraseApplication(application: number, id: string): Promise<void> {
    await eraseContents(application)
    await commit(() => {
      if (rows.numberOf(id) === application) applications.remove(id)
      guard.end(application)
    })
    directory.reload()
  }

  const parts = { ...service, guard, eraseApplication, pool: service.senders.pool }
  const arrivals = createArrivals(parts)
  opened.defer(arrivals.stop)
  const departures = createDepartures(parts)
  opened.defer(departures.stop)
  departures.resume()
  return { arrivals, departures, moves: service.moves }
}
