import { existsSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { dropKey, dropNextKey, keepKey, nextKeyPathIn, putNextKeyInPlace } from './key-directory.ts'
import { createKeyFile } from './key-file.ts'
import { damagedRecordText } from './key-messages.ts'
import { recordsClosedTo } from './sealed-store.ts'
import type { SealedStore } from './sealed-store.ts'
import type { SealedRecord } from './sealed-table.ts'
import { keyPathIn, newSealingKey, readKeyFile } from './sealing-key.ts'
import { proveSealingKey } from './verify-key.ts'
import type { ProvenKey } from './verify-key.ts'

export interface Rotated {
  readonly kind: 'rotated'
  readonly path: string
  readonly resealed: number
  readonly erased: readonly SealedRecord[]
  /** Where the old key is kept; `null`: it was a setting, or there was none. */
  readonly kept: string | null
}

interface Options {
  readonly database: Pick<Database, 'statement' | 'transact'>
  readonly sealed: SealedStore
  /** No server runs on it or can start meanwhile. */
  readonly dataDirectory: string
  /** The key of the settings; `undefined`: the one in the data directory. */
  readonly text: string | undefined
  /** The file to write the new key to; `null`: in the data directory. */
  readonly to: string | null
  readonly discard: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
  /** Called after each step. Tests end the process there. */
  readonly onStep?: (step: 'written' | 'resealed' | 'committed' | 'kept') => void
}

/**
 * Makes a new key and seals everything with it.
 *
 * the old key → (the new one is on disk, as `key.next` or in `to`) → both, and the old one opens the database →
 * (commit) → both, and the new one opens it → (the old one is kept as `key.until-…`, the new one takes its place) → the
 * new key.
 * Wherever it ends, one of the keys on disk opens the database: `proveSealingKey` finds `key.next`, and `settleKeys`
 * takes the last step. A failed commit leaves the new key in place: the commit may be on disk all the same.
 */
export function rotateKey(options: Options): Rotated | Problem {
  const { database, sealed, dataDirectory, text, to, discard, clock, random, onStep = () => {} } = options
  const refusal = taken(options)
  if (refusal !== null) return refusal
  const old = oldKey(options)
  if (old.kind === 'problem') return old
  if (to === null && text !== undefined) {
    return problem('The key is one of the settings, which this command cannot change: --to FILE writes the new one.')
  }

  settleKeys(dataDirectory, old, clock.now())
  const key = newSealingKey(random)
  const path = to ?? nextKeyPathIn(dataDirectory)
  if (!createKeyFile(path, key, to === null ? dataDirectory : null))
    return problem(`There is a file ${path} already: name a new one.`)
  onStep('written')

  let kept: string | null = null
  function place(): void {
    if (text === undefined) kept = keepKey(dataDirectory, clock.now())
    onStep('kept')
    if (to === null) putNextKeyInPlace(dataDirectory)
    else if (text === undefined) dropKey(dataDirectory)
  }

  // Overwrites what the old key has sealed (sqlite.org/pragma, "secure_delete").
  database.statement('PRAGMA secure_delete = ON').all()
  const { erased, resealed } = database.transact(() => {
    const erased = discard ? recordsClosedTo(old.key, sealed.records()) : []
    sealed.erase(erased)
    sealed.reseal(old.key, key)
    const resealed = sealed.records().length
    onStep('resealed')
    // No record tells the keys apart then, and the next writer, in its own transaction, must find the new one.
    if (resealed === 0) place()
    return { erased, resealed }
  })
  onStep('committed')
  if (resealed > 0) place()
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  return { kind: 'rotated', path: to ?? keyPathIn(dataDirectory), resealed, erased, kept }
}

/** Takes the last step of a rotation that was killed before it. The caller must hold the data directory. */
export function settleKeys(dataDirectory: string, { source }: Pick<ProvenKey, 'source'>, now: number): void {
  if (source !== 'next') return dropNextKey(dataDirectory)
  keepKey(dataDirectory, now)
  putNextKeyInPlace(dataDirectory)
}

/** An existing file may be the new key of an unfinished rotation. */
function taken({ sealed, to }: Options): Problem | null {
  if (to === null || !existsSync(to)) return null
  const read = readKeyFile(to)
  const records = sealed.records()
  if (records.length === 0 || read.kind === 'problem' || recordsClosedTo(read.key, records).length > 0) {
    return problem(`There is a file ${to} already: name a new one.`)
  }
  return problem(`Everything is sealed with the key in ${to} already: give it as BELLHOP_KEY_FILE.`)
}

type OldKey = Pick<ProvenKey, 'source' | 'key'> & { readonly kind: 'old' }

function oldKey({ discard, ...options }: Options): OldKey | Problem {
  const proven = proveSealingKey(options)
  if (proven.kind === 'problem') {
    const lost = proven.why === 'missing' || proven.why === 'malformed' || proven.why === 'wrong'
    if (!discard || !lost) return problem(proven.problem)
    // Opens nothing, so everything is erased.
    return { kind: 'old', source: 'file', key: newSealingKey() }
  }
  const { key, source, damaged, records } = proven
  const [first] = damaged
  if (first !== undefined && !discard) {
    return problem(
      `${damagedRecordText(first, records.length)} Or erase what is damaged: bellhop key rotate --discard.`,
    )
  }
  return { kind: 'old', source, key }
}
