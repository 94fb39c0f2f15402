import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { assigned, given, late } from '../../database/late-statement.ts'
import { adminSession as table, administrator } from '../../database/schema.ts'
import { adminDigest, newAdminSecret } from '../admin-secret.ts'
import type { Administrator } from '../administrator.ts'
import { MAX_IDLE_MS, MAX_SESSION_MS } from './session-cookie.ts'

/** So that a session writes once a minute. */
const SEEN_MS = MINUTE_MS

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
}

export type AdminSessionStore = ReturnType<typeof createAdminSessionStore>

/** `isStale`: call `see`. */
export interface AdminSession {
  readonly administrator: Administrator
  readonly isStale: boolean
}

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
        .where(and(mine, isFresh)),
    ),
    insert: late(() => orm.insert(table).values(given('digest', 'administrator', 'createdAt', 'seenAt'))),
    see: late(() => orm.update(table).set(assigned('seenAt')).where(mine)),
    end: late(() => orm.delete(table).where(mine)),
    endAll: late(() => orm.delete(table).where(eq(table.administrator, sql.placeholder('administrator')))),
    sweep: late(() =>
      orm
        .delete(table)
        .where(or(lt(table.seenAt, sql.placeholder('idleSince')), lt(table.createdAt, sql.placeholder('startedAt')))),
    ),
  }
  const limits = (now: number) => ({ idleSince: now - MAX_IDLE_MS, startedAt: now - MAX_SESSION_MS })

  return {
    /** Returns the cookie's value. */
    start({ number: of }: Pick<Administrator, 'number'>): string {
      const { text, digest } = newAdminSecret('session', random)
      const now = clock.now()
      statements.insert.run({ digest, administrator: of, createdAt: now, seenAt: now })
      return text
    },

    find(text: string): AdminSession | null {
      const now = clock.now()
      const row = statements.find.get({ digest: adminDigest(text), ...limits(now) })
      if (row === undefined) return null
      const { seenAt, ...found } = row
      return { administrator: found, isStale: Math.abs(now - seenAt) >= SEEN_MS }
    },

    see: (text: string): void => statements.see.run({ digest: adminDigest(text), seenAt: clock.now() }),

    end: (text: string): void => statements.end.run({ digest: adminDigest(text) }),

    endAll: ({ number: of }: Pick<Administrator, 'number'>): void => statements.endAll.run({ administrator: of }),

    sweep(now: number): null {
      statements.sweep.run(limits(now))
      return null
    },
  }
}
