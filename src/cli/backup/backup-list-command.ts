import { existsSync } from 'node:fs'
import { timeInName } from '../../backup/backup-name.ts'
import { repositoryPlaceIn } from '../../backup/destination.ts'
import { writtenIn } from '../../backup/newest.ts'
import { repositoryAt } from '../../backup/repository.ts'
import type { RepositoryPlace, StoredBackup } from '../../backup/repository.ts'
import { problem } from '../../failure.ts'
import { readSettings } from '../../settings/parse.ts'
import { byteSize } from '../../text/byte-size.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { ago, counted, isoTime, moment } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { listing } from '../terminal/table-text.ts'
import { bucketOpener } from './bucket-opener.ts'

export const run: RunCommand = async ({ words, flags }, context) => {
  const { env, readFile, clock } = context
  const settings = readSettings(['backup'], { flags: new Map(), env, readFile })
  if (settings.kind === 'problems') return settings
  const text = words[0] ?? settings.config.backup
  if (text === null) {
    return problems('backup list needs TO, a folder or s3://bucket/prefix/, unless BELLHOP_BACKUP is set.')
  }
  const place = repositoryPlaceIn(text)
  if (place.kind === 'problem') return problems(place.problem)
  if (place.kind === 'folder' && !existsSync(place.path)) {
    return problem(`There is no folder ${place.path}: the first backup creates it.`)
  }
  const repository = repositoryAt(place, bucketOpener(context))
  const listed = 'kind' in repository ? repository : await repository.list()
  if (listed.kind === 'problem') return problem(listed.problem)
  const { backups } = listed
  return done(flags.has('json') ? json(place, backups) : table(text, place, backups, clock.now()))
}

function json(place: RepositoryPlace, backups: readonly StoredBackup[]): string {
  return jsonLine({
    backups: backups.map(({ name, bytes }) => ({
      backup: writtenIn(place, name),
      madeAt: isoTime(timeInName(name) ?? 0),
      bytes,
    })),
  })
}

function table(text: string, place: RepositoryPlace, backups: readonly StoredBackup[], now: number): string {
  if (backups.length === 0) return `There are no backups in ${escapeControls(text)}.\n`
  const at = ({ name }: StoredBackup) => timeInName(name) ?? 0
  const lines = listing(backups, [
    ['BACKUP', ({ name }) => escapeControls(writtenIn(place, name))],
    ['MADE AT', (one) => moment(at(one))],
    ['', (one) => ago(at(one), now)],
    ['SIZE', ({ bytes }) => byteSize(bytes), 'right'],
  ])
  return [...lines, `${counted(backups.length, 'backup')}, newest first.`, ''].join('\n')
}
