import { every, SECOND_MS } from '../../clock.ts'
import type { GroupCommit } from '../../database/group-commit.ts'
import { logError } from '../../log.ts'
import { isoTime } from '../../text/format.ts'
import { HEARTBEAT_MS, startServiceClock } from '../../time/service-clock.ts'
import type { ServiceClock, ServiceMoment } from '../../time/service-clock.ts'
import { createServiceTimeStore } from '../../time/service-time-store.ts'
import { createQuotaLedger } from '../../usage/quota-ledger.ts'
import type { QuotaLedger } from '../../usage/quota-ledger.ts'
import type { Service } from '../service.ts'

interface Dependencies extends Pick<Service, 'database' | 'clock' | 'log' | 'opened'> {
  readonly group: Pick<GroupCommit, 'alongside' | 'commit'>
}

/** How much of the ledger a crash may lose, if no other write carries it. */
const LEDGER_MS = SECOND_MS

export function keepLedger({ database, group, clock, log, opened }: Dependencies): QuotaLedger {
  const ledger = createQuotaLedger({
    database,
    clock,
    onMostUsed: ({ number: application, limits: { quota } }, { endsAt }) =>
      log.warn('80 % of the quota is used: calls without the secret are refused until it resets', {
        application,
        quota,
        endsAt: isoTime(endsAt),
      }),
  })
  group.alongside(() => ledger.flush())
  const write = () => ledger.dirty && void group.commit(() => undefined).catch(logError(log))
  opened.defer(every(clock, LEDGER_MS, write))
  return ledger
}

interface TimeDependencies extends Dependencies {
  readonly ttlClock: 'elapsed' | 'wall'
}

/**
 * At most once a second, and by itself when the time of day was set: a transaction
 * that writes a time finds the current offset.
 */
export function keepServiceTime({ clock, log, database, group, ttlClock, opened }: TimeDependencies): ServiceClock {
  const store = createServiceTimeStore({ database })
  let stored = store.last()
  const time = startServiceClock({ clock, log, last: stored, followsJumps: ttlClock === 'wall' })
  let isWriting = false

  /** Whether the stored offset is from before the clock was set. */
  const isOfOtherClock = ({ service, wall }: ServiceMoment): boolean =>
    stored === null || wall - service !== stored.wall - stored.service

  group.alongside(() => {
    // A rolled back transaction took its write with it.
    stored = store.last()
    const moment = time.look()
    if (!isOfOtherClock(moment) && moment.service - (stored?.service ?? 0) < SECOND_MS) return
    store.note(moment)
    stored = moment
  })

  async function look(): Promise<void> {
    if (!isOfOtherClock(time.look()) || isWriting) return
    isWriting = true
    await group.commit(() => undefined).catch(logError(log))
    isWriting = false
  }

  opened.defer(every(clock, HEARTBEAT_MS, () => void look()))
  return time
}
