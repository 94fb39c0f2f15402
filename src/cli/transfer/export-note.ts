import { readFileSync, rmSync } from 'node:fs'
import { parseJsonObject } from '../../text/json-object.ts'
import { startFile } from './unfinished-file.ts'

/** That another service was asked for its export, and where it will be. */
export interface ExportNote {
  readonly version: 1
  readonly app: string
  /** Whoever knows the address can read the export. */
  readonly url: string
  /** ms since the Unix epoch. */
  readonly askedAt: number
}

/** `null`: there is none, or none of this app. */
export function readNote(path: string, app: string): ExportNote | null {
  let note
  try {
    note = parseJsonObject(readFileSync(path, 'utf8'))
  } catch {
    // Missing: the export is asked for.
    return null
  }
  const { url, askedAt } = note ?? {}
  const isOurs = note?.['version'] === 1 && note['app'] === app
  return isOurs && typeof url === 'string' && typeof askedAt === 'number' ? { version: 1, app, url, askedAt } : null
}

/** Whole or not at all, readable for its owner only. */
export function writeNote(path: string, note: ExportNote): void {
  using file = startFile(path)
  file.write(Buffer.from(JSON.stringify(note)))
  file.finish()
}

export function removeNote(path: string): void {
  rmSync(path, { force: true })
}
