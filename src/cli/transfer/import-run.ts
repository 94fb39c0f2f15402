import { DatabaseRefused } from '../../database/database-refused.ts'
import type { Database } from '../../database/database.ts'
import { createImportStore } from '../../device/transfer/import-store.ts'
import type { ImportOutcome } from '../../device/transfer/import-store.ts'
import { createTallyStore } from '../../stats/tally-store.ts'
import type { Row } from '../../transfer/rows.ts'
import type { World } from '../command.ts'
import { NO_COUNTS } from './import-report.ts'
import type { ImportCounts, openRejects, Reject } from './import-report.ts'
import { createPacing } from './pacing.ts'

/**
 * Rows in one transaction: few beside a server, which waits; else many, so that an index page is written once for many
 * rows. On 2 cores with four labels a device: 81 µs a device with 500 devices a transaction, 60 µs with 5000.
 */
const WRITES = 20_000
const WRITES_SERVED = 800

export interface RunOptions extends Pick<World, 'database' | 'data' | 'clock' | 'served'> {
  readonly application: number
  readonly replace: boolean
  readonly dryRun: boolean
  readonly rejects: ReturnType<typeof openRejects>
  /** `null`: from the beginning. */
  readonly counts: ImportCounts | null
  /** Asked in each transaction: the application may have moved. */
  readonly isHere: () => boolean
  /** In each transaction that imports adoptable devices. */
  readonly adoptable: () => void
  readonly aliasName: string
}

export function startImport(options: RunOptions) {
  const { database, clock, application, replace } = options
  const store = createImportStore({ database, clock })
  const tallies = createTallyStore({ database })
  const counts: { -readonly [Name in keyof ImportCounts]: number } = { ...NO_COUNTS, ...options.counts }
  const aliasTaken = {
    field: options.aliasName,
    reason: `${options.aliasName} belongs to another device; it must be unique within the application.`,
  }
  let waiting: Row[] = []
  let writes = 0
  const pacing = createPacing(options)

  function put(row: Row): ImportOutcome | null {
    switch (row.kind) {
      case 'device':
        return store.put(application, row.device, { replace })
      case 'feedback':
        store.putFeedback(application, row.feedback)
        return null
      case 'tally':
        tallies.put(application, row.tally)
        return null
      case 'refused':
      case 'header':
        return null
    }
  }

  function putAll(rows: readonly Row[]): (ImportOutcome | null)[] {
    const outcomes = rows.map(put)
    if (rows.some((row, at) => isAdoptable(row, outcomes[at]))) options.adoptable()
    return outcomes
  }

  function count(row: Row, outcome: ImportOutcome | null): readonly Reject[] {
    const complaints = outcome?.aliasTaken === true ? [...row.complaints, aliasTaken] : row.complaints
    if (row.kind === 'feedback' || row.kind === 'tally') counts.history++
    else {
      counts.read++
      if (outcome === null) counts.rejected++
      else {
        counts[outcome.kind === 'kept' ? 'unchanged' : outcome.kind]++
        if (outcome.kind === 'kept') counts.kept++
        if (complaints.length > 0) counts.partial++
        if (isAdoptable(row, outcome)) counts.adoptable++
      }
    }
    if (complaints.length === 0) return NOTHING
    const imported = row.kind !== 'refused'
    return complaints.map(({ field, reason }) => ({ line: row.line, field, reason, imported, row: row.source() }))
  }

  return {
    /** `true`: flush before adding more. */
    add(row: Row): boolean {
      waiting.push(row)
      if (row.kind !== 'refused') writes++
      if (row.kind === 'device') writes += (row.device.tag?.length ?? 0) + (row.device.active?.length ?? 0)
      return writes >= (pacing.served ? WRITES_SERVED : WRITES) || waiting.length >= WRITES
    },

    async flush(): Promise<void> {
      const rows = waiting
      waiting = []
      writes = 0
      if (rows.length === 0) return
      const startedAt = clock.now()
      const outcomes = transact(database, options.dryRun, () => {
        if (!options.isHere())
          throw new DatabaseRefused('The application has begun to move to another server: import there.')
        return putAll(rows)
      })
      const tookMs = clock.now() - startedAt
      options.rejects.write(rows.flatMap((row, at) => count(row, outcomes[at] ?? null)))
      await pacing.rest(tookMs)
    },

    counts: (): ImportCounts => ({ ...counts }),
  }
}

const NOTHING: readonly Reject[] = []

/** Its user's registration may adopt it. */
function isAdoptable(row: Row, outcome: ImportOutcome | null | undefined): boolean {
  return (
    row.kind === 'device' && row.device.imported === true && Boolean(row.device.user) && outcome?.kind === 'imported'
  )
}

/** `undo`: rolls everything back. */
function transact<T>(database: Database, undo: boolean, work: () => T[]): T[] {
  if (!undo) return database.transact(work)
  let result: T[] = []
  try {
    database.transact(() => {
      result = work()
      throw UNDONE
    })
  } catch (error) {
    if (error !== UNDONE) throw error
  }
  return result
}

const UNDONE = new Error('a dry run')
