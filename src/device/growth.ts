import type { Application } from '../application/application.ts'
import type { LabelIndex } from './index/label-index.ts'
import type { RegistrySizeStore } from './registry-size-store.ts'

export interface GrowthBoundsOfCall {
  readonly hasRoom: () => boolean
  /** The application ID is public, so calls without the secret have limits; `null`: the application's backend. */
  readonly limits: {
    /** 0 = no limit. */
    readonly maxDevices: number
    readonly maxLabels: number
    /** The caller's `blockOf`, which has a share of the labels. */
    readonly network: string
    /** Takes rows beyond an ordinary call. Returns seconds to wait; 0: taken. */
    readonly takeRows: (rows: number) => number
  } | null
}

export const UNBOUNDED: GrowthBoundsOfCall = { hasRoom: () => true, limits: null }

export type Shortage =
  | { readonly kind: 'no-room' }
  | { readonly kind: 'full'; readonly max: number }
  | { readonly kind: 'too-fast'; readonly retryAfterSeconds: number }

/** The call succeeded without these labels. */
export interface LeftOut {
  readonly kind: 'left-out'
  readonly tag: readonly string[]
  readonly type: readonly string[]
  /** The network that reached `max`; `null`: the application did. */
  readonly network: string | null
  readonly max: number
}

export interface Grown {
  readonly kind: 'admitted'
  readonly leftOut?: LeftOut
}

export interface GrowthCall {
  readonly application: Application
  /** `null`: the application's backend. */
  readonly address: string | null
}

export interface GrowthBounds {
  readonly boundsOf: (call: GrowthCall) => GrowthBoundsOfCall
  /** Call with each shortage and each set of omitted labels. */
  readonly refused: (application: Application, why: Shortage | LeftOut) => void
}

interface Added {
  readonly isNew: boolean
  /** Token, alias and user of a new device, or the token that a device moves to; else 0. */
  readonly bytes: number
  readonly tag: readonly string[]
  readonly type: readonly string[]
}

/** An ordinary call brings this many labels to the application, and to its device. */
const ORDINARY_LABELS = 10

/** Longer texts count as several rows: an FCM token has about 160 bytes, at most 4096. */
const ROW_BYTES = 256

/**
 * A network's share: one caller must not use up an application's labels. At least 1000, since an app's developers or first
 * users may share an address.
 */
const NETWORK_SHARE = 1 / 4
const MIN_NETWORK_LABELS = 1000

export function maxLabelsOfNetwork(maxLabels: number): number {
  return Math.min(maxLabels, Math.max(MIN_NETWORK_LABELS, Math.ceil(maxLabels * NETWORK_SHARE)))
}

const ADMITTED: Grown = { kind: 'admitted' }

export function createGrowth({ labels, sizes }: { readonly labels: LabelIndex; readonly sizes: RegistrySizeStore }) {
  /** How many new names fit, and the nearer limit. */
  function labelRoom(application: number, { maxLabels, network }: NonNullable<GrowthBoundsOfCall['limits']>) {
    const ofApplication = maxLabels - sizes.sizeOf(application).labels
    const max = maxLabelsOfNetwork(maxLabels)
    const ofNetwork = max - sizes.labelsOf(application, network)
    return ofApplication <= ofNetwork
      ? { room: Math.max(0, ofApplication), network: null, max: maxLabels }
      : { room: Math.max(0, ofNetwork), network, max }
  }

  return {
    /**
     * Call before writing, and only if the call then succeeds: it creates new labels, because only here their network
     * is known.
     */
    admit(
      application: number,
      { isNew, bytes, tag, type }: Added,
      { hasRoom, limits }: GrowthBoundsOfCall,
    ): Grown | Shortage {
      if (!isNew && bytes === 0 && tag.length === 0 && type.length === 0) return ADMITTED
      if (limits === null && hasRoom()) return ADMITTED
      const tags = labels.unknown(application, 'tag', tag)
      const types = labels.unknown(application, 'type', type)
      const unknown = tags.length + types.length
      if ((isNew || unknown > 0) && !hasRoom()) return { kind: 'no-room' }
      if (limits === null) return ADMITTED

      const { maxDevices, maxLabels, network, takeRows } = limits
      if (isNew && maxDevices > 0 && sizes.sizeOf(application).devices >= maxDevices) {
        return { kind: 'full', max: maxDevices }
      }
      const full = unknown > 0 && maxLabels > 0 ? labelRoom(application, limits) : null
      const room = full?.room ?? unknown
      const newTags = tags.slice(0, room)
      const newTypes = types.slice(0, room - newTags.length)
      const left = Math.max(0, unknown - room)
      const rows = rowsBeyond(bytes, [...newTags, ...newTypes], tag.length + type.length - left)
      const retryAfterSeconds = rows === 0 ? 0 : takeRows(rows)
      if (retryAfterSeconds > 0) return { kind: 'too-fast', retryAfterSeconds }
      labels.bring(application, 'tag', newTags, network)
      labels.bring(application, 'type', newTypes, network)
      if (full === null || left === 0) return ADMITTED
      const leftOut = { tag: tags.slice(newTags.length), type: types.slice(newTypes.length) }
      return { kind: 'admitted', leftOut: { kind: 'left-out', ...leftOut, network: full.network, max: full.max } }
    },
  }
}

export function withoutLeftOut<Said extends { readonly tag?: Names; readonly active?: Names }>(
  said: Said,
  leftOut: LeftOut | undefined,
): Said {
  if (leftOut === undefined) return said
  const tag = said.tag?.filter((name) => !leftOut.tag.includes(name))
  const active = said.active?.filter((name) => !leftOut.type.includes(name))
  return { ...said, tag, active }
}

type Names = readonly string[] | undefined

/** An ordinary call brings a device, ten new names and ten labels of the device. */
function rowsBeyond(bytes: number, unknown: readonly string[], links: number): number {
  const ofDevice = rowsOf(bytes) - 1
  const ofNames = unknown.reduce((sum, name) => sum + rowsOf(Buffer.byteLength(name)), 0)
  return ofDevice + Math.max(0, ofNames - ORDINARY_LABELS) + Math.max(0, links - ORDINARY_LABELS)
}

function rowsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ROW_BYTES))
}
