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
import { startNamedFile } from './unfinished-file.ts'

export const run: RunOnData = async (given, world) => {
  const words = readTransferArguments('export', given)
  if (words.kind !== 'words') return words
  const found = findApplication(words.app, world)
  if (found.kind !== 'found') return found

  const file = words.file === '-' ? null : words.file
  const { application } = found
  const counts = await (file === null
    ? toOutput(application, world)
    : toFile(file, given.flags.has('force'), application, world))
  world.audit?.note({ ...counts })
  // main.ts reports a reader that has gone.
  if (file === null || counts === null) return done('')
  const { devices, feedback, tallies } = counts
  const rest = `${counted(feedback, 'entry', 'entries')} of feedback and ${grouped(tallies)} of statistics`
  return done(`Exported ${counted(devices, 'device')} to ${file}, with ${rest}.\n`)
}

async function toOutput(application: Application, world: World): Promise<FileCounts | null> {
  let written: FileCounts | null = null
  for (const { text, counts } of pages(application, world)) {
    if (world.stdout(text) === false) return null
    // A slow reader must not fill memory.
    await world.written?.()
    written = counts
  }
  return written
}

/** `.gz`: compressed. */
function toFile(path: string, force: boolean, application: Application, world: World): FileCounts | null {
  const progress = createProgress(world, { unit: 'devices' })
  using file = startNamedFile(path, force)
  let written: FileCounts | null = null
  try {
    for (const { text, counts, exported } of pages(application, world)) {
      // gzip readers concatenate members (RFC 1952, 2.2).
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
  readonly exported: number
}

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
