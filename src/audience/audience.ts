import type { Database } from '../database/database.ts'
import type { Statement, Value } from '../database/statement.ts'
import type { StoredRow, device } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'
import { LABEL_KIND } from '../device/index/label-index.ts'
import { OF_FCM } from '../platform.ts'
import { planOf, planOfOne, usersOf } from './audience-plan.ts'
import type { Plan, Prepare, Scope } from './audience-plan.ts'
import { conditionsOf } from './condition.ts'
import type { LabelId } from './condition.ts'
import type { Audience } from './filter.ts'
import type { ListedDevices } from './listed-devices.ts'
import { lookUpUsers } from './user-lookup.ts'

/** `token` is packed (`unpackToken`); `environment`: 0 production, 1 sandbox. */
export type AudienceRow = Pick<StoredRow<typeof device>, 'id' | 'token' | 'environment' | 'badge'> & {
  /** Absent unless requested. */
  readonly locale?: string | null
  /** 0 Android, 1 iOS. Only for FCM, in an application with iPhones there. */
  readonly fcm_platform?: 0 | 1 | null
}

/** `null`: unknown. */
export type LocaleCount = { readonly locale: string | null; readonly count: number }

/** Registered devices on one platform, in order of ids. */
export interface AudiencePages {
  /**
   * At most `limit` rows with `after` < id <= `last`. Work per call is bounded, so a page may be empty before the end.
   * During the lookup of users, `last` is `after`.
   */
  page(after: number, ceiling: number, limit: number): { readonly rows: readonly AudienceRow[]; readonly last: number }
  /** During the lookup of users: some devices just found, with `after` < id <= `ceiling`. Else none. */
  early(after: number, ceiling: number, limit: number): readonly AudienceRow[]
  /** The devices with `after` < id <= `last`, among `candidates` index entries. At the end `last` is `ceiling`. */
  count(after: number, ceiling: number, candidates: number): { readonly count: number; readonly last: number }
  locales(
    after: number,
    ceiling: number,
    candidates: number,
  ): { readonly counts: readonly LocaleCount[]; readonly last: number }
}

const NOBODY: AudiencePages = {
  page: (_after, ceiling) => ({ rows: [], last: ceiling }),
  early: () => [],
  count: (_after, ceiling) => ({ count: 0, last: ceiling }),
  locales: (_after, ceiling) => ({ counts: [], last: ceiling }),
}

/** Index entries per page: at most 4 ms, or 0.3 ms without checks per device. */
const CANDIDATES = 1000

/** Checks per device on a full page; with more, a page has fewer devices. */
const QUESTIONS = 4

/**
 * Each page continues in one index where the last one ended. Looks up labels now, and users in parts, one with each
 * call: only a complete list can be read by id, and nobody comes twice if users change in between.
 */
export function audiencePages(
  database: Reader,
  audience: Audience,
  application: number,
  platform: Platform,
  { withLocale = false }: { readonly withLocale?: boolean } = {},
): AudiencePages {
  const prepare = rememberedStatements(database)
  const scope = { application, platform }
  if ('device' in audience)
    return audience.platform === platform ? read(prepare, planOfOne(audience.device), scope, withLocale) : NOBODY
  const conditions = conditionsOf(audience.filter, platform, labelIds(prepare, application))
  if (conditions === null) return NOBODY
  const users = usersOf(conditions)
  const lookup = users === null ? null : lookUpUsers(prepare, users, scope)
  const planned = (ofUsers: ListedDevices | null) =>
    read(prepare, planOf(prepare, conditions, scope, ofUsers), scope, withLocale)
  let whole: AudiencePages | null = null
  let latest: ListedDevices | null = null

  /** `null` during the lookup of users. */
  function pages(): AudiencePages | null {
    if (lookup?.isOver === false) latest = lookup.goOn()
    if (lookup?.isOver !== false) whole ??= planned(lookup?.listed() ?? null)
    return whole
  }

  return {
    page: (after, ceiling, limit) => pages()?.page(after, ceiling, limit) ?? { rows: [], last: after },
    early: (...range) => (whole === null && latest !== null ? planned(latest).page(...range).rows : []),
    count: (after, ceiling, candidates) => pages()?.count(after, ceiling, candidates) ?? { count: 0, last: after },
    locales: (after, ceiling, candidates) =>
      pages()?.locales(after, ceiling, candidates) ?? { counts: [], last: after },
  }
}

