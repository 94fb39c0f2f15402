import type { Statement, Value } from '../database/statement.ts'
import type { Platform } from '../device/device.ts'
import { checkOf, weightOf } from './audience-checks.ts'
import type { Bind } from './audience-checks.ts'
import type { Condition } from './condition.ts'
import { cellsNear } from './geo-circle.ts'
import { listedById, listedCheck } from './listed-devices.ts'
import type { ListedDevices } from './listed-devices.ts'

export type Prepare = <Row>(sql: string) => Statement<Row, readonly Value[]>

/** All values in the SQL are parameters. */
export interface Plan {
  /** FROM and WHERE of candidates, before `checks`. */
  readonly members: string
  /** Index entries of the candidates, in order; `null`: candidates are listed, or one device. */
  readonly candidates: string | null
  /** Candidates by id; their values for a page precede `values`. */
  readonly listed: ListedDevices | null
  /** The audience is one whole range of an index, in order of ids. */
  readonly wholeRange: boolean
  readonly values: readonly Value[]
  readonly checks: readonly string[]
  readonly checkValues: readonly Value[]
  /** Checks per device. */
  readonly weight: number
}

export interface Scope {
  readonly application: number
  readonly platform: Platform
}

/** In every statement: ?1 after, ?2 ceiling, ?3 limit, ?4 application, ?5 platform. */
const FIXED_PARAMETERS = 5

/** Entries counted to find the most selective index. */
const MAX_SAMPLE = 10_000

/**
 * Cells to read, enough for 95 km around Berlin, 127 at the equator. Measured on 1,000,000 devices: 1,300 cells (100
 * km) take 10 ms, checks per device 0.6 s; a page of one cell takes 3 ms, of 70 cells 4 ms.
 */
const MAX_CELLS = 100

const MAX_ZONES = 200

/** Its ids under `keys`, in order, include all that pass the condition. */
interface Lead {
  readonly condition: Condition
  readonly entries: (key: string) => string
  readonly keys: readonly Value[]
  /** And no others. */
  readonly exact: boolean
}

const ON_PLATFORM = 'd.platform = ?5 AND d.state = 0'

export function planOfOne(device: number): Plan {
  const [values, bind] = parameters()
  const members = `FROM device d
    WHERE d.id = ${bind(device)} AND d.application = ?4 AND ${ON_PLATFORM} AND ${between('d.id')}`
  return { members, candidates: null, listed: null, values, checks: [], checkValues: [], weight: 1, wholeRange: true }
}

/**
 * Reads by the most selective index and checks the rest per device. `ofUsers`: the devices of `usersOf(conditions)`;
 * `null`: no such users, or too many devices.
 */
export function planOf(
  prepare: Prepare,
  conditions: readonly Condition[],
  scope: Scope,
  ofUsers: ListedDevices | null,
): Plan {
  const [values, bindValue] = parameters()
  const { settled, listedValues = 0, ...driving } = driver(prepare, conditions, scope, ofUsers, bindValue)
  const [checkValues, bind] = parameters(listedValues + values.length)
  const left = conditions.filter((condition) => condition !== settled)
  const checks = left.map((condition) => checkOf(condition, bind))
  const weight = left.reduce((sum, one) => sum + weightOf(one), 1)
  return { ...driving, values, checks, checkValues, weight, wholeRange: conditions.length === 0 }
}

/** For `planOf`; `null`: another condition is more selective. */
export function usersOf(conditions: readonly Condition[]): readonly string[] | null {
  const leadsToFewer = conditions.some(({ kind }) => kind === 'alias' || kind === 'devices')
  const ofUsers = conditions.find((one) => one.kind === 'users')
  return leadsToFewer || ofUsers === undefined ? null : ofUsers.users
}

