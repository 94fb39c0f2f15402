import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import { createExportStore } from '../../device/transfer/export-store.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { counted, grouped, isoTime } from '../../text/format.ts'
import { BELLHOP_EXPORT, deviceLine, EXPORT_VERSION, feedbackLine, tallyLine } from '../../transfer/bellhop-lines.ts'
import type { FileCounts, ExportHeader } from '../../transfer/bellhop-lines.ts'
import { done } from '../command.ts'
import type { CommandContext, RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { createProgress } from '../terminal/progress.ts'
import { webPushKeyOf } from './subscribed-key.ts'
import { readTransferArguments } from './transfer-arguments.ts'
import { startFile } from './unfinished-file.ts'

/** Writes everything known of an application's devices: to standard output, or whole to a file or not at all. */
export const run: RunCommand = async (given, context) => {
  const words = readTransferArguments('export', given)
  if (words.kind !== 'words') return words
  const opened = openApplication(words.app, given.flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database

  const file = words.file === '-' ? null : words.file
  const { application } = opened
  const counts = await (file === null
    ? toOutput(database, application, context)
    : toFile(file, database, application, context))
  context.audit?.note({ ...counts })
  // Of a reader that has gone, main.ts tells what is to be told.
  if (file === null || counts === null) return done('')
  const { devices, feedback, tallies } = counts
  const rest = `${counted(feedback, 'entry', 'entries')} of feedback and ${grouped(tallies)} of statistics`
  return done(`Exported ${counted(devices, 'device')} to ${file}, with ${rest}.\n`)
}

/** `null`: the reader wants no more. */
async function toOutput(
  database: Database,
  application: Application,
  context: CommandContext,
): Promise<FileCounts | null> {
  let written: FileCounts | null = null
  for (const { text, counts } of pages(database, application, context)) {
    if (context.stdout(text) === false) return null
    // One page at a time: what a slow reader has not taken would wait in memory.
    await context.written?.()
    written = counts
  }
  return written
}

/** Beside the file first, and in its place when it is whole and on disk. `.gz`: compressed. */
function toFile(
  path: string,
  database: Database,
  application: Application,
  context: CommandContext,
): FileCounts | null {
  const progress = createProgress(context, { unit: 'devices' })
  using file = startFile(path)
  let written: FileCounts | null = null
  try {
    for (const { text, counts, exported } of pages(database, application, context)) {
      // Each page for itself: a reader of gzip takes members one after the other as one (RFC 1952, 2.2).
      file.write(path.endsWith('.gz') ? Bun.gzipSync(text) : Buffer.from(text))
      written = counts
      progress.show(exported, counts.devices)
    }
    file.finish()
  } finally {
    progress.end()
  }
  return written
}

interface Page {
  /** Whole lines. */
  readonly text: string
  readonly counts: FileCounts
  /** Devices, with those of this page. */
  readonly exported: number
}

/** The header, the devices, and what else there is: all of one moment. */
function* pages(
  database: Database,
  { number, id, name, limits }: Application,
  context: CommandContext,
): Generator<Page> {
  const registry = createExportStore({ database })
  registry.begin()
  try {
    const tallies = createTallyReader({ database }).list(number)
    const counts = { ...registry.count(number), tallies: tallies.length }
    const header: ExportHeader = {
      format: BELLHOP_EXPORT,
      version: EXPORT_VERSION,
      application: { id, name, limits, webpush: webPushKeyOf({ number }, database, context) ?? undefined },
      exported_at: isoTime(context.clock.now()),
      counts,
    }
    let exported = 0
    const page = (lines: readonly string[]): Page => ({
      text: lines.map((line) => `${line}\n`).join(''),
      counts,
      exported,
    })
    yield page([JSON.stringify(header)])
    for (const devices of registry.devices(number)) {
      exported += devices.length
      yield page(devices.map(deviceLine))
    }
    for (const entries of registry.feedback(number)) yield page(entries.map(feedbackLine))
    yield page(tallies.map(tallyLine))
  } finally {
    registry.end()
  }
}
