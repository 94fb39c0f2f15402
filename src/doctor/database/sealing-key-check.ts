import { existsSync } from 'node:fs'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import { recordText } from '../../sealing/key-messages.ts'
import { keyPathIn } from '../../sealing/sealing-key.ts'
import type { KeyProblem } from '../../sealing/sealing-key.ts'
import { proveSealingKey } from '../../sealing/verify-key.ts'
import type { ProvenKey } from '../../sealing/verify-key.ts'
import { counted, listed } from '../../text/format.ts'
import { sealedRecordsOf } from '../../hook/sealed-records.ts'
import { failing, note, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface SealingKeyCheck {
  readonly finding: Finding
  readonly key: Uint8Array | null
}

/** Never creates a key. `text`: the key in the settings, if any. */
export function checkSealingKey(
  database: ReadOnlyDatabase,
  schema: number,
  data: string,
  text: string | null,
): SealingKeyCheck {
  const path = keyPathIn(data)
  const sealed = sealedRecordsOf(database, schema)
  if (sealed.records().length === 0 && text === null && !existsSync(path)) {
    return { finding: ok('There is no sealing key yet: it is created with the first credential.'), key: null }
  }
  const proven = proveSealingKey({ sealed, dataDirectory: data, text: text ?? undefined })
  return proven.kind === 'problem'
    ? { finding: failing(proven.problem, ADVICE[proven.why]), key: null }
    : { finding: judge(proven, path), key: proven.key }
}

function judge({ source, records, damaged }: ProvenKey, path: string): Finding {
  if (damaged.length > 0) {
    return failing(
      `The sealing key does not open ${listed(damaged.map(recordText))}, though it opens all else.`,
      `They are damaged: store them again (bellhop help app), and check the disk.`,
    )
  }
  if (source === 'next') {
    return warning(
      'A rotation of the sealing key was interrupted before its last step: the new key opens what is sealed.',
      'Start the server, or run bellhop key rotate again: either puts the new key in place.',
    )
  }
  const opens = records.length === 0 ? 'Nothing is sealed yet.' : `It opens ${spell(records.length)}.`
  if (source === 'setting' || source === 'file') return ok(`The sealing key is set. ${opens}`)
  // Not a warning: only the owner can read the directory (or `file-modes` warns), and backups leave the key out.
  return note(
    `The sealing key ${path} is in the data directory. ${opens}`,
    'A copy of the whole directory has both, so keep such copies as secret as a password; bellhop key rotate --to FILE moves it.',
  )
}

function spell(records: number): string {
  return counted(records, 'sealed record')
}

const ADVICE: Readonly<Record<KeyProblem['why'], string>> = {
  missing: "Look for the file key in copies of the data directory, and in the service's BELLHOP_KEY_FILE.",
  wrong: "Look for the right key in copies of the data directory, and in the service's BELLHOP_KEY_FILE.",
  misplaced: 'Until then, no server starts and no credential can be used.',
  malformed: 'Put back the original key. A key looks like the output of openssl rand -base64 32.',
  unreadable: "Run doctor as the server's user, or give that user the file: chown, chmod 600.",
}
