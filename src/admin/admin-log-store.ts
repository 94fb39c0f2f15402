import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { DAY_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import type { OfflineWriter } from '../database/offline-database.ts'
import { adminLog as table } from '../database/schema.ts'
import { actorText } from './administrator.ts'
import type { Actor } from './administrator.ts'
import { createAuditedState } from './audited-state-store.ts'
import type { Changes } from './audited-state-store.ts'

/** How long entries are kept. */
const KEPT_MS = 400 * DAY_MS

/** Entries erased in one step of a sweep. */
const STEP = 1000

/** Entries read at a time for an export. */
const PAGE = 500

/**
 * `started`: something was changed, and the end is not known: it still runs, or was cut off. `refused`: Bellhop would not
 * do it. `failed`: it went wrong.
 */
export type AuditResult = 'started' | 'ok' | 'refused' | 'failed'

/** Something that was done, or asked for. `at`: ms since the Unix epoch. */
export interface AdminLogEntry {
  readonly number: number
  readonly at: number
  /** `administrator ann`, `token ci`, `command root`, `application Shop`. */
  readonly who: string
  /** Network address, or terminal; `''`: not known. */
  readonly origin: string
  /** Command line, without secrets, texts and users; `''`: none. */
  readonly command: string
  readonly action: string
  /** What it was done to, of an application its id; `''`: nothing in particular. */
  readonly subject: string
  /** Never a secret, a device, a user or the text of a message. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly changes: Changes
  readonly result: AuditResult
  /** Why it is not `ok`: the code of a failure, or `exit 1`; else `''`. */
  readonly code: string
}

/** What an entry says besides who did what. */
export type AuditMore = Partial<Pick<AdminLogEntry, 'command' | 'changes' | 'result' | 'code'>>

/** Which entries are wanted; what is left out narrows nothing. */
export interface AuditFilter {
  /** A part of `who`. */
  readonly who?: string | undefined
  readonly action?: string | undefined
  /** The id of an application. */
  readonly subject?: string | undefined
  /** Ms since the Unix epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'statement' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
}

export type AdminLogStore = ReturnType<typeof createAdminLogStore>

/** The audit log. Entries are added, and those that are `started` closed once; otherwise nothing in it changes. */
export function createAdminLogStore({ database, clock }: Options) {
  const { orm } = database
  const state = createAuditedState({ database, clock })
  const statements = {
    insert: late(() =>
      orm
        .insert(table)
        .values({
          at: sql.placeholder('at'),
          who: sql.placeholder('who'),
          origin: sql.placeholder('origin'),
          command: sql.placeholder('command'),
          action: sql.placeholder('action'),
          subject: sql.placeholder('subject'),
          detail: sql.placeholder('detail'),
          changes: sql.placeholder('changes'),
          result: sql.placeholder('result'),
          code: sql.placeholder('code'),
        })
        .returning({ number: table.number })
        .prepare(),
    ),
    end: late(() =>
      orm
        .update(table)
        .set({
          subject: sql`${sql.placeholder('subject')}`,
          detail: sql`${sql.placeholder('detail')}`,
          changes: sql`${sql.placeholder('changes')}`,
          result: sql`${sql.placeholder('result')}`,
          code: sql`${sql.placeholder('code')}`,
        })
        .where(eq(table.number, sql.placeholder('number')))
        .prepare(),
    ),
    one: late(() =>
      orm
        .select()
        .from(table)
        .where(eq(table.number, sql.placeholder('number')))
        .prepare(),
    ),
  }
  const eraseSome = database.statement<{ number: number }, [before: number, limit: number]>(
    'DELETE FROM admin_log WHERE number IN (SELECT number FROM admin_log WHERE at < ? ORDER BY at LIMIT ?) RETURNING number',
  )

  /** The newest first; those before the number `before`. */
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

    /** Its number. */
    add(
      actor: Actor,
      action: string,
      subject = '',
      detail: AdminLogEntry['detail'] = {},
      more: AuditMore = {},
    ): number {
      return statements.insert.get(rowOf(clock.now(), actor, action, subject, detail, more)).number
    },

    /** Closes an entry that is `started`; what is left out stays as it was. */
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

    /** Remembers the settings of an application: the function gives what has changed since. */
    watch: (application: string): (() => Changes) => state.watch(application),

    /** All entries that are wanted, the newest first. */
    *entries(filter: AuditFilter): Generator<AdminLogEntry> {
      let before = Number.MAX_SAFE_INTEGER
      for (;;) {
        const entries = page(before, PAGE, filter)
        yield* entries
        if (entries.length < PAGE) return
        before = entries.at(-1)?.number ?? 0
      }
    },

    /** Erases what is too old, a step at a time. */
    sweep: (now: number): number | null => (eraseSome.all(now - KEPT_MS, STEP).length === STEP ? 0 : null),
  }
}

/** An entry into the database of a file that nobody else has open. */
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
