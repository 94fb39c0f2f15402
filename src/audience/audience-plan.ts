import type { Value } from '../database/statement.ts'
import type { Platform } from '../device/device.ts'
import { checkOf, weightOf } from './audience-checks.ts'
import type { Bind } from './audience-checks.ts'
import type { Prepare } from './audience-labels.ts'
import type { Condition } from './condition.ts'
import { cellsNear } from './geo-circle.ts'
import { listedById, listedCheck } from './listed-devices.ts'
import type { ListedDevices } from './listed-devices.ts'

/** What to read, as SQL in which every value is a parameter. */
export interface Plan {
  /** FROM and WHERE of the candidates; a candidate is in the audience if it passes `checks`. */
  readonly members: string
  /** The index entries that lead to the candidates, in order; `null` where these are listed, or one device at most. */
  readonly candidates: string | null
  /** The candidates, where they are known one by one: what it gives for a page goes before the `values`. */
  readonly listed: ListedDevices | null
  /** Whether every device on one range of one index is in the audience, in the order of ids. */
  readonly wholeRange: boolean
  readonly values: readonly Value[]
  readonly checks: readonly string[]
  readonly checkValues: readonly Value[]
  /** How many questions are asked of each device. */
  readonly weight: number
}

/** The application and the platform of an audience. */
export interface Scope {
  readonly application: number
  readonly platform: Platform
}

/** The parameters every statement has: ?1 after, ?2 ceiling, ?3 limit, ?4 application, ?5 platform. */
const FIXED_PARAMETERS = 5

/** How many entries of an index are counted, at most, to find the one that leads to the fewest devices. */
const MAX_SAMPLE = 10_000

/**
 * The most cells of a grid that are read one by one; they reach 95 km around Berlin and 127 at the equator. Measured on
 * 1,000,000 devices: a circle of 100 km with 1,300 of them takes 10 ms, and 0.6 s where each device is asked how far
 * away it is, as is done beyond that; a page takes 3 ms of one cell, and 4 of 70.
 */
const MAX_CELLS = 100

/** More time zones than share an offset. */
const MAX_ZONES = 200

/** An index of devices: the ids under each of `keys`, in order, are those that pass `of`, and maybe some others. */
interface Lead {
  readonly condition: Condition
  readonly entries: (key: string) => string
  readonly keys: readonly Value[]
  /** Whether all devices of the index pass. */
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
 * How to find the devices of which all `conditions` hold: by the index that leads to the fewest, and checks on each.
 * `ofUsers`: the devices of `usersOf(conditions)`; `null`: there are no such users, or their devices are too many.
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

/** The users whose devices are to be looked up, for `planOf`; `null`: something else leads to fewer devices. */
export function usersOf(conditions: readonly Condition[]): readonly string[] | null {
  const leadsToFewer = conditions.some(({ kind }) => kind === 'alias' || kind === 'devices')
  const ofUsers = conditions.find((one) => one.kind === 'users')
  return leadsToFewer || ofUsers === undefined ? null : ofUsers.users
}

/** `settled` is the condition that the index answers for; the others are left to be checked on each device. */
function driver(
  prepare: Prepare,
  conditions: readonly Condition[],
  scope: Scope,
  ofUsers: ListedDevices | null,
  bind: Bind,
): Pick<Plan, 'members' | 'candidates' | 'listed'> & {
  readonly settled: Condition | null
  /** How many values `listed` gives. */
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
    // The plus keeps SQLite from going through all ids, or an index, in search of these.
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
    // SQLite merges the ranges as it goes, since each is in the order asked for: nothing is collected and sorted.
    // It takes up to 500; a request names MAX_LEAVES labels at most.
    candidates: keys.map((key) => lead.entries(`= ${key}`)).join(' UNION '),
    listed: null,
    settled: lead.exact ? lead.condition : null,
  }
}

/** The devices that a condition names one by one, itself or by their users; `null`: none does, or they are too many. */
function listOf(
  conditions: readonly Condition[],
  ofUsers: ListedDevices | null,
): { readonly settled: Condition; readonly listed: ListedDevices } | null {
  const devices = conditions.find((one) => one.kind === 'devices')
  if (devices !== undefined) return { settled: devices, listed: listedById(devices.ids) }
  const users = conditions.find((one) => one.kind === 'users')
  return users === undefined || ofUsers === null ? null : { settled: users, listed: ofUsers }
}

/** The index that a condition can be read by; none for most. */
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
    // The index has no devices whose zone is not known.
    if (keys.length < condition.zones.length || keys.length === 0 || keys.length > MAX_ZONES) return []
    return [{ condition, entries, keys, exact: true }]
  }
  return []
}

/** 1,000 VIPs among 1,000,000 with a tag should be 1,000 entries to go through. */
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
