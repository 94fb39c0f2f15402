import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { CEILING } from '../device-row.ts'
import { MAX_LABELS, packToken, unpackToken } from '../device.ts'
import type { PackedToken, Platform } from '../device.ts'
import { UNBOUNDED } from '../growth.ts'
import type { Growth, GrowthBoundsOfCall, Shortage } from '../growth.ts'
import { namesOf } from '../index/label-index.ts'
import type { LabelIndex } from '../index/label-index.ts'
import type { RegistrySizeStore } from '../registry-size-store.ts'
import { createFoundDeviceStore } from './found-device-store.ts'
import type { FoundRow } from './found-device-store.ts'

export interface Batch {
  readonly tokens: readonly string[]
  readonly platform: Platform
  /** Added to what each device has. */
  readonly tags?: readonly string[] | undefined
}

export type Imported =
  | { readonly kind: 'imported'; readonly created: number; readonly updated: number }
  /** `tokens[index]` would have more than MAX_LABELS tags; nothing was imported. */
  | { readonly kind: 'too-many-labels'; readonly index: number }
  | Shortage

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Clock
  readonly labels: LabelIndex
  readonly sizes: RegistrySizeStore
  readonly growth: Growth
}

/**
 * New devices of one statement. A device of a batch, one statement for each of its rows, took 19 µs before its COMMIT;
 * so it takes 7. Ten rows a statement or a hundred are the same (2026-11-23, in turns on a busy machine).
 */
const ROWS = 50

/** Devices that a backend registers together. */
export function createBatchStore({ database, clock, labels, sizes, growth }: Dependencies) {
  const found = createFoundDeviceStore({ database })
  const ceiling = database.statement<{ id: number }, []>(`SELECT ${CEILING} AS id`)
  const insert = database.statement<never, [application: number, Platform, now: number, ...(PackedToken | null)[]]>(
    `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at)
     SELECT ?1, ?2, column1, ?3, ?3, ?3 FROM (VALUES ${Array.from({ length: ROWS }, (_, row) => `(?${row + 4})`).join()})
     WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING`,
  )
  const eraseAfter = database.statement<never, [id: number]>('DELETE FROM device WHERE id > ?')

  /** Inserts the devices that are not there; some of the tokens, with all whose devices are. */
  function insertNew(application: number, platform: Platform, tokens: readonly string[], now: number): string[] {
    const known: string[] = []
    for (let from = 0; from < tokens.length; from += ROWS) {
      const some = tokens.slice(from, from + ROWS)
      const none = Array.from({ length: ROWS - some.length }, () => null)
      const { changes } = insert.run(application, platform, now, ...some.map(packToken), ...none)
      sizes.countDevices(application, changes)
      if (changes < some.length) known.push(...some)
    }
    return known
  }

  /** As if one of the devices were new; where that is too much, whether one is. */
  function shortageOf(
    application: number,
    { tokens, platform, tags = [] }: Batch,
    bounds: GrowthBoundsOfCall,
  ): Shortage | null {
    const shortageIf = (isNew: boolean) =>
      growth.shortage(application, { isNew, bytes: 0, tag: tags, type: [] }, bounds)
    const shortage = shortageIf(true)
    if (shortage === null) return null
    const isKnown = ({ kept, gone }: FoundRow) => kept !== null || gone !== null
    return tokens.every((token) => isKnown(found.lookUp(application, platform, packToken(token))))
      ? shortageIf(false)
      : shortage
  }

  function wouldBeTooMany(device: number, tag: readonly string[]): boolean {
    return tag.length > 0 && new Set([...labels.find(device).tag, ...tag]).size > MAX_LABELS
  }

  return {
    /** A token that is given twice counts once. Without room nothing is imported, unless all of the devices are known. */
    importBatch(
      application: number,
      { tokens: given, platform, tags }: Batch,
      bounds: GrowthBoundsOfCall = UNBOUNDED,
    ): Imported {
      const tokens = [...new Set(given)]
      const tag = namesOf(tags)
      const shortage = shortageOf(application, { tokens, platform, tags: tag }, bounds)
      if (shortage !== null) return shortage
      const now = clock.now()
      // Written before it is checked: to look for each device beforehand took 2 µs more of 20 (in turns, 2026-11-23).
      const before = ceiling.get()?.id ?? 0
      const rows = insertNew(application, platform, tokens, now)
        .map((token) => found.lookUp(application, platform, packToken(token)))
        .filter(({ kept, gone }) => (kept?.id ?? gone?.id ?? 0) <= before)
      const full = rows.find(({ kept }) => kept !== null && wouldBeTooMany(kept.id, tag))?.kept ?? null
      if (full !== null) {
        eraseAfter.run(before)
        return { kind: 'too-many-labels', index: given.indexOf(unpackToken(full.token)) }
      }
      for (const { kept, gone } of rows) {
        if (gone !== null) found.erase(gone.id)
        if (kept === null) continue
        found.touch(kept, now)
        labels.add(application, kept.id, 'tag', tag)
      }
      const anew = rows.flatMap(({ gone }) => (gone === null ? [] : unpackToken(gone.token)))
      insertNew(application, platform, anew, now)
      labels.addToNew(application, before, 'tag', tag)
      const updated = rows.filter(({ kind }) => kind === 'updated').length
      return { kind: 'imported', created: tokens.length - updated, updated }
    },
  }
}
