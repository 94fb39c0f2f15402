import { statSync } from 'node:fs'
import { every, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { openDatabase } from '../../database/database.ts'
import type { Database } from '../../database/database.ts'
import { lockDirectory } from '../../database/directory-lock.ts'
import { releaseReserve } from '../../database/reserve.ts'
import { inDataDirectory, startRefusalOf } from '../../database/storage-errors.ts'
import { upgradeOnThread } from '../../database/migration/upgrade-thread.ts'
import type { UpgradeStep } from '../../database/migration/upgrade.ts'
import { StartRefused } from '../../failure.ts'
import { proxyProblem } from '../../gateway/transport/choose-transport.ts'
import type { Proxy } from '../../gateway/transport/tunnel.ts'
import { readTlsFiles } from '../../http/tls-files.ts'
import type { ReadPair, TlsFiles } from '../../http/tls-files.ts'
import type { Log } from '../../log.ts'
import { damagedRecordText } from '../../sealing/key-messages.ts'
import { settleKeys } from '../../sealing/rotate-key.ts'
import { keyPathIn } from '../../sealing/sealing-key.ts'
import { proveSealingKey } from '../../sealing/verify-key.ts'
import type { Config } from '../../settings/parse.ts'
import { readSystemFile } from '../../system/read-file.ts'
import { sealedRecordsOf } from '../../hook/sealed-records.ts'

/** Erases the reserve of a full disk: a start needs some room. */
export function freeReserve(directory: string, log: Log): void {
  const bytes = inDataDirectory(directory, () => releaseReserve(directory))
  if (bytes > 0) log.warn('the disk is full: released the reserve', { bytes })
}

export function lockDataDirectory(directory: string): Disposable {
  const lock = inDataDirectory(directory, () => lockDirectory(directory))
  if (lock === null) throw new StartRefused(`Another Bellhop serves the data directory ${directory}.`)
  return lock
}

const UPGRADE_LINE_MS = 2 * SECOND_MS

/** Upgrades an older database; the data directory is locked. `onUpgrading`: see `Overrides`. */
export async function upgradeFirst(
  directory: string,
  { clock, log, onUpgrading }: { clock: Clock; log: Log; onUpgrading: (underWay: boolean) => void },
): Promise<void> {
  const startedAt = clock.monotonic()
  let migration: { readonly number: number; readonly to: number } | null = null
  const end = every(clock, UPGRADE_LINE_MS, () => {
    const seconds = Math.round((clock.monotonic() - startedAt) / SECOND_MS)
    log.info('the database upgrade continues', { seconds, migration: migration?.number, to: migration?.to })
  })
  onUpgrading(true)
  try {
    await upgradeOnThread(directory, (step) => {
      if (step.kind === 'migrating') migration = step
      else logUpgrade(step, log)
    })
  } catch (error) {
    throw startRefusalOf(error, directory)
  } finally {
    onUpgrading(false)
    end()
  }
}

/** The data directory is locked. */
export function databaseIn(directory: string, log: Log): Database {
  if ((statSync(directory).mode & 0o007) !== 0) {
    log.warn(`other users of this machine can open the data directory: chmod 700 ${directory}`, { directory })
  }
  return inDataDirectory(directory, () => openDatabase(directory, { serving: true }))
}

function logUpgrade(step: Exclude<UpgradeStep, { kind: 'migrating' }>, log: Log): void {
  switch (step.kind) {
    case 'waiting':
      return log.warn('another process is upgrading the database: waiting for it')
    case 'copying':
      return log.info('copying the database before its upgrade', { copy: step.copy, bytes: step.bytes })
    case 'upgrading':
      return log.info('upgrading the database', { from: step.from, to: step.to })
    case 'upgraded': {
      const { from, to, copy, bytes, erased } = step
      return log.info('upgraded the database; delete its copy when everything works', {
        from,
        to,
        copy,
        bytes,
        ...(erased.length > 0 && { erased: erased.join(', ') }),
      })
    }
  }
}

/**
 * The key that opens what is sealed, or a new one if nothing is. Throws if it opens nothing; a single record that does
 * not open is damaged, and its application waits. The data directory is locked.
 */
export function sealingKeyOf({ data, key: text }: Config, database: Database, clock: Clock, log: Log): Uint8Array {
  const proven = inDataDirectory(data, () =>
    proveSealingKey({ sealed: sealedRecordsOf(database), dataDirectory: data, text: text ?? undefined }),
  )
  if (proven.kind === 'problem') throw new StartRefused(proven.problem)
  inDataDirectory(data, () => settleKeys(data, proven, clock.now()))
  for (const record of proven.damaged) log.error(damagedRecordText(record, proven.records.length))
  if (text === null && proven.records.length > 0) tellOfKey(keyPathIn(data), log)
  return proven.key
}

function tellOfKey(path: string, log: Log): void {
  log.info(
    'the sealing key is in the data directory, so a copy of the directory contains both: move it with bellhop key rotate --to FILE',
    { key: path },
  )
  if ((statSync(path).mode & 0o077) === 0) return
  log.warn(`users other than its owner can read the sealing key: chmod 600 ${path}`, { key: path })
}

/** Refuses a proxy that rejects the credentials. One that is only down may come back. */
export async function probeProxy(proxy: Proxy, origin: string, clock: Clock, log: Log): Promise<void> {
  const problem = await proxyProblem(proxy, origin, clock)
  if (problem === null) return
  if (problem === 'proxy: 407') {
    throw new StartRefused('--proxy (BELLHOP_PROXY): the proxy refuses its user and password (407).')
  }
  log.warn('the proxy opened no tunnel', { reason: problem, to: origin })
}

/** `null`: plain HTTP. */
export function tlsIn({ tlsCert, tlsKey }: Config): { readonly files: TlsFiles; readonly first: ReadPair } | null {
  if (tlsCert === null || tlsKey === null) return null
  const files = { certificate: tlsCert, key: tlsKey }
  const first = readTlsFiles(files, readSystemFile)
  if (first.kind === 'problem') throw new StartRefused(first.problem)
  return { files, first }
}
