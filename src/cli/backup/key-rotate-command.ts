import { resolve } from 'node:path'
import { lockDirectory } from '../../database/directory-lock.ts'
import { problem } from '../../failure.ts'
import { recordText } from '../../sealing/key-messages.ts'
import { rotateKey } from '../../sealing/rotate-key.ts'
import type { Rotated } from '../../sealing/rotate-key.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { sealedRecordsOf } from '../../hook/sealed-records.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { readKeySetting } from '../open-data.ts'

/** A running server has the old key in memory, so it must be stopped. */
export const run: RunOnData = async ({ flags }, { database, data, clock, env, readFile }) => {
  const setting = readKeySetting({ env, readFile })
  if (setting.kind === 'problems') return setting
  using lock = lockDirectory(data)
  if (lock === null) {
    return problem(`A server is running on ${data}, with the current key: stop it, then rotate the key.`)
  }

  const to = flags.get('to')
  const rotated = rotateKey({
    database,
    sealed: sealedRecordsOf(database),
    dataDirectory: data,
    text: setting.text,
    to: to === undefined ? null : resolve(to),
    discard: flags.has('discard'),
    clock,
  })
  if (rotated.kind === 'problem') return problem(rotated.problem)
  return done(flags.has('json') ? json(rotated) : text(rotated, to !== undefined))
}

function json({ path, resealed, erased, kept }: Rotated): string {
  const gone = erased.map(({ application, provider }) => ({ application, what: provider }))
  return jsonLine({ key: path, resealed, erased: gone, kept })
}

function text({ path, resealed, erased, kept }: Rotated, elsewhere: boolean): string {
  const sealed = resealed === 1 ? 'One record is sealed' : `${resealed} records are sealed`
  const keep = 'backups made before now can only be opened with it, so keep it as long as those backups'
  return [
    `${resealed === 0 ? 'Nothing is sealed yet' : sealed} with the new key ${path}.`,
    ...erased.map((record) => `Erased: ${escapeControls(recordText(record))}.`),
    ...(elsewhere ? [`Bellhop now needs it: BELLHOP_KEY_FILE=${path}`] : []),
    kept === null ? `The previous key was not stored: ${keep}.` : `The previous key is in ${kept}: ${keep}.`,
    '',
  ].join('\n')
}
