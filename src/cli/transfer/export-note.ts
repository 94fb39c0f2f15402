import { readFileSync, rmSync } from 'node:fs'
import { parseJsonObject } from '../../text/json-object.ts'
import { startFile } from './unfinished-file.ts'

/** A requested export of another service. */
export interface ExportNote {
  readonly version: 1
  readonly app: string
  /** Whoever knows the URL can read the export. */
  readonly url: string
  /** ms since the Unix epoch. */
  readonly askedAt: number
}

/** `null`: none, or of another app. */
export function readNote(path: string, app: string): ExportNote | null {
  let note
  try {
    note = parseJsonObject(readFileSync(path, 'utf8'))
  } catch {
    // Missing: the export is still to be requested.
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
