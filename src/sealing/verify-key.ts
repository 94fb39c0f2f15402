import { keysIn, nextKeyIn } from './key-directory.ts'
import { misplacedKeyText, wrongKeyText } from './key-messages.ts'
import { recordsClosedTo } from './sealed-store.ts'
import type { SealedStore } from './sealed-store.ts'
import type { SealedRecord } from './sealed-table.ts'
import { keyPathIn, loadSealingKey } from './sealing-key.ts'
import type { KeyProblem, SealingKey } from './sealing-key.ts'

/** A key that opens every record that is not damaged. */
export interface ProvenKey {
  readonly kind: 'proven'
  /** 32 bytes. */
  readonly key: Uint8Array
  /** `'next'`: the new one of a rotation that was killed after its commit. */
  readonly source: SealingKey['source'] | 'next'
  readonly records: readonly SealedRecord[]
  readonly damaged: readonly SealedRecord[]
}

interface Options {
  readonly sealed: Pick<SealedStore, 'records'>
  /** Exists already. */
  readonly dataDirectory: string
  /** The key of the settings. Overrides the one in the data directory. */
  readonly text?: string | undefined
  readonly random?: (length: number) => Uint8Array
}

/**
 * The sealing key, proven by opening what is sealed; created if there is neither. A wrong one would leave records of
 * two keys in the database. To seal something, prove and write in one transaction, so that no rotation comes in
 * between.
 */
export function proveSealingKey({ sealed, dataDirectory, text, random }: Options): ProvenKey | KeyProblem {
  const records = sealed.records()
  const loaded = loadSealingKey({
    dataDirectory,
    text,
    hasCredentials: records.length > 0,
    ...(random && { random }),
  })
  if (loaded.kind === 'loaded') {
    const { key, source } = loaded
    if (opensAny(key, records)) return proven(key, source, records)
    const next = source === 'data-directory' ? nextKeyIn(dataDirectory) : null
    if (next !== null && opensAny(next, records)) return proven(next, 'next', records)
  } else if (loaded.why === 'unreadable') return loaded

  const place = text === undefined ? keyPathIn(dataDirectory) : null
  const fitting = keysIn(dataDirectory).find(({ key }) => opensAny(key, records))
  if (fitting !== undefined)
    return { kind: 'problem', problem: misplacedKeyText(place, fitting.path), why: 'misplaced' }
  if (loaded.kind === 'problem') return loaded
  return { kind: 'problem', problem: wrongKeyText(place, records), why: 'wrong' }
}

function proven(key: Uint8Array, source: ProvenKey['source'], records: readonly SealedRecord[]): ProvenKey {
  return { kind: 'proven', key, source, records, damaged: recordsClosedTo(key, records) }
}

/** A key that opens one record is the right one: nobody seals with a second key. */
function opensAny(key: Uint8Array, records: readonly SealedRecord[]): boolean {
  return records.length === 0 || recordsClosedTo(key, records).length < records.length
}
