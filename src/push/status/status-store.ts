import { and, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Database } from '../../database/database.ts'
import { late } from '../../database/late-statement.ts'
import { delivery, device, push as pushTable, pushException } from '../../database/schema.ts'
import { unpackToken } from '../../device/device.ts'
import type { Platform } from '../../device/device.ts'
import { createReceiptCounts } from '../../stats/receipt-count-store.ts'
import type { ReceiptCounts } from '../../stats/receipt.ts'
import { SCHEDULED } from '../push-store.ts'
import { createPushTexts } from '../push-text-store.ts'
import type { LanguageFacts } from './status-answer.ts'
import { createProgressStore } from './progress-store.ts'
import type { FailedRecipient, FailedState, StoredPush } from './status.ts'
import { PLATFORMS } from '../../platform.ts'

/** Without most devices that were never sent to. */
interface FailureCounts {
  readonly reasons: ReadonlyMap<string, number>
  /** By tag or `OWN_TEXT`; empty if the push has one text. */
  readonly languages: ReadonlyMap<string, number>
}

/** Rows read before the event loop gets a turn: about 2 ms. */
const CHUNK = 2000

/** Rows, with tokens of up to 4 KiB, in memory at a time. */
const PAGE = 200

const p = alias(pushTable, 'p')

/** Raw SQL: of a single table drizzle doesn't qualify column names. */
const PUSH = {
  number: p.number,
  id: p.id,
  createdAt: p.createdAt,
  sendAt: p.sendAt,
  releasedAt: p.releasedAt,
  cancelledAt: p.cancelledAt,
  wavesToCome: sql<number>`(SELECT count(*) FROM push c
    WHERE c.parent = p.number AND c.released_at IS NULL AND c.cancelled_at IS NULL)`,
}

const FAILED = `state IN ('rejected', 'gone', 'expired')`

export type StatusStore = ReturnType<typeof createStatusStore>

/** Callers see a push by local time as one, without its waves. */
export function createStatusStore({ database }: { database: Pick<Database, 'reading' | 'readingOrm'> }) {
  const { find, page, scheduled, parts, failures } = prepareStatements(database.readingOrm)
  // Both come from partial indexes.
  const unfinished = database.reading<{ count: number }, [number]>(
    `SELECT (SELECT count(DISTINCT push) FROM delivery
         WHERE application = ?1 AND platform IN (${PLATFORMS.join()}) AND finished_at IS NULL)
       + (SELECT count(DISTINCT coalesce(parent, number)) FROM push
         WHERE ${SCHEDULED} AND application = ?1) AS count`,
  )
  const reasons = database.reading<
    { failed: number; reason: string; language: string | null; count: number; last: number },
    [number, Platform, number, number]
  >(
    `SELECT ${FAILED} AS failed, reason, language, count(*) AS count, max(device) AS last FROM (
       SELECT state, reason, language, device FROM push_exception WHERE push = ? AND platform = ? AND device > ?
       ORDER BY device LIMIT ?)
     GROUP BY 1, 2, 3`,
  )
  const accepted = database.reading<{ language: string; accepted: number }, [number]>(
    `SELECT language, sum(accepted) AS accepted FROM delivery_language
     WHERE push IN (SELECT number FROM push WHERE number = ?1 OR parent = ?1) GROUP BY language`,
  )
  const { languagesOf } = createPushTexts((sql) => database.reading(sql))
  const reach = createProgressStore((sql) => database.reading(sql)).of
  const receiptCounts = createReceiptCounts({ database })

  return {
    find: (application: number, id: string): StoredPush | null => find.get({ application, id }) ?? null,

    /** Below number `before`, newest first. */
    list: (application: number, before: number, limit: number): StoredPush[] =>
      page.all({ application, before, limit }),

    /** Soonest first. */
    scheduled: (application: number, limit: number): StoredPush[] => scheduled.all({ application, limit }),

    unfinished: (application: number): number => unfinished.get(application)?.count ?? 0,

    reach,

    receipts: (push: number): ReceiptCounts => receiptCounts.of(push),

    factsOf: (push: StoredPush) => ({ push, reach: reach(push.number), receipts: receiptCounts.of(push.number) }),

    /** `null`: the push has one text. */
    languages(push: number, failed: FailureCounts['languages']): LanguageFacts | null {
      const languages = languagesOf(push)
      if (languages === null) return null
      const acceptedIn = new Map(accepted.all(push).map((row) => [row.language, row.accepted]))
      return { tags: languages.tags, accepted: acceptedIn, failed, receipts: receiptCounts.byLanguage(push) }
    },

    /** In parts, so that other work isn't held up. */
    async failureCounts(push: number): Promise<FailureCounts> {
      const [reasonCounts, languageCounts] = [new Map<string, number>(), new Map<string, number>()]
      for (const part of parts.all({ push })) {
        let written = 0
        for (let after = 0, seen = CHUNK; seen === CHUNK;) {
          const groups = reasons.all(part.push, part.platform, after, CHUNK)
          seen = groups.reduce((sum, { count }) => sum + count, 0)
          after = Math.max(after, ...groups.map(({ last }) => last))
          for (const { failed, reason, language, count } of groups) {
            if (failed === 0) continue
            add(reasonCounts, reason, count)
            if (language !== null) add(languageCounts, language, count)
            written += count
          }
          if (seen === CHUNK) await new Promise((resolve) => setImmediate(resolve))
        }
        // Not sent to: the gateway had refused the push for everybody.
        const unasked = part.failed - written - part.removed
        if (part.refused !== null && unasked > 0) add(reasonCounts, part.refused, unasked)
      }
      return { reasons: reasonCounts, languages: languageCounts }
    },

    /** Without devices that weren't sent to before the push expired or was cancelled. */
    *failures(push: number): Generator<FailedRecipient, void> {
      for (const part of parts.all({ push })) {
        for (let after = 0, found = PAGE; found === PAGE;) {
          const rows = failures.all({ push: part.push, platform: part.platform, after, limit: PAGE })
          for (const { token, platform, state, reason, attempts, at } of rows) {
            yield { token: token === null ? null : unpackToken(token), platform, state, reason, attempts, at }
          }
          found = rows.length
          after = rows.at(-1)?.device ?? after
        }
      }
    },
  }
}

