import type { Application } from '../application/application.ts'
import type { LabelIndex } from './index/label-index.ts'
import type { RegistrySizeStore } from './registry-size-store.ts'

/** How far a call may make the registry grow. */
export interface GrowthBoundsOfCall {
  /** Whether there is room on the disk for what is new. */
  readonly hasRoom: () => boolean
  /** Of calls without the secret, since the application id is public; `null`: the application's own backend. */
  readonly limits: {
    /** 0 = no limit. */
    readonly maxDevices: number
    readonly maxLabels: number
    /** Takes rows beyond those of an ordinary call; the seconds to wait for them, 0 where they were taken. */
    readonly takeRows: (rows: number) => number
  } | null
}

/** As of a command, which its operator answers for. */
export const UNBOUNDED: GrowthBoundsOfCall = { hasRoom: () => true, limits: null }

/** Why nothing of a call was done. */
export type Shortage =
  | { readonly kind: 'no-room' }
  /** `most`: the limit of the application. */
  | { readonly kind: 'full'; readonly resource: 'devices' | 'labels'; readonly max: number }
  | { readonly kind: 'too-fast'; readonly retryAfterSeconds: number }

/** Whose call it is. */
export interface GrowthCall {
  readonly application: Application
  /** The caller's network address; `null`: the application's own backend. */
  readonly address: string | null
}

export interface GrowthBounds {
  /** To be asked for each call anew. */
  readonly boundsOf: (call: GrowthCall) => GrowthBoundsOfCall
  /** Hears of what was refused for them. */
  readonly refused: (application: Application, why: Shortage) => void
}

/** What a call would add. */
interface Added {
  /** A device that is not there. */
  readonly isNew: boolean
  /** Of its token, alias and user, or of the token that a device moves to; else 0. */
  readonly bytes: number
  /** Names that the device does not have. */
  readonly tag: readonly string[]
  readonly type: readonly string[]
}

/** Labels that a call may bring to the application, and to its device, like any other. */
const ORDINARY_LABELS = 10

/** What is longer takes as much of the disk as several rows: a token of FCM has about 160 bytes, and may have 4096. */
const ROW_BYTES = 256

export type Growth = ReturnType<typeof createGrowth>

/** Whether there is room for what a call adds. To be asked before anything is written. */
export function createGrowth({ labels, sizes }: { readonly labels: LabelIndex; readonly sizes: RegistrySizeStore }) {
  return {
    shortage(
      application: number,
      { isNew, bytes, tag, type }: Added,
      { hasRoom, limits }: GrowthBoundsOfCall,
    ): Shortage | null {
      if (!isNew && bytes === 0 && tag.length === 0 && type.length === 0) return null
      if (limits === null && hasRoom()) return null
      const unknown = [...labels.unknown(application, 'tag', tag), ...labels.unknown(application, 'type', type)]
      if ((isNew || unknown.length > 0) && !hasRoom()) return { kind: 'no-room' }
      if (limits === null) return null

      const { maxDevices, maxLabels, takeRows } = limits
      if ((isNew && maxDevices > 0) || (unknown.length > 0 && maxLabels > 0)) {
        const size = sizes.sizeOf(application)
        if (isNew && maxDevices > 0 && size.devices >= maxDevices) {
          return { kind: 'full', resource: 'devices', max: maxDevices }
        }
        if (unknown.length > 0 && maxLabels > 0 && size.labels + unknown.length > maxLabels) {
          return { kind: 'full', resource: 'labels', max: maxLabels }
        }
      }
      const rows = rowsBeyond(bytes, unknown, tag.length + type.length)
      const retryAfterSeconds = rows === 0 ? 0 : takeRows(rows)
      return retryAfterSeconds === 0 ? null : { kind: 'too-fast', retryAfterSeconds }
    },
  }
}

/** Rows beyond those of an ordinary call: a device, ten names that are new to the application, ten labels of the device. */
function rowsBeyond(bytes: number, unknown: readonly string[], links: number): number {
  const ofDevice = rowsOf(bytes) - 1
  const ofNames = unknown.reduce((sum, name) => sum + rowsOf(Buffer.byteLength(name)), 0)
  return ofDevice + Math.max(0, ofNames - ORDINARY_LABELS) + Math.max(0, links - ORDINARY_LABELS)
}

function rowsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ROW_BYTES))
}
