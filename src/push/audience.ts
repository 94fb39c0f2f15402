import type { Database, Statement, Value } from '../database/database.ts'
import type { Platform } from '../device/device.ts'
import { audienceLabels } from './audience-labels.ts'
import type { AudienceLabels, Prepare } from './audience-labels.ts'
import type { Audience, Filter } from './push.ts'

/** One device of an audience. */
export interface AudienceRow {
  /** `device.id`. */
  readonly id: number
  /** Packed, as in the database: see `unpackToken`. */
  readonly token: string | Uint8Array
  /** 0 production, 1 sandbox, `null` not known yet. */
  readonly environment: 0 | 1 | null
  /** The stored count. */
  readonly badge: number
}

/** The registered devices of an audience on one platform, in the order of their ids. */
export interface AudiencePages {
  /**
   * The first, `limit` at the most, with `after` < id <= `last`. `last` is as far as was looked: the work of one call is
   * bounded, so where filters leave little there may be none up to there, and more behind it.
   */
  page(after: number, ceiling: number, limit: number): { readonly rows: readonly AudienceRow[]; readonly last: number }
  /**
   * How many there are with `after` < id <= `last`. `last` is as far as `candidates` entries of the index lead, so
   * that the work of one call is bounded whatever the filters leave of them; `ceiling` when that was all.
   */
  count(after: number, ceiling: number, candidates: number): { readonly count: number; readonly last: number }
}

const NOBODY: AudiencePages = {
  page: (_after, ceiling) => ({ rows: [], last: ceiling }),
  count: (_after, ceiling) => ({ count: 0, last: ceiling }),
}

/** The most labels looked up one by one on each device. Measured: 50 take 8 times as long as going through its own. */
const MAX_LOOKUPS = 4

/** Index entries looked at for a page: 4 ms at most, and 0.3 where nothing has to be checked on each device. */
const CANDIDATES = 1000

/** The parameters every statement has: ?1 after, ?2 ceiling, ?3 limit, ?4 application, ?5 platform. */
const FIXED_PARAMETERS = 5

/**
 * An audience as pages of one platform. A page reads ranges of one index from where the one before it ended, so its
 * work is about its rows. Names of labels are looked up once, here.
 */
export function audiencePages(
  database: Reader,
  audience: Audience,
  application: number,
  platform: Platform,
): AudiencePages {
  const prepare = rememberedStatements(database)
  if ('device' in audience) {
    return audience.platform === platform ? read(prepare, planOfOne(audience.device), application, platform) : NOBODY
  }
  const labels = audienceLabels(prepare, audience.filter, application)
  if (labels === null || !audience.filter.platforms.includes(platform)) return NOBODY
  return read(prepare, planOf(audience.filter, labels), application, platform)
}

/** What to read, as SQL in which every value is a parameter. */
interface Plan {
  /** FROM and WHERE of the devices; what is among them is in the audience if it passes `checks`. */
  readonly members: string
  /** The index entries that lead to them, in order; `null` when they lead to one device at most. */
  readonly candidates: string | null
  /** Whether everybody on one range of one index is in the audience, in the order of ids. */
  readonly wholeRange: boolean
  readonly values: readonly Value[]
  readonly checks: readonly string[]
  readonly checkValues: readonly Value[]
}

const ON_PLATFORM = 'd.platform = ?5 AND d.state = 0'

function planOfOne(device: number): Plan {
  const [values, bind] = parameters()
  const members = `FROM device d
    WHERE d.id = ${bind(device)} AND d.application = ?4 AND ${ON_PLATFORM} AND ${between('d.id')}`
  return { members, candidates: null, values, checks: [], checkValues: [], wholeRange: true }
}

