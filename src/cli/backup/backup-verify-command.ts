import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { timeInName } from '../../backup/backup-name.ts'
import { destinationText } from '../../backup/destination.ts'
import { fetchBackup } from '../../backup/fetch-backup.ts'
import type { OneBackup } from '../../backup/fetch-backup.ts'
import { namingNewest } from '../../backup/newest.ts'
import { inspect } from '../../backup/summary.ts'
import type { BackupInspection } from '../../backup/summary.ts'
import { verifyDirectoryPrefix } from '../../backup/own-process.ts'
import type { BackupWatch } from '../../backup/watch.ts'
import { workDirectoryFor } from '../../database/regular-file.ts'
import type { Problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoTime, moment } from '../../text/format.ts'
import { done, failed } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { commandLine, dataDirectory } from '../data-directory.ts'
import { createWatch } from '../terminal/gauge.ts'
import { contentJson, contentText } from './backup-text.ts'
import { bucketOpener, chosenBackup } from './bucket-opener.ts'
import { checkKey } from './check-key.ts'
import type { KeyCheck } from './check-key.ts'

export const run: RunCommand = async (given, context) => {
  const { flags } = given
  const from = chosenBackup(given)
  if (from.kind === 'problems') return from
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  if (from.kind === 'folder' || from.kind === 'prefix') {
    const line = (backup: string) => commandLine(['backup', 'verify', backup], flags)
    return namingNewest(from, line, bucketOpener(context))
  }

  const watch = createWatch(context, { quiet: flags.has('json') })
  const verified = await verify(from, { data, watch, openBucket: bucketOpener(context) })
  watch.end()
  if (verified.kind === 'problem') return verified
  const key = checkKey(verified.content?.sealed ?? [], data, context)
  const text = (flags.has('json') ? verifiedJson : verifiedText)(destinationText(from), verified, key)
  return verified.kind === 'good' && key.kind !== 'wrong' ? done(text) : failed(text)
}

interface Means extends Pick<Parameters<typeof fetchBackup>[0], 'openBucket'> {
  readonly data: string
  readonly watch: BackupWatch
}

async function verify(from: OneBackup, { data, watch, openBucket }: Means): Promise<BackupInspection | Problem> {
  if (from.kind === 'file') return existsSync(from.path) ? inspect(from.path, 'full', watch) : noFile(from.path)
  // Beside the database if there is one: /tmp may be in memory.
  const workplace = mkdtempSync(
    join(existsSync(data) ? workDirectoryFor(data) : tmpdir(), verifyDirectoryPrefix(process.pid)),
  )
  try {
    const copy = join(workplace, 'bellhop.db')
    const fetched = await fetchBackup({ from, into: copy, openBucket, watch })
    return 'problem' in fetched ? fetched : inspect(copy, 'full', watch)
  } finally {
    rmSync(workplace, { recursive: true, force: true })
  }
}

function noFile(path: string): Problem {
  return { kind: 'problem', problem: `There is no file ${path}.` }
}

function verifiedJson(from: string, inspection: BackupInspection, key: KeyCheck): string {
  const { kind, content } = inspection
  const madeAt = timeInName(basename(from))
  const line = {
    backup: from,
    good: kind === 'good',
    problems: inspection.kind === 'bad' ? inspection.problems : [],
    ...(madeAt !== null && { madeAt: isoTime(madeAt) }),
    ...(content !== null && contentJson(content)),
    key: key.kind,
  }
  return jsonLine(line)
}

function verifiedText(from: string, inspection: BackupInspection, key: KeyCheck): string {
  const { kind, content } = inspection
  const madeAt = timeInName(basename(from))
  const lines = [
    kind === 'good' ? `${from} is a good backup.` : `${from} is not a good backup.`,
    ...(inspection.kind === 'bad' ? inspection.problems.map(escapeControls) : []),
    ...(madeAt === null ? [] : [`It was created at ${moment(madeAt)}.`]),
    ...(content === null ? [] : [contentText(content)]),
    ...(content === null || content.sealed.length === 0 ? [] : [keyText(key)]),
  ]
  return `${lines.join('\n')}\n`
}

function keyText(key: KeyCheck): string {
  switch (key.kind) {
    case 'opens':
      return "This machine's sealing key opens its credentials."
    case 'no key':
      return 'Its credentials were not checked: there is no sealing key here (BELLHOP_KEY_FILE, or --data).'
    case 'wrong':
      return key.problem
  }
}
