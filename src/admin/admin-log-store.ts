import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { DAY_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import type { OfflineWriter } from '../database/offline-database.ts'
import { adminLog as table } from '../database/schema.ts'
import type { AdminLogAnswer } from './api-types/administrator-types.ts'
import { actorText } from './administrator.ts'
import type { Actor } from './administrator.ts'
import { createAuditedState } from './audited-state-store.ts'
import type { Changes } from './audited-state-store.ts'

const KEPT_MS = 400 * DAY_MS

/** Entries erased at a time. */
const STEP = 1000

/** Entries read at a time. */
const PAGE = 500

/** `detail` never has secrets, devices, users or texts. */
export type AdminLogEntry = Omit<AdminLogAnswer['entries'][number], 'at'> & { readonly at: number }

export type AuditMore = Partial<Pick<AdminLogEntry, 'command' | 'changes' | 'result' | 'code'>>

export interface AuditFilter {
  readonly who?: string | undefined
  readonly action?: string | undefined
  /** An application's ID. */
  readonly subject?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'statement' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
}

export type AdminLogStore = ReturnType<typeof createAdminLogStore>

/** An entry never changes, except that `end` closes a `started` one once. */
export function createAdminLogStore({ database, clock }: Options) {
  const { orm } = database
  const statements = {
    insert: late(() =>
      orm
        .insert(table)
        .values(given('at', 'who', 'origin', 'command', 'action', 'subject', 'detail', 'changes', 'result', 'code'))
        .returning({ number: table.number }),
    ),
    end: late(() =>
      orm
        .update(table)
        .set(assigned('subject', 'detail', 'changes', 'result', 'code'))
        .where(eq(table.number, sql.placeholder('number'))),
    ),
    one: late(() =>
      orm
        .select()
        .from(table)
        .where(eq(table.number, sql.placeholder('number'))),
    ),
  }
  const eraseSome = database.statement<{ number: number }, [before: number, limit: number]>(
    'DELETE FROM admin_log WHERE number IN (SELECT number FROM admin_log WHERE at < ? ORDER BY at LIMIT ?) RETURNING number',
  )

  /** Entries before the number `before`, newest first. */
  function page(before: number, limit: number, filter: AuditFilter = {}): AdminLogEntry[] {
    const rows = orm
      .select()
      .from(table)
      .where(and(lt(table.number, before), ...conditionsOf(filter)))
      .orderBy(desc(table.number))
      .limit(limit)
      .all()
    return rows.map(entryOf)
  }

  return {
    page,

    add(
      actor: Actor,
      action: string,
      subject = '',
      detail: AdminLogEntry['detail'] = {},
      more: AuditMore = {},
    ): number {
      return statements.insert.get(rowOf(clock.now(), actor, action, subject, detail, more)).number
    },

    /** Closes a `started` entry. */
    end(
      number: number,
      more: Partial<Pick<AdminLogEntry, 'subject' | 'detail' | 'changes' | 'result' | 'code'>>,
    ): void {
      const row = statements.one.get({ number })
      if (row === undefined) return
      const { subject, detail, changes, result, code } = { ...entryOf(row), result: 'ok' as const, ...more }
      statements.end.run({
        number,
        subject,
        detail: JSON.stringify(detail),
        changes: JSON.stringify(changes),
        result,
        code,
      })
    },

    /** Of an application's settings, by its ID. */
    watch: createAuditedState({ database, clock }),

    *entries(filter: AuditFilter): Generator<AdminLogEntry> {
      let before = Number.MAX_SAFE_INTEGER
      for (;;) {
        const entries = page(before, PAGE, filter)
        yield* entries
        if (entries.length < PAGE) return
        before = entries.at(-1)?.number ?? 0
      }
    },

    sweep: (now: number): number | null => (eraseSome.all(now - KEPT_MS, STEP).length === STEP ? 0 : null),
  }
}

/** For a database file that no other process has open. */
export function addToFile(
  file: Pick<OfflineWriter, 'run'>,
  ...[at, actor, action, subject, detail, more]: Parameters<typeof rowOf>
): void {
  const row = rowOf(at, actor, action, subject, detail, more)
  const names = Object.keys(row)
  file.run(
    `INSERT INTO admin_log (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(row),
  )
}

function rowOf(
  at: number,
  actor: Actor,
  action: string,
  subject: string,
  detail: AdminLogEntry['detail'],
  { command = '', changes = {}, result = 'ok', code = '' }: AuditMore,
) {
  return {
    at,
    who: actorText(actor),
    origin: actor.origin ?? '',
    command,
    action,
    subject,
    detail: JSON.stringify(detail),
    changes: JSON.stringify(changes),
    result,
    code,
  }
}

function conditionsOf({ who, action, subject, since, until }: AuditFilter): (SQL | undefined)[] {
  return [
    who === undefined ? undefined : sql`instr(lower(${table.who}), ${who.toLowerCase()}) > 0`,
    action === undefined ? undefined : eq(table.action, action),
    subject === undefined ? undefined : eq(table.subject, subject),
    since === undefined ? undefined : gte(table.at, since),
    until === undefined ? undefined : lt(table.at, until),
  ]
}

function entryOf(row: typeof table.$inferSelect): AdminLogEntry {
  return {
    ...row,
    detail: storedJson(row.detail) as AdminLogEntry['detail'],
    changes: storedJson(row.changes) as Changes,
  }
}
