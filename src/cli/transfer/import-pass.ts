import { counted, grouped } from '../../text/format.ts'
import { EXPORT_VERSION } from '../../transfer/bellhop-lines.ts'
import { rowReader, splitOf } from '../../transfer/rows.ts'
import type { RowOptions } from '../../transfer/rows.ts'
import { BEGINNING } from '../../transfer/split.ts'
import type { Piece } from '../../transfer/split.ts'
import type { CommandContext } from '../command.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { openRejects } from './import-report.ts'
import type { ImportCounts } from './import-report.ts'
import { startImport } from './import-run.ts'
import type { RunOptions } from './import-run.ts'
import { CutShort } from './import-source.ts'
import type { Source } from './import-source.ts'
import { readState, removeState, writeState } from './import-state.ts'
import type { ImportState } from './import-state.ts'

/** A kill loses what came after the last save. */
const NOTE_MS = 2000

/** Longer than any device: a value has no end. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024

export interface PassOptions extends Omit<RunOptions, 'rejects' | 'counts' | 'clock'> {
  readonly source: Source
  readonly name: string
  readonly rows: RowOptions
  readonly rejectsPath: string
  /** `null`: progress is not saved. */
  readonly statePath: string | null
  readonly identity: string
}

export interface PassEnd {
  /** `null`: the whole file was read. STOPPED: by a signal. Else a sentence. */
  readonly problem: string | null
  readonly counts: ImportCounts
  /** `null`: nothing was rejected. */
  readonly rejects: string | null
}

export const STOPPED = 'stopped'

export async function passOver(options: PassOptions, context: CommandContext): Promise<PassEnd> {
  const { source, name, statePath, identity, database, rejectsPath } = options
  const { clock, stderr } = context
  const state = statePath === null || source.print === null ? null : readState(statePath, source.print, identity)
  if (state !== null) stderr(`Continuing where it stopped, at line ${state.place.line}.\n`)
  let place = state?.place ?? BEGINNING
  let promised = state?.promised ?? null
  let notedAt = clock.now()
  let isHeader = options.rows.shape.kind === 'csv' && place === BEGINNING

  using rejects = openRejects(rejectsPath, state?.rejectBytes ?? 0)
  const importing = startImport({ ...options, clock, rejects, counts: state?.counts ?? null })
  const splitter = splitOf(options.rows.shape)(place)
  const rowsOf = rowReader(options.rows)
  const progress = createProgress(context, { unit: 'bytes' })
  // Commits wait for the disk only when progress is saved.
  const sync = database.syncByHand()
  using polling = startPolling(context)

  async function take(pieces: Iterable<Piece>): Promise<string | null> {
    for (const piece of pieces) {
      let isEnough = false
      for (const row of isHeader ? [] : rowsOf(piece)) {
        if (row.kind === 'header') {
          const { version, counts } = row.header
          if (version !== EXPORT_VERSION) return `${name} was created by a newer Bellhop: upgrade this one first.`
          promised = devicesIn(counts)
        } else if (importing.add(row)) isEnough = true
      }
      isHeader = false
      place = piece.next
      if (isEnough) await write()
      if (polling.isStopped()) return STOPPED
    }
    return null
  }

  async function write(): Promise<void> {
    await importing.flush()
    progress.show(source.read(), source.size, counted(importing.counts().read, 'row'))
    if (clock.now() - notedAt >= NOTE_MS) note()
  }

  function note(): void {
    notedAt = clock.now()
    if (statePath === null || source.print === null) return
    sync.now()
    const noted: ImportState = {
      version: 1,
      print: source.print,
      order: identity,
      place,
      counts: importing.counts(),
      promised,
      rejectBytes: rejects.bytes(),
    }
    writeState(statePath, noted)
  }

  async function readAll(): Promise<string | null> {
    for await (const chunk of source.chunks(place.offset)) {
      progress.show(source.read(), source.size)
      const problem = await take(splitter.push(chunk))
      if (problem !== null) return problem
      if (splitter.pending() > MAX_RECORD_BYTES) {
        return `From line ${place.line} on, ${name} cannot be read: a value starts there and has no end within 8 MB.`
      }
    }
    const problem = await take(splitter.end())
    if (problem !== null) return problem
    return splitter.pending() === 0 ? null : `${name} is truncated: the value after line ${place.line} has no end.`
  }

  try {
    let problem = await readAll().catch((error: unknown) => {
      if (error instanceof CutShort) return `${name} is truncated or damaged: ${error.message}.`
      throw error
    })
    await write()
    const counts = importing.counts()
    if (problem === null && source.isChanged()) problem = `${name} changed while it was read: import it again.`
    if (problem === null && promised !== null && counts.read < promised) {
      problem = `${name} is truncated: it should have ${counted(promised, 'device')}, and has ${grouped(counts.read)}.`
    }
    // A stopped import continues; a failed one starts over, and changes nothing twice.
    if (problem === STOPPED) note()
    else {
      sync.now()
      if (statePath !== null) removeState(statePath)
    }
    return { problem, counts, rejects: rejects.bytes() === 0 ? null : rejectsPath }
  } finally {
    progress.end()
  }
}

function devicesIn(counts: unknown): number | null {
  const isCounted = typeof counts === 'object' && counts !== null && 'devices' in counts
  return isCounted && typeof counts.devices === 'number' ? counts.devices : null
}