/** The index answers the condition `settled`. `listedValues`: how many values `listed` gives. */
function driver(
  prepare: Prepare,
  conditions: readonly Condition[],
  scope: Scope,
  ofUsers: ListedDevices | null,
  bind: Bind,
): Pick<Plan, 'members' | 'candidates' | 'listed'> & {
  readonly settled: Condition | null
  readonly listedValues?: number
} {
  const alias = conditions.find(({ kind }) => kind === 'alias')
  if (alias?.kind === 'alias') {
    const members = `FROM device d INDEXED BY device_by_alias
      WHERE d.application = ?4 AND d.alias = ${bind(alias.alias)} AND ${ON_PLATFORM} AND ${between('d.id')}`
    return { members, candidates: null, listed: null, settled: alias }
  }
  const named = listOf(conditions, ofUsers)
  if (named !== null) {
    const byUser = named.settled.kind === 'users'
    // The plus keeps SQLite from searching by id or by another index.
    const members = `FROM device d NOT INDEXED
      WHERE ${listedCheck(FIXED_PARAMETERS + 1, byUser)} AND d.application = ?4 AND ${ON_PLATFORM} AND ${between('+d.id')}`
    return { ...named, members, candidates: null, listedValues: byUser ? 2 : 1 }
  }
  const lead = fewest(prepare, conditions.flatMap(leadOf), scope)
  if (lead === null) {
    const members = `FROM device d INDEXED BY device_reach
      WHERE d.application = ?4 AND ${ON_PLATFORM} AND ${between('d.id')}`
    return { members, candidates: `SELECT d.id AS id ${members}`, listed: null, settled: null }
  }
  const keys = lead.keys.map(bind)
  return {
    members: `FROM device d WHERE d.id IN (${lead.entries(`IN (${keys.join(', ')})`)}) AND ${ON_PLATFORM}`,
    // SQLite merges up to 500 sorted ranges without collecting them. A request names at most MAX_LEAVES labels.
    candidates: keys.map((key) => lead.entries(`= ${key}`)).join(' UNION '),
    listed: null,
    settled: lead.exact ? lead.condition : null,
  }
}

/** Devices that a condition names, itself or by user; `null`: none, or too many. */
function listOf(
  conditions: readonly Condition[],
  ofUsers: ListedDevices | null,
): { readonly settled: Condition; readonly listed: ListedDevices } | null {
  const devices = conditions.find((one) => one.kind === 'devices')
  if (devices !== undefined) return { settled: devices, listed: listedById(devices.ids) }
  const users = conditions.find((one) => one.kind === 'users')
  return users === undefined || ofUsers === null ? null : { settled: users, listed: ofUsers }
}

function leadOf(condition: Condition): readonly Lead[] {
  if (condition.kind === 'labels') {
    const entries = (key: string) => `SELECT device AS id FROM device_label WHERE label ${key} AND ${between('device')}`
    return [{ condition, entries, keys: condition.ids, exact: true }]
  }
  if (condition.kind === 'failed') {
    const entries = (key: string) =>
      `SELECT device AS id FROM push_exception WHERE push ${key} AND platform = ?5 AND ${between('device')}`
    return [{ condition, entries, keys: condition.pushes, exact: false }]
  }
  if (condition.kind === 'near') {
    const keys = cellsNear(condition.near, MAX_CELLS)
    const entries = (key: string) =>
      `SELECT id FROM device INDEXED BY device_by_cell
       WHERE application = ?4 AND platform = ?5 AND state = 0 AND cell ${key} AND ${between('id')}`
    return keys === null ? [] : [{ condition, entries, keys, exact: false }]
  }
  if (condition.kind === 'zones') {
    const keys = condition.zones.filter((zone) => zone !== null)
    const entries = (key: string) =>
      `SELECT id FROM device INDEXED BY device_by_zone WHERE application = ?4 AND timezone ${key} AND ${between('id')}`
    // The index omits devices without a zone.
    if (keys.length < condition.zones.length || keys.length === 0 || keys.length > MAX_ZONES) return []
    return [{ condition, entries, keys, exact: true }]
  }
  return []
}

/** For 1,000 VIPs among 1,000,000 tagged devices, only 1,000 entries are read. */
function fewest(prepare: Prepare, leads: readonly Lead[], { application, platform }: Scope): Lead | null {
  if (leads.length < 2) return leads[0] ?? null
  let best: Lead | null = null
  let min = MAX_SAMPLE
  for (const lead of leads) {
    const sample = prepare<{ size: number }>(`SELECT count(*) AS size FROM (${lead.entries('= ?6')} LIMIT ?3)`)
    let size = 0
    for (const key of lead.keys) {
      if (size >= min) break
      size += sample.get(0, Number.MAX_SAFE_INTEGER, min - size, application, platform, key)?.size ?? 0
    }
    if (best === null || size < min) best = lead
    min = Math.min(min, size)
  }
  return best
}

function between(id: string): string {
  return `${id} > ?1 AND ${id} <= ?2`
}

function parameters(before = 0): [values: Value[], bind: Bind] {
  const values: Value[] = []
  return [values, (value) => `?${FIXED_PARAMETERS + before + values.push(value)}`]
}
