import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { late } from '../../database/late-statement.ts'
import { adminSession as table, administrator } from '../../database/schema.ts'
import { adminDigest, newAdminSecret } from '../admin-secret.ts'
import type { Administrator } from '../administrator.ts'
import { MAX_IDLE_MS, MAX_SESSION_MS } from './session-cookie.ts'

/** What a call writes down of itself is no more exact than this, so that reading writes once a minute. */
const SEEN_MS = MINUTE_MS

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** Bytes, as many as asked for. Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

export type AdminSessionStore = ReturnType<typeof createAdminSessionStore>

/** A session that is good, and whether that it is used is to be written down. */
export interface AdminSession {
  readonly administrator: Administrator
  readonly isStale: boolean
}

/** Sessions of browsers: what a cookie holds is good for one administrator, until it is over. */
export function createAdminSessionStore({ database, clock, random }: Options) {
  const { orm } = database
  const mine = eq(table.digest, sql.placeholder('digest'))
  const { number, name, createdAt } = administrator
  const isFresh = and(gt(table.seenAt, sql.placeholder('idleSince')), gt(table.createdAt, sql.placeholder('startedAt')))
  const statements = {
    find: late(() =>
      orm
        .select({ number, name, createdAt, seenAt: table.seenAt })
        .from(table)
        .innerJoin(administrator, eq(administrator.number, table.administrator))
        .where(and(mine, isFresh))
        .prepare(),
    ),
    insert: late(() =>
      orm
        .insert(table)
        .values({
          digest: sql.placeholder('digest'),
          administrator: sql.placeholder('administrator'),
          createdAt: sql.placeholder('now'),
          seenAt: sql.placeholder('now'),
        })
        .prepare(),
    ),
    see: late(() =>
      orm
        .update(table)
        .set({ seenAt: sql`${sql.placeholder('now')}` })
        .where(mine)
        .prepare(),
    ),
    end: late(() => orm.delete(table).where(mine).prepare()),
    endAll: late(() =>
      orm
        .delete(table)
        .where(eq(table.administrator, sql.placeholder('administrator')))
        .prepare(),
    ),
    sweep: late(() =>
      orm
        .delete(table)
        .where(or(lt(table.seenAt, sql.placeholder('idleSince')), lt(table.createdAt, sql.placeholder('startedAt'))))
        .prepare(),
    ),
  }
  const limits = (now: number) => ({ idleSince: now - MAX_IDLE_MS, startedAt: now - MAX_SESSION_MS })

  return {
    /** What the cookie is to hold. */
    start({ number: of }: Pick<Administrator, 'number'>): string {
      const { text, digest } = newAdminSecret('session', random)
      statements.insert.run({ digest, administrator: of, now: clock.now() })
      return text
    },

    /** `null`: there is no such session, or it is over. */
    find(text: string): AdminSession | null {
      const now = clock.now()
      const row = statements.find.get({ digest: adminDigest(text), ...limits(now) })
      if (row === undefined) return null
      const { seenAt, ...found } = row
      return { administrator: found, isStale: Math.abs(now - seenAt) >= SEEN_MS }
    },

    /** It is used. */
    see: (text: string): void => statements.see.run({ digest: adminDigest(text), now: clock.now() }),

    end: (text: string): void => statements.end.run({ digest: adminDigest(text) }),

    /** Everywhere. */
    endAll: ({ number: of }: Pick<Administrator, 'number'>): void => statements.endAll.run({ administrator: of }),

    /** Erases those that are over. */
    sweep(now: number): null {
      statements.sweep.run(limits(now))
      return null
    },
  }
}
