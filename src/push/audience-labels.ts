import type { Statement, Value } from '../database/database.ts'
import type { Filter } from './push.ts'

/** The label ids of a filter. A device must have one of each group, and none that is excluded. */
export interface AudienceLabels {
  /** Rarest first. */
  readonly groups: readonly (readonly number[])[]
  readonly excluded: readonly number[]
}

/** Gives the statement of an SQL text, prepared once. */
export type Prepare = <Row>(sql: string) => Statement<Row, readonly Value[]>

/** `label.kind`. */
const TAG = 0
const TYPE = 1

/** How many entries of a group are counted, at most, to find the rarest. */
const MAX_SAMPLE = 10_000

/**
 * Looks up the names of a filter. A name that no device ever had includes nobody and excludes nobody. `null`: the
 * filter matches nobody, and that includes an empty list of tags or types: better nobody than everybody.
 */
export function audienceLabels(prepare: Prepare, filter: Filter, application: number): AudienceLabels | null {
  const byName = prepare<{ id: number }>('SELECT id FROM label WHERE application = ? AND kind = ? AND name = ?')
  const known = (kind: number, names: readonly string[] | null) =>
    [...new Set(names)].flatMap((name) => byName.get(application, kind, name)?.id ?? [])

  const groups: number[][] = []
  if (filter.tags !== null) {
    const tags = known(TAG, filter.tags)
    if (filter.tagsMatch === 'any') groups.push(tags)
    else {
      const wanted = new Set(filter.tags).size
      if (wanted === 0 || tags.length < wanted) return null
      groups.push(...tags.map((tag) => [tag]))
    }
  }
  if (filter.active !== null) groups.push(known(TYPE, filter.active))
  if (groups.some((group) => group.length === 0)) return null
  return {
    groups: rarestFirst(prepare, groups),
    excluded: [...known(TAG, filter.exceptTags), ...known(TYPE, filter.exceptActive)],
  }
}

/** The first group decides which entries a push touches: 1,000 VIPs among 1,000,000 with a tag should be 1,000. */
function rarestFirst(prepare: Prepare, groups: number[][]): number[][] {
  if (groups.length < 2) return groups
  const sample = prepare<{ size: number }>(
    'SELECT count(*) AS size FROM (SELECT 1 FROM device_label WHERE label = ? LIMIT ?)',
  )
  let least = MAX_SAMPLE
  const sized = groups.map((group) => {
    let size = 0
    for (const label of group) {
      if (size >= least) break
      size += sample.get(label, least - size)?.size ?? 0
    }
    least = Math.min(least, size)
    return { group, size }
  })
  return sized.sort((a, b) => a.size - b.size).map(({ group }) => group)
}
