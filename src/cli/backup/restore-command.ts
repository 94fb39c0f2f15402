import { join } from 'node:path'
import type { BackupDifference } from '../../backup/compare.ts'
import { destinationText } from '../../backup/destination.ts'
import { namingNewest } from '../../backup/newest.ts'
import { restore } from '../../backup/restore.ts'
import type { CancelledPushes, RestoredBackup } from '../../backup/restore.ts'
import { problem } from '../../failure.ts'
import { cancelOpenPushes } from '../../push/restored-push-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, isoTime, lasting, moment } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { closedTo, commandLine, dataDirectory } from '../data-directory.ts'
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
  const closed = closedTo(data)
  if (closed !== null) return closed
  const openBucket = bucketOpener(context)
  if (from.kind === 'folder' || from.kind === 'prefix') {
    return namingNewest(from, (backup) => commandLine(['restore', backup], flags), openBucket)
  }

  const watch = createWatch(context, { quiet: flags.has('json') })
  const restored = await restore({
    data,
    from,
    confirmed: flags.has('yes'),
    cancelOpenPushes: flags.has('resume-pushes') ? null : cancelOpenPushes,
    clock: context.clock,
    openBucket,
    watch,
  })
  watch.end()
  switch (restored.kind) {
    case 'problem':
      return restored
    case 'unconfirmed':
      return problem(`${lossText(restored.difference, data)} Nothing was changed: --yes restores anyway, and keeps it.`)
    case 'restored': {
      const key = checkKey(restored.content.sealed, data, context)
      if (flags.has('json')) return done(restoredJson(restored, key))
      return done(restoredText(destinationText(from), { ...restored, now: context.clock.now() }, key))
    }
  }
}

function lossText(difference: Exclude<BackupDifference, { kind: 'none' }>, data: string): string {
  const path = join(data, 'bellhop.db')
  switch (difference.kind) {
    case 'newer': {
      const { newestAt, registered, changed, pushes } = difference
      const lost = `${counted(registered, 'device')} registered, ${counted(changed, 'device')} changed and ${counted(pushes, 'push', 'pushes')} made`
      return `${path} is newer than the backup: since then ${lost}, the last change at ${moment(newestAt)}.`
    }
    case 'other':
      return `${path} and the backup are different databases: the backup has no application ${difference.applications.map((name) => `"${name}"`).join(', ')}.`
    case 'damaged':
      return `${path} is damaged, so changes since the backup cannot be listed: ${difference.problem}.`
  }
}

function restoredJson({ data, content, copiedAt, kept, cancelled }: RestoredBackup, key: KeyCheck): string {
  const count = (cancelled?.open ?? 0) + (cancelled?.scheduled ?? 0)
  const copied = copiedAt !== null && { copiedAt: isoTime(copiedAt) }
  return jsonLine({ data, ...contentJson(content), ...copied, kept, cancelledPushes: count, key: key.kind })
}

function restoredText(
  from: string,
  { data, content, copiedAt, now, kept, cancelled, waitingEvents, isOlder }: RestoredBackup & { readonly now: number },
  key: KeyCheck,
): string {
  const lines = [
    `${join(data, 'bellhop.db')} was restored from ${from}.`,
    contentText(content),
    ...(copiedAt === null
      ? []
      : [`It was copied at ${moment(copiedAt)}, ${lasting(now - copiedAt)} ago. What was stored after that is lost.`]),
    ...(kept === null ? [] : [`The previous database is now ${kept}: delete it when you are sure.`]),
    ...cancelledText(cancelled),
    ...keyText(key, data),
    ...(waitingEvents === 0
      ? []
      : [
          `${counted(waitingEvents, 'event')} were waiting for a webhook when the backup was made, and may be delivered again.`,
        ]),
    isOlder
      ? `Its schema ${content.schema} was kept: start the Bellhop version that wrote it, or this one, which upgrades it.`
      : 'Start the service now.',
  ]
  return `${lines.join('\n')}\n`
}

function cancelledText(cancelled: CancelledPushes | null): string[] {
  if (cancelled === null) return ['Unfinished pushes of the backup are sent now: devices may get them twice.']
  const { open, scheduled } = cancelled
  if (open + scheduled === 0) return []
  return [
    `Cancelled because they were probably sent already: ${counted(open, 'push', 'pushes')} in progress when the backup was made, ${counted(scheduled, 'push', 'pushes')} scheduled for a time in the past.`,
  ]
}

function keyText(key: KeyCheck, data: string): string[] {
  switch (key.kind) {
    case 'opens':
      return []
    case 'no key':
      return [
        `The sealing key is missing: put it back as ${join(data, 'key')}, or set BELLHOP_KEY_FILE, before starting.`,
      ]
    case 'wrong':
      return [`${key.problem} Put the right one in its place before the start.`]
  }
}
