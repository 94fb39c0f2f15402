import type { Database } from '../../database/database.ts'

/** A tag, or a notification type (`active` on the wire). */
export type LabelKind = 'tag' | 'type'

/** The names on one device, each list sorted. */
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

/** About 5 MB of names of usual length. */
const MAX_REMEMBERED = 50_000

/** Labels looked at in one step of a sweep: 0.2 ms, or 2 where all of them are erased. */
const SWEEP_LIMIT = 200

export type LabelIndex = ReturnType<typeof createLabelIndex>

/**
 * Label names ↔ ids, and which device has which. To be called inside a transaction.
 *
 * Invariant: only ids that the reading connection sees are remembered. It sees only what is committed, so no rollback
 * can leave an id behind that a later label gets. Only `sweep` erases a label without devices, and forgets it; its id is
 * never given twice, and neither is the number of an application. A process beside a server, which may sweep, has to
 * call `refresh` at the beginning of each transaction.
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
  /** By application and kind, two for each application: a key of all three would be built for each label. */
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

  /** Nothing happens where the device does not have the label. */
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
    /** Names that no device of the application has, or had recently; each once. */
    unknown(application: number, kind: LabelKind, names: readonly string[]): readonly string[] {
      const unknown = names.filter((name) => find(application, kind, name) === null)
      return unknown.length < 2 ? unknown : [...new Set(unknown)]
    },

    /** Creates labels that `unknown` gave; `network`: who brought them, see `blockOf`. */
    bring(application: number, kind: LabelKind, unknown: readonly string[], network: string): void {
      for (const name of unknown) insert.run(application, LABEL_KIND[kind], name, network)
    },

    add,
    remove,

    /** Adds to each device with an id over `after`: all are of the application and have no labels yet. */
    addToNew(application: number, after: number, kind: LabelKind, names: readonly string[]): void {
      for (const name of names) attachNew.run(findOrCreate(application, kind, name), after)
    },

    /** Forgets ids that another process may have erased. */
    refresh(): void {
      if (database.version() === version) return
      version = database.version()
      forgetAll()
    },

    /** Erases labels without devices, of some with an id over `after`; gives the last id looked at, `null`: the end. */
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

/** Names that were given: sorted, each once. `had`: what the device has. */
export function namesOf(given: readonly string[] = [], had: readonly string[] = []): readonly string[] {
  if (areSame(had, given)) return had
  const sorted = given.toSorted()
  return sorted.filter((name, index) => name !== sorted[index - 1])
}

export function missingIn(had: readonly string[], wanted: readonly string[] = []): readonly string[] {
  if (areSame(had, wanted)) return []
  return had.length === 0 ? wanted : wanted.filter((name) => !had.includes(name))
}

/** Compares in order: most launches of an app say what they said before. */
function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some === others) return true
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}
