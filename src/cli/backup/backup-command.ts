import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { timeInName } from '../../backup/backup-name.ts'
import { destinationIn, destinationText } from '../../backup/destination.ts'
import { makeBackup } from '../../backup/make-backup.ts'
import type { Made } from '../../backup/make-backup.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, lasting } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { dataDirectory, noDatabaseIn } from '../data-directory.ts'
import { createWatch } from '../terminal/gauge.ts'
import { contentJson, contentText } from './backup-text.ts'
import { bucketOpener, isFolder } from './bucket-opener.ts'

export const run: RunCommand = async ({ words, flags }, context) => {
  const { clock, stderr } = context
  const to = destinationIn(words[0] ?? '', isFolder)
  if (to.kind === 'problem') return problems(to.problem)
  const keep = flags.has('keep') ? Number(flags.get('keep')) : null
  // The name that `serve` gives its backups has their time.
  if (
    keep !== null &&
    (to.kind === 'file' || to.kind === 'object') &&
    timeInName(basename(destinationText(to))) === null
  ) {
    return problems('--keep needs a folder or s3://bucket/prefix/, where backups are named by time.')
  }
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  const missing = noDatabaseIn(found)
  if (missing !== null) return missing

  const startedAt = clock.now()
  const watch = createWatch(context, { quiet: flags.has('json') })
  const made = await makeBackup({ data, to, keep, clock, openBucket: bucketOpener(context), watch })
  watch.end()
  if (made.kind === 'problem') return made
  if (made.notErased !== null) stderr(`bellhop: Could not delete old backups: ${made.notErased}\n`)
  const tookMs = clock.now() - startedAt
  return done(flags.has('json') ? backupJson(made, tookMs) : backupText(made, tookMs, data))
}

function backupJson({ to, bytes, content, erased }: Made, tookMs: number): string {
  return jsonLine({ backup: to, bytes, tookMs, ...contentJson(content), erased })
}

function backupText({ to, bytes, content, erased }: Made, tookMs: number, data: string): string {
  const lines = [
    `${to}: ${megabytes(bytes)} in ${lasting(tookMs)}, checked.`,
    contentText(content),
    ...(erased.length === 0 ? [] : [`${counted(erased.length, 'older backup')} erased.`]),
    ...(content.sealed.length === 0 ? [] : [keyText(data)]),
  ]
  return `${lines.join('\n')}\n`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function keyText(data: string): string {
  const key = join(data, 'key')
  const where = existsSync(key) ? key : 'what BELLHOP_KEY or BELLHOP_KEY_FILE says'
  return `It does not contain the sealing key, which is ${where}. Keep a copy of the key, separate from the backups.`
}
