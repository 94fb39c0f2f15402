import type { Application } from '../../application/application.ts'
import { createExportStore } from '../../device/transfer/export-store.ts'
import { createTallyReader } from '../../stats/tally-store.ts'
import { counted, grouped, isoTime } from '../../text/format.ts'
import { BELLHOP_EXPORT, deviceLine, EXPORT_VERSION, feedbackLine, tallyLine } from '../../transfer/bellhop-lines.ts'
import type { FileCounts, ExportHeader } from '../../transfer/bellhop-lines.ts'
import { done } from '../command.ts'
import type { RunOnData, World } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { createProgress } from '../terminal/progress.ts'
import { webPushKeyOf } from './subscribed-key.ts'
import { readTransferArguments } from './import-options.ts'
import { startFile } from './unfinished-file.ts'

/** Writes everything known of an application's devices: to standard output, or whole to a file or not at all. */
export const run: RunOnData = async (given, world) => {
  const words = readTransferArguments('export', given)
  if (words.kind !== 'words') return words
  const found = findApplication(words.app, world)
  if (found.kind !== 'found') return found

  const file = words.file === '-' ? null : words.file
  const { application } = found
  const counts = await (file === null ? toOutput(application, world) : toFile(file, application, world))
  world.audit?.note({ ...counts })
  // Of a reader that has gone, main.ts tells what is to be told.
  if (file === null || counts === null) return done('')
  const { devices, feedback, tallies } = counts
  const rest = `${counted(feedback, 'entry', 'entries')} of feedback and ${grouped(tallies)} of statistics`
  return done(`Exported ${counted(devices, 'device')} to ${file}, with ${rest}.\n`)
}

/** `null`: the reader wants no more. */
async function toOutput(application: Application, world: World): Promise<FileCounts | null> {
  let written: FileCounts | null = null
  for (const { text, counts } of pages(application, world)) {
    if (world.stdout(text) === false) return null
    // One page at a time: what a slow reader has not taken would wait in memory.
    await world.written?.()
    written = counts
  }
  return written
}

/** Beside the file first, and in its place when it is whole and on disk. `.gz`: compressed. */
function toFile(path: string, application: Application, world: World): FileCounts | null {
  const progress = createProgress(world, { unit: 'devices' })
  using file = startFile(path)
  let written: FileCounts | null = null
  try {
    for (const { text, counts, exported } of pages(application, world)) {
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
  readonly text: string
  readonly counts: FileCounts
  /** Devices, with those of this page. */
  readonly exported: number
}

/** The header, the devices, and what else there is: all of one moment. */
function* pages({ number, id, name, limits }: Application, world: World): Generator<Page> {
  const registry = createExportStore(world)
  registry.begin()
  try {
    const tallies = createTallyReader(world).list(number)
    const counts = { ...registry.count(number), tallies: tallies.length }
    const header: ExportHeader = {
      format: BELLHOP_EXPORT,
      version: EXPORT_VERSION,
      application: { id, name, limits, webpush: webPushKeyOf({ number }, world) ?? undefined },
      exported_at: isoTime(world.clock.now()),
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
