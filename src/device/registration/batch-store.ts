import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { CEILING, FCM_PLATFORM, STATE } from '../device-row.ts'
import { MAX_LABELS, packToken, unpackToken } from '../device.ts'
import type { FcmPlatform, PackedToken, Platform } from '../device.ts'
import { createFcmPlatformStore } from '../fcm-platform-store.ts'
import { canonicalToken } from '../push-token.ts'
import { UNBOUNDED } from '../growth.ts'
import type { Growth, GrowthBoundsOfCall, Shortage } from '../growth.ts'
import { namesOf } from '../index/label-index.ts'
import type { LabelIndex } from '../index/label-index.ts'
import type { RegistrySizeStore } from '../registry-size-store.ts'
import { createFoundDeviceStore } from './found-device-store.ts'
import type { FoundRow } from './found-device-store.ts'
import { createInstallationStore } from './installation-store.ts'

export interface Batch {
  readonly tokens: readonly string[]
  readonly platform: Platform
  /** Added to what each device has. */
  readonly tags?: readonly string[] | undefined
  /** Of platform 1. */
  readonly fcmPlatform?: FcmPlatform | undefined
}

export type Imported =
  | { readonly kind: 'imported'; readonly created: number; readonly updated: number }
  /** `tokens[index]` would have more than MAX_LABELS tags; nothing was imported. */
  | { readonly kind: 'too-many-labels'; readonly index: number }
  | Extract<Shortage, { kind: 'no-room' }>

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
  const known = createFoundDeviceStore({ database })
  const installations = createInstallationStore({ database })
  const fcmPlatforms = createFcmPlatformStore({ database })
  const setAfter = database.statement<never, [stored: number, id: number]>(
    'UPDATE device SET fcm_platform = ? WHERE id > ?',
  )
  const ceiling = database.statement<{ id: number }, []>(`SELECT ${CEILING} AS id`)
  const insert = database.statement<never, [application: number, Platform, now: number, ...(PackedToken | null)[]]>(
    `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at)
     SELECT ?1, ?2, column1, ?3, ?3, ?3 FROM (VALUES ${Array.from({ length: ROWS }, (_, row) => `(?${row + 4})`).join()})
     WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING`,
  )
  const eraseAfter = database.statement<never, [id: number]>('DELETE FROM device WHERE id > ?')

  /**
   * Inserts the devices that are not there; gives the tokens whose devices may be. Of those is all that follows where a
   * whole statement has found nothing to insert: it would be tried in vain for each device that is known.
   */
  function insertNew(application: number, platform: Platform, tokens: readonly string[], now: number): string[] {
    const rest: string[] = []
    for (let from = 0; from < tokens.length; from += ROWS) {
      const some = tokens.slice(from, from + ROWS)
      const none = Array.from({ length: ROWS - some.length }, () => null)
      const { changes } = insert.run(
        application,
        platform,
        now,
        ...some.map((token) => packToken(token, platform)),
        ...none,
      )
      if (changes === 0) return [...rest, ...tokens.slice(from)]
      sizes.countDevices(application, changes)
      if (changes < some.length) rest.push(...some)
    }
    return rest
  }

  /** As if one of the devices were new; where that is too much, whether one is. */
  function hasNoRoom(
    application: number,
    { tokens, platform, tags = [] }: Batch,
    hasRoom: GrowthBoundsOfCall['hasRoom'],
  ): boolean {
    const hasNoneIf = (isNew: boolean) =>
      growth.admit(application, { isNew, bytes: 0, tag: tags, type: [] }, { hasRoom, limits: null }).kind === 'no-room'
    if (!hasNoneIf(true)) return false
    const isKnown = ({ kept, gone }: FoundRow) => kept !== null || gone !== null
    return hasNoneIf(!tokens.every((token) => isKnown(known.lookUp(application, platform, packToken(token, platform)))))
  }

  /** The token, or the other address of its installation, by which the app has registered itself. */
  function addressKnown(application: number, platform: Platform, token: string): string {
    const twin = installations.twinOf(application, { token, platform })
    if (twin === null || twin.state === STATE.gone) return token
    return known.lookUp(application, platform, packToken(token, platform)).kept === null
      ? unpackToken(twin.token)
      : token
  }

  function wouldBeTooMany(device: number, tag: readonly string[]): boolean {
    // Nearly all devices have few, and then their names need not be read: 1 of 7 µs of a device that is known.
    if (tag.length === 0 || labels.count(device) + tag.length <= MAX_LABELS) return false
    return new Set([...labels.find(device).tag, ...tag]).size > MAX_LABELS
  }

  return {
    /** A token that is given twice counts once. Without room nothing is imported, unless all of the devices are known. */
    importBatch(
      application: number,
      { tokens: given, platform, tags, fcmPlatform }: Batch,
      { hasRoom }: Pick<GrowthBoundsOfCall, 'hasRoom'> = UNBOUNDED,
    ): Imported {
      const addressOf = (token: string) => addressKnown(application, platform, canonicalToken(platform, token))
      const tokens = [...new Set(given.map(addressOf))]
      const tag = namesOf(tags)
      if (hasNoRoom(application, { tokens, platform, tags: tag }, hasRoom)) return { kind: 'no-room' }
      const now = clock.now()
      // Written before it is checked: to look for each device beforehand took 2 µs more of 20 (in turns, 2026-11-23).
      const before = ceiling.get()?.id ?? 0
      const rows = insertNew(application, platform, tokens, now)
        .map((token) => ({ token, found: known.lookUp(application, platform, packToken(token, platform)) }))
        .filter(({ found: { kept } }) => kept === null || kept.id <= before)
      const full = rows.find(({ found: { kept } }) => kept !== null && wouldBeTooMany(kept.id, tag))
      if (full !== undefined) {
        eraseAfter.run(before)
        return { kind: 'too-many-labels', index: given.findIndex((token) => addressOf(token) === full.token) }
      }
      for (const { kept, gone } of rows.map(({ found }) => found)) {
        if (gone !== null) known.erase(gone.id)
        if (kept === null) continue
        known.touch(kept, now)
        labels.add(application, kept.id, 'tag', tag)
        if (fcmPlatform !== undefined) fcmPlatforms.set(kept.id, fcmPlatform)
      }
      const anew = rows.filter(({ found: { kept } }) => kept === null).map(({ token }) => token)
      insertNew(application, platform, anew, now)
      labels.addToNew(application, before, 'tag', tag)
      if (fcmPlatform !== undefined) setAfter.run(FCM_PLATFORM[fcmPlatform], before)
      const updated = rows.filter(({ found }) => found.kind === 'updated').length
      return { kind: 'imported', created: tokens.length - updated, updated }
    },
  }
}
