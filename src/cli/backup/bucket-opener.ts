import { statSync } from 'node:fs'
import { bucketAccess } from '../../backup/bucket-access.ts'
import { openBucket } from '../../backup/bucket.ts'
import type { Bucket } from '../../backup/bucket.ts'
import { destinationIn, repositoryPlaceIn } from '../../backup/destination.ts'
import type { Destination, Replica } from '../../backup/destination.ts'
import type { Problem } from '../../failure.ts'
import type { Problems } from '../../settings/parse.ts'
import { readTime } from '../../transfer/time.ts'
import { problems } from '../command.ts'
import type { CommandContext, ParsedArguments } from '../command.ts'

export function bucketOpener({
  env,
  readFile,
  clock,
}: Pick<CommandContext, 'env' | 'readFile' | 'clock'>): (name: string) => Bucket | Problem {
  return (name) => {
    const access = bucketAccess(env, readFile)
    return access.kind === 'problem' ? access : openBucket({ name, access, clock })
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** From FROM or --litestream. */
export function chosenBackup({ words: [from], flags }: ParsedArguments): Destination | Replica | Problems {
  const replica = flags.get('litestream')
  const at = flags.get('at')
  if ((from === undefined) === (replica === undefined)) return problems('Name one backup: FROM or --litestream URL.')
  if (at !== undefined && replica === undefined) return problems('--at: only with --litestream.')
  const place = replica === undefined ? destinationIn(from ?? '', isFolder) : repositoryPlaceIn(replica)
  if (place.kind === 'problem')
    return problems(replica === undefined ? place.problem : `--litestream: ${place.problem}`)
  if (replica === undefined || place.kind === 'file' || place.kind === 'object') return place
  return { kind: 'replica', place, at: at === undefined ? null : readTime(at) }
}
