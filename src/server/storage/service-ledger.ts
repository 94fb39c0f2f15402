import { every } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { GroupCommit } from '../../database/group-commit.ts'
import { noted } from '../../log.ts'
import type { Log } from '../../log.ts'
import { isoTime } from '../../text/format.ts'
import { createQuotaLedger } from '../../usage/quota-ledger.ts'
import type { QuotaLedger } from '../../usage/quota-ledger.ts'

/** How much of the ledger a crash may lose, if no other write carries it. */
const LEDGER_MS = 1000

interface Dependencies {
  readonly database: Database
  readonly group: Pick<GroupCommit, 'alongside' | 'commit'>
  readonly clock: Clock
  readonly log: Log
  readonly opened: AsyncDisposableStack
}

/** Written along with other writes. */
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
  const write = () => ledger.dirty && void group.commit(() => undefined).catch(noted(log))
  opened.defer(every(clock, LEDGER_MS, write))
  return ledger
}
