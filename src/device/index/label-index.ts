import type { Database } from '../../database/database.ts'

/** `type` is `active` on the wire. */
export type LabelKind = 'tag' | 'type'

/** Each list is sorted. */
export interface DeviceLabels {
  readonly tag: readonly string[]
  readonly active: readonly string[]
}

export const NO_LABELS: DeviceLabels = { tag: [], active: [] }

/** `label.kind` in the database. */
export const LABEL_KIND: Readonly<Record<LabelKind, number>> = { tag: 0, type: 1 }

export interface LabelRow {
  readonly kind: number
  readonly name: string
}

export const LABELS_OF_DEVICE =
  'SELECT l.kind, l.name FROM device_label dl CROSS JOIN label l ON l.id = dl.label WHERE dl.device = ?'

export function labelsIn(rows: Iterable<LabelRow>): DeviceLabels {
  const labels: { readonly tag: string[]; readonly active: string[] } = { tag: [], active: [] }
  for (const { kind, name } of rows) labels[kind === LABEL_KIND.tag ? 'tag' : 'active'].push(name)
  labels.tag.sort()
  labels.active.sort()
  return labels
}

/** About 5 MB of typical names. */
const MAX_REMEMBERED = 50_000

/** Labels per step: 0.2 ms, or 2 ms if it erases all of them. */
const SWEEP_LIMIT = 200

export type LabelIndex = ReturnType<typeof createLabelIndex>

/**
 * Label names ↔ ids, and the labels of devices.
 *
 * Invariant: it remembers only ids that the reading connection sees. These are committed, so no rollback leaves an id that
 * a later label gets. Only `sweep` erases a label, and forgets it. Ids of labels and numbers of applications are never
 * reused. A process beside a server, which may sweep, must call `refresh` at the beginning of each transaction.
 */