function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}

function prepareStatements(orm: Database['readingOrm']) {
  const limit = sql.placeholder('limit')
  const platform = sql.placeholder('platform')
  const inWhole = sql`${delivery.push} IN (
    SELECT number FROM push WHERE number = ${sql.placeholder('push')} OR parent = ${sql.placeholder('push')})`
  const ofApplication = and(eq(p.application, sql.placeholder('application')), isNull(p.parent))
  const pushes = () => orm.select(PUSH).from(p)
  return {
    find: late(() => pushes().where(and(eq(p.id, sql.placeholder('id')), ofApplication))),
    page: late(() =>
      pushes()
        .where(and(ofApplication, sql`${p.takesBack} IS NOT 0`, lt(p.number, sql.placeholder('before'))))
        .orderBy(desc(p.number))
        .limit(limit),
    ),
    scheduled: late(() =>
      pushes()
        .where(
          sql`p.number IN (SELECT coalesce(parent, number) FROM push
          WHERE ${sql.raw(SCHEDULED)} AND application = ${sql.placeholder('application')})`,
        )
        .orderBy(p.sendAt, p.number)
        .limit(limit),
    ),
    parts: late(() =>
      orm
        .select({
          push: delivery.push,
          platform: delivery.platform,
          failed: delivery.failed,
          removed: delivery.removed,
          refused: delivery.refused,
        })
        .from(delivery)
        .where(inWhole)
        .orderBy(delivery.push, delivery.platform),
    ),
    failures: late(() =>
      orm
        .select({
          device: pushException.device,
          platform: pushException.platform,
          token: device.token,
          state: sql<FailedState>`${pushException.state}`,
          reason: pushException.reason,
          attempts: pushException.attempt,
          at: pushException.dueAt,
        })
        .from(pushException)
        .leftJoin(device, eq(device.id, pushException.device))
        .where(
          and(
            eq(pushException.push, sql.placeholder('push')),
            eq(pushException.platform, platform),
            gt(pushException.device, sql.placeholder('after')),
            inArray(pushException.state, ['rejected', 'gone', 'expired']),
          ),
        )
        .orderBy(pushException.device)
        .limit(limit),
    ),
  }
}