function read(prepare: Prepare, plan: Plan, { application, platform }: Scope, withLocale: boolean): AudiencePages {
  const members = [plan.members, ...plan.checks].join(' AND ')
  const locale = withLocale ? ', d.locale' : ''
  const fcm = OF_FCM.has(platform) && hasIphones(prepare, application) ? ', d.fcm_platform' : ''
  const rows = prepare<AudienceRow>(
    `SELECT d.id, d.token, d.environment, d.badge${locale}${fcm} ${members} ORDER BY d.id LIMIT ?3`,
  )
  const counted = prepare<{ count: number }>(`SELECT count(*) AS count ${members}`)
  const reached =
    plan.candidates &&
    prepare<{ seen: number; last: number | null }>(
      `SELECT count(*) AS seen, max(id) AS last FROM (${plan.candidates} ORDER BY id LIMIT ?3)`,
    )
  const { listed } = plan
  const scope = [application, platform, ...plan.values]
  const checked = (after: number, upTo: number) => [
    application,
    platform,
    ...(listed?.between(after, upTo) ?? []),
    ...plan.values,
    ...plan.checkValues,
  ]

  /** The last of the next `candidates` index entries; fewer with many checks per device. */
  function reach(after: number, ceiling: number, candidates: number): number {
    const max = Math.ceil(candidates * Math.min(1, QUESTIONS / plan.weight))
    if (listed !== null) return listed.reach(after, ceiling, max)
    if (!reached) return ceiling
    const { seen = 0, last = null } = reached.get(after, ceiling, max, ...scope) ?? {}
    return seen < max || last === null ? ceiling : last
  }

  return {
    page(after, ceiling, limit) {
      // Looking ahead would be half the work of a broadcast's page.
      const upTo = plan.wholeRange ? ceiling : reach(after, ceiling, Math.max(limit, CANDIDATES))
      const found = rows.all(after, upTo, limit, ...checked(after, upTo))
      return { rows: found, last: found.length < limit ? upTo : (found.at(-1)?.id ?? upTo) }
    },

    early: () => [],

    count(after, ceiling, candidates) {
      const last = reach(after, ceiling, candidates)
      return { count: counted.get(after, last, 0, ...checked(after, last))?.count ?? 0, last }
    },

    locales(after, ceiling, candidates) {
      const byLocale = prepare<LocaleCount>(`SELECT d.locale AS locale, count(*) AS count ${members} GROUP BY d.locale`)
      const last = reach(after, ceiling, candidates)
      return { counts: byLocale.all(after, last, 0, ...checked(after, last)), last }
    },
  }
}

/** Most texts repeat: only the number of names matters. */
const MAX_STATEMENTS = 64

type Reader = Pick<Database, 'reading'>

const STATEMENTS = new WeakMap<Reader, Map<string, unknown>>()

function rememberedStatements(database: Reader): Prepare {
  const known = STATEMENTS.get(database) ?? new Map<string, unknown>()
  STATEMENTS.set(database, known)
  return <Row>(sql: string) => {
    const statement = known.get(sql) ?? database.reading<Row, readonly Value[]>(sql)
    if (known.size >= MAX_STATEMENTS) known.clear()
    known.set(sql, statement)
    return statement as Statement<Row, readonly Value[]>
  }
}

function labelIds(prepare: Prepare, application: number): LabelId {
  const byName = prepare<{ id: number }>('SELECT id FROM label WHERE application = ? AND kind = ? AND name = ?')
  return (kind, name) => byName.get(application, LABEL_KIND[kind], name)?.id ?? null
}

/** Behind FCM. */
function hasIphones(prepare: Prepare, application: number): boolean {
  const found = prepare<{ id: number }>(
    'SELECT id FROM device INDEXED BY device_iphone WHERE application = ? AND fcm_platform = 1 LIMIT 1',
  )
  return found.get(application) !== null
}
