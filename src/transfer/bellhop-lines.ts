import { DAY_MS } from '../clock.ts'
import { PLAIN } from '../device/columns.ts'
import type { WholeDevice } from '../device/transfer/export-store.ts'
import type { PlatformDay } from '../stats/tally-store.ts'
import { dayOf, isoOrNull, isoTime } from '../text/format.ts'
import { isJsonObject } from '../text/json-object.ts'
import { refused } from './record.ts'
import type { Entry } from './record.ts'

export const BELLHOP_EXPORT = 'bellhop-export'
export const EXPORT_VERSION = 1

export interface ExportHeader {
  readonly format: typeof BELLHOP_EXPORT
  readonly version: typeof EXPORT_VERSION
  /** No secret and no credentials. `webpush`: the public key of its browsers' subscriptions. */
  readonly application: {
    readonly id: string
    readonly name: string
    readonly limits: object
    readonly webpush?: string | undefined
  }
  readonly exported_at: string
  readonly counts: FileCounts
}

export interface FileCounts {
  readonly devices: number
  readonly feedback: number
  readonly tallies: number
}

export function deviceLine(device: WholeDevice): string {
  const { token, platform, alias, tag, active, lat, lng, badge, environment, left, imported, adopted, keys } = device
  return JSON.stringify({
    kind: 'device',
    token,
    platform: String(platform),
    alias,
    tag,
    active,
    lat,
    lng,
    badge,
    environment,
    ...Object.fromEntries(PLAIN.map((name) => [name, device[name]])),
    state: left?.state ?? 'registered',
    ...(left !== null && { reason: left.reason, at: isoOrNull(left.at) }),
    registered_at: isoTime(device.registeredAt),
    // 0: imported and not registered since.
    seen_at: device.seenAt === 0 ? null : isoTime(device.seenAt),
    updated_at: isoTime(device.updatedAt),
    imported,
    // Browsers need their keys, and the VAPID key, which is not in the file.
    keys: keys && { p256dh: base64url(keys.p256dh), auth: base64url(keys.auth) },
    adopted: adopted && { token: adopted.token, at: isoTime(adopted.at) },
  })
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** For a token without a device, or whose device registered again. */
export function feedbackLine(entry: { token: string; platform: number; reason: string; at: number }): string {
  const { token, platform, reason, at } = entry
  return JSON.stringify({ kind: 'feedback', token, platform: String(platform), reason, at: isoTime(at) })
}

/** One day (UTC): targeted, accepted, opened, received. */
export function tallyLine(tally: PlatformDay): string {
  const { day, platform, t, s, o, received } = tally
  const date = dayOf(day * DAY_MS)
  return JSON.stringify({ kind: 'tally', day: date, platform: String(platform), t, s, o, received })
}

/** Refuses a kind of a later Bellhop. */
export function readBellhopLine(record: unknown): Entry {
  if (!isJsonObject(record)) return refused('kind', 'is missing: the line is not an object')
  if (record['format'] === BELLHOP_EXPORT) return { kind: 'header', record }
  const { kind, ...stated } = record
  switch (kind) {
    case 'device':
      return { kind, stated }
    case 'feedback':
    case 'tally':
      return { kind, record }
    default:
      return refused('kind', `is ${JSON.stringify(kind) ?? 'missing'}: it must be device, feedback or tally`)
  }
}