function planOf(filter: Filter, labels: AudienceLabels): Plan {
  const [values, bindValue] = parameters()
  const { groups, ...driving } = drivingIndex(filter, labels.groups, bindValue)
  const [checkValues, bind] = parameters(values.length)
  const hasOneOf = (labels: readonly number[]) => {
    // The plus keeps the label out of the index lookup: the device's few labels are gone through instead.
    const label = labels.length > MAX_LOOKUPS ? '+x.label' : 'x.label'
    return `EXISTS (SELECT 1 FROM device_label x WHERE x.device = d.id AND ${label} IN (${labels.map(bind).join(', ')}))`
  }
  const checks = groups.map(hasOneOf)
  if (labels.excluded.length > 0) checks.push(`NOT ${hasOneOf(labels.excluded)}`)
  if (filter.exceptAlias !== null) checks.push(`d.alias IS NOT ${bind(filter.exceptAlias)}`)
  const wholeRange = labels.groups.length === 0 && checks.length === 0
  return { ...driving, values, checks, checkValues, wholeRange }
}

/** Picks the index that leads to the fewest devices; `groups` of its answer are left to be checked on each. */
function drivingIndex(
  filter: Filter,
  groups: AudienceLabels['groups'],
  bind: (value: Value) => string,
): Pick<Plan, 'members' | 'candidates'> & Pick<AudienceLabels, 'groups'> {
  const [rarest, ...others] = groups
  if (filter.alias !== null) {
    const members = `FROM device d INDEXED BY device_by_alias
      WHERE d.application = ?4 AND d.alias = ${bind(filter.alias)} AND ${ON_PLATFORM} AND ${between('d.id')}`
    return { members, candidates: null, groups }
  }
  if (rarest === undefined) {
    const members = `FROM device d INDEXED BY device_reach
      WHERE d.application = ?4 AND ${ON_PLATFORM} AND ${between('d.id')}`
    return { members, candidates: `SELECT d.id AS id ${members}`, groups }
  }
  const labels = rarest.map(bind)
  const holders = (label: string) =>
    `SELECT device AS id FROM device_label WHERE label ${label} AND ${between('device')}`
  return {
    members: `FROM device d WHERE d.id IN (${holders(`IN (${labels.join(', ')})`)}) AND ${ON_PLATFORM}`,
    // SQLite merges the ranges as it goes, since each is in the order asked for: nothing is collected and sorted.
    // It takes up to 500; a request names MAX_LABELS at most.
    candidates: labels.map((label) => holders(`= ${label}`)).join(' UNION '),
    groups: others,
  }
}

function between(id: string): string {
  return `${id} > ?1 AND ${id} <= ?2`
}

function read(prepare: Prepare, plan: Plan, application: number, platform: Platform): AudiencePages {
  const members = [plan.members, ...plan.checks].join(' AND ')
  const rows = prepare<AudienceRow>(`SELECT d.id, d.token, d.environment, d.badge ${members} ORDER BY d.id LIMIT ?3`)
  const counted = prepare<{ count: number }>(`SELECT count(*) AS count ${members}`)
  const reached =
    plan.candidates &&
    prepare<{ seen: number; last: number | null }>(
      `SELECT count(*) AS seen, max(id) AS last FROM (${plan.candidates} ORDER BY id LIMIT ?3)`,
    )
  const scope = [application, platform, ...plan.values]
  const checked = [...scope, ...plan.checkValues]

  /** How far the next `candidates` entries of the index lead. */
  function reach(after: number, ceiling: number, candidates: number): number {
    if (!reached) return ceiling
    const { seen = 0, last = null } = reached.get(after, ceiling, candidates, ...scope) ?? {}
    return seen < candidates || last === null ? ceiling : last
  }

  return {
    page(after, ceiling, limit) {
      // To look ahead would be half of the work of a broadcast's page.
      const upTo = plan.wholeRange ? ceiling : reach(after, ceiling, Math.max(limit, CANDIDATES))
      const found = rows.all(after, upTo, limit, ...checked)
      return { rows: found, last: found.length < limit ? upTo : (found.at(-1)?.id ?? upTo) }
    },

    count(after, ceiling, candidates) {
      const last = reach(after, ceiling, candidates)
      return { count: counted.get(after, last, 0, ...checked)?.count ?? 0, last }
    },
  }
}

function parameters(before = 0): [values: Value[], bind: (value: Value) => string] {
  const values: Value[] = []
  return [values, (value) => `?${FIXED_PARAMETERS + before + values.push(value)}`]
}

/** Most texts come again and again: they differ by how many labels a filter names, not by which. */
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
