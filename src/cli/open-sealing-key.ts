import { hasCredentials } from '../application/credential-store.ts'
import type { Problem } from '../application/credential.ts'
import { loadSealingKey } from '../application/sealing-key.ts'
import type { Clock } from '../clock.ts'
import { readSettings } from '../config.ts'
import type { Problems } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { ReadFile } from '../read-file.ts'

/** What a command that seals something needs. */
export interface SealingSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Pick<Clock, 'now'>
  readonly database: Database
  readonly dataDirectory: string
}

/** The key that the server will open with, made where there is none yet; `notes` are to be shown. */
export function openSealingKey({
  env,
  readFile,
  database,
  dataDirectory,
}: SealingSurroundings):
  | { readonly kind: 'loaded'; readonly key: Uint8Array; readonly notes: readonly string[] }
  | Problem
  | Problems {
  const settings = readSettings(['key'], { flags: new Map(), env, readFile, withoutFlag: ['key'] })
  if (settings.kind === 'problems') return settings
  const text = settings.config.key ?? undefined
  const loaded = loadSealingKey({ dataDirectory, text, hasCredentials: hasCredentials(database) })
  if (loaded.kind === 'problem') return loaded
  const { kind, key, source } = loaded
  const made = `Credentials are sealed with the new key ${dataDirectory}/key: keep a copy of it, apart from the database.`
  return { kind, key, notes: source === 'created' ? [made] : [] }
}
