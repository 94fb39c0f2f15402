import { readFileSync, rmSync } from 'node:fs'
import type { FilePlace } from '../../transfer/split.ts'
import type { ImportCounts } from './import-report.ts'
import type { FilePrint } from './import-source.ts'
import { startFile } from './unfinished-file.ts'

/** Everything before `place` is on disk. */
export interface ImportState {
  readonly version: 1
  readonly print: FilePrint
  /** The same import is resumed, another starts over. */
  readonly order: string
  readonly place: FilePlace
  readonly counts: ImportCounts
  /** Devices that the file promises; `null`: unknown. */
  readonly promised: number | null
  readonly rejectBytes: number
}

/** `null`: none, or of another import. */
export function readState(path: string, print: FilePrint, identity: string): ImportState | null {
  let state: unknown
  try {
    state = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Missing, or cut off by a power cut.
    return null
  }
  if (!isState(state) || state.order !== identity) return null
  const { size, mtimeMs, begins } = state.print
  return size === print.size && mtimeMs === print.mtimeMs && begins === print.begins ? state : null
}

function isState(value: unknown): value is ImportState {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === 1
}

export function writeState(path: string, state: ImportState): void {
  using file = startFile(path)
  file.write(Buffer.from(JSON.stringify(state)))
  file.finish({ durable: false })
}

export function removeState(path: string): void {
  rmSync(path, { force: true })
}