export function createLabelIndex({ database }: { database: Pick<Database, 'statement' | 'reading' | 'version'> }) {
  type Name = [application: number, kind: number, name: string]
  const BY_NAME = 'SELECT id FROM label WHERE application = ? AND kind = ? AND name = ?'
  const byName = database.statement<{ id: number }, Name>(BY_NAME)
  const committedByName = database.reading<{ id: number }, Name>(BY_NAME)
  const insert = database.statement<never, [...Name, network: string | null]>(
    'INSERT INTO label (application, kind, name, network) VALUES (?, ?, ?, ?)',
  )
  const ofDevice = database.statement<LabelRow, [device: number]>(LABELS_OF_DEVICE)
  const countOf = database.statement<{ count: number }, [device: number]>(
    'SELECT count(*) AS count FROM device_label WHERE device = ?',
  )
  const attach = database.statement<never, [label: number, device: number]>(
    'INSERT OR IGNORE INTO device_label (label, device) VALUES (?, ?)',
  )
  const attachNew = database.statement<never, [label: number, after: number]>(
    'INSERT INTO device_label (label, device) SELECT ?, id FROM device WHERE id > ?',
  )
  const detach = database.statement<never, [label: number, device: number]>(
    'DELETE FROM device_label WHERE label = ? AND device = ?',
  )
  const nth = database.statement<{ id: number }, [after: number]>(
    `SELECT id FROM label WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${SWEEP_LIMIT - 1}`,
  )
  const eraseUnused = database.statement<{ application: number; kind: number; name: string }, [number, number]>(
    `DELETE FROM label WHERE id > ? AND id <= ?
       AND NOT EXISTS (SELECT 1 FROM device_label WHERE device_label.label = label.id)
     RETURNING application, kind, name`,
  )
  /** By application and kind: a key with the name too would be built again for each label. */
  const remembered = new Map<number, Map<string, number>>()
  let size = 0
  let version = Number.NaN

  function find(application: number, kind: LabelKind, name: string): number | null {
    const known = remembered.get(application * 2 + LABEL_KIND[kind])?.get(name)
    if (known !== undefined) return known
    const row = byName.get(application, LABEL_KIND[kind], name)
    if (row === null) return null
    if (committedByName.get(application, LABEL_KIND[kind], name)?.id === row.id)
      remember(application, kind, name, row.id)
    return row.id
  }

  function remember(application: number, kind: LabelKind, name: string, id: number): void {
    if (size >= MAX_REMEMBERED) forgetAll()
    const key = application * 2 + LABEL_KIND[kind]
    const ids = remembered.get(key) ?? new Map<string, number>()
    remembered.set(key, ids.set(name, id))
    size++
  }

  function forgetAll(): void {
    remembered.clear()
    size = 0
  }

  function findOrCreate(application: number, kind: LabelKind, name: string): number {
    const id = find(application, kind, name)
    return id ?? Number(insert.run(application, LABEL_KIND[kind], name, null).lastInsertRowid)
  }

  function add(application: number, device: number, kind: LabelKind, names: readonly string[]): void {
    for (const name of names) attach.run(findOrCreate(application, kind, name), device)
  }

  function remove(application: number, device: number, kind: LabelKind, name: string): void {
    const label = find(application, kind, name)
    if (label !== null) detach.run(label, device)
  }

  function replaceKind(
    application: number,
    device: number,
    kind: LabelKind,
    had: readonly string[],
    wanted: readonly string[],
  ): void {
    if (areSame(had, wanted)) return
    for (const name of had) if (!wanted.includes(name)) remove(application, device, kind, name)
    add(application, device, kind, missingIn(had, wanted))
  }

  return {
    /** Names without a label, each once. */
    unknown(application: number, kind: LabelKind, names: readonly string[]): readonly string[] {
      const unknown = names.filter((name) => find(application, kind, name) === null)
      return unknown.length < 2 ? unknown : [...new Set(unknown)]
    },

    /** Creates labels that `unknown` returned. `network`: the caller's `blockOf`. */
    bring(application: number, kind: LabelKind, unknown: readonly string[], network: string): void {
      for (const name of unknown) insert.run(application, LABEL_KIND[kind], name, network)
    },

    add,
    remove,

    /** For all devices after `after`, of this application and without labels. */
    addToNew(application: number, after: number, kind: LabelKind, names: readonly string[]): void {
      for (const name of names) attachNew.run(findOrCreate(application, kind, name), after)
    },

    /** Forgets ids that another process may have erased. */
    refresh(): void {
      if (database.version() === version) return
      version = database.version()
      forgetAll()
    },

    /** Erases unused labels among the next SWEEP_LIMIT. Returns the last id checked; `null`: the end. */
    sweep(after: number): number | null {
      const last = nth.get(after)?.id ?? null
      for (const { application, kind, name } of eraseUnused.all(after, last ?? Number.MAX_SAFE_INTEGER)) {
        if (remembered.get(application * 2 + kind)?.delete(name) === true) size--
      }
      return last
    },

    /** Tags and types together. */
    count: (device: number): number => countOf.get(device)?.count ?? 0,

    find(device: number): DeviceLabels {
      return labelsIn(ofDevice.all(device))
    },

    /** Writes only the difference. */
    replace(application: number, device: number, had: DeviceLabels, wanted: DeviceLabels): void {
      replaceKind(application, device, 'tag', had.tag, wanted.tag)
      replaceKind(application, device, 'type', had.active, wanted.active)
    },
  }
}

/** Sorted, each once; `had` itself if it is the same. */
export function namesOf(given: readonly string[] = [], had: readonly string[] = []): readonly string[] {
  if (areSame(had, given)) return had
  const sorted = given.toSorted()
  return sorted.filter((name, index) => name !== sorted[index - 1])
}

export function missingIn(had: readonly string[], wanted: readonly string[] = []): readonly string[] {
  if (areSame(had, wanted)) return []
  return had.length === 0 ? wanted : wanted.filter((name) => !had.includes(name))
}

/** Compares in order, because most launches repeat their names. */
function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some === others) return true
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}
