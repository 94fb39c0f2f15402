import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { Problem } from '../../failure.ts'
import { proveSealingKey } from '../../sealing/verify-key.ts'
import { readSettings } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import type { ReadFile } from '../../system/read-file.ts'
import { sealedRecordsOf } from '../../webhook/sealed-records.ts'

/** What a command that seals something needs. */
export interface SealingContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: ReadFile
  readonly clock: Pick<Clock, 'now'>
  readonly database: Database
  readonly dataDirectory: string
}

/**
 * The key that the server will open with, made where there is none yet; `notes` are to be shown. A key that opens
 * nothing of what is sealed is a problem. Call it in the transaction that seals: a rotation of the key is another one.
 */
export function openSealingKey({
  env,
  readFile,
  database,
  dataDirectory,
}: SealingContext):
  | { readonly kind: 'loaded'; readonly key: Uint8Array; readonly notes: readonly string[] }
  | Problem
  | Problems {
  const setting = readKeySetting({ env, readFile })
  if (setting.kind === 'problems') return setting
  const proven = proveSealingKey({ sealed: sealedRecordsOf(database), dataDirectory, text: setting.text })
  if (proven.kind === 'problem') return { kind: 'problem', problem: proven.problem }
  const made = `Credentials are sealed with the new key ${dataDirectory}/key: keep a copy of it, apart from the database.`
  return { kind: 'loaded', key: proven.key, notes: proven.source === 'created' ? [made] : [] }
}

/** The key that is set; `undefined`: that of the data directory. */
export function readKeySetting({
  env,
  readFile,
}: Pick<SealingContext, 'env' | 'readFile'>):
  | { readonly kind: 'setting'; readonly text: string | undefined }
  | Problems {
  const settings = readSettings(['key'], { flags: new Map(), env, readFile, withoutFlag: ['key'] })
  return settings.kind === 'problems' ? settings : { kind: 'setting', text: settings.config.key ?? undefined }
}
