import type { Application } from '../application/application.ts'
import type { LabelIndex } from './index/label-index.ts'
import type { RegistrySizeStore } from './registry-size-store.ts'

export interface GrowthBoundsOfCall {
  readonly hasRoom: () => boolean
  /** For calls without the secret, since the application id is public; `null`: the application's own backend. */
  readonly limits: {
    /** 0 = no limit. */
    readonly maxDevices: number
    readonly maxLabels: number
    /** The caller's network, which may bring a share of the labels: see `blockOf`. */
    readonly network: string
    /** Takes rows beyond those of an ordinary call; the seconds to wait for them, 0: taken. */
    readonly takeRows: (rows: number) => number
  } | null
}

export const UNBOUNDED: GrowthBoundsOfCall = { hasRoom: () => true, limits: null }

export type Shortage =
  | { readonly kind: 'no-room' }
  | { readonly kind: 'full'; readonly max: number }
  | { readonly kind: 'too-fast'; readonly retryAfterSeconds: number }

/** Labels that a call was executed without. */
export interface LeftOut {
  readonly kind: 'left-out'
  readonly tag: readonly string[]
  readonly type: readonly string[]
  /** The network that has brought as many as it may, `max`; `null`: the application has its `max` labels. */
  readonly network: string | null
  readonly max: number
}

/** There is room, except for what is left out. */
export interface Grown {
  readonly kind: 'admitted'
  readonly leftOut?: LeftOut
}

export interface GrowthCall {
  readonly application: Application
  /** The caller's network address; `null`: the application's own backend. */
  readonly address: string | null
}

export interface GrowthBounds {
  readonly boundsOf: (call: GrowthCall) => GrowthBoundsOfCall
  /** To be called with what was refused or left out. */
  readonly refused: (application: Application, why: Shortage | LeftOut) => void
}

interface Added {
  readonly isNew: boolean
  /** Of a new device's token, alias and user, or of the token that a device moves to; else 0. */
  readonly bytes: number
  readonly tag: readonly string[]
  readonly type: readonly string[]
}

/** Labels that an ordinary call may bring to the application, and to its device. */
const ORDINARY_LABELS = 10

/** Longer texts count as several rows: a token of FCM has about 160 bytes, and may have 4096. */
const ROW_BYTES = 256

/**
 * One network may bring a quarter of an application's labels, so that one caller alone cannot use up the limit. At least a
 * thousand, since the first users of an app, or its developers, may be behind one address.
 */
const NETWORK_SHARE = 1 / 4
const MIN_NETWORK_LABELS = 1000

export function maxLabelsOfNetwork(maxLabels: number): number {
  return Math.min(maxLabels, Math.max(MIN_NETWORK_LABELS, Math.ceil(maxLabels * NETWORK_SHARE)))
}

const ADMITTED: Grown = { kind: 'admitted' }

export function createGrowth({ labels, sizes }: { readonly labels: LabelIndex; readonly sizes: RegistrySizeStore }) {
  /** How many new names fit, and which limit is the nearer one. */
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
     * Whether there is room. To be called before anything is written, and only if the call then succeeds: it creates the
     * labels that are new, because only here the network that brought them is known.
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

/** Rows beyond those of an ordinary call: a device, ten new names, ten labels of the device. */
function rowsBeyond(bytes: number, unknown: readonly string[], links: number): number {
  const ofDevice = rowsOf(bytes) - 1
  const ofNames = unknown.reduce((sum, name) => sum + rowsOf(Buffer.byteLength(name)), 0)
  return ofDevice + Math.max(0, ofNames - ORDINARY_LABELS) + Math.max(0, links - ORDINARY_LABELS)
}

function rowsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ROW_BYTES))
}
