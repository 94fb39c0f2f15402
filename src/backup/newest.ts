import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { isoTime } from '../text/format.ts'
import { timeInName } from './backup-name.ts'
import type { Bucket } from './bucket.ts'
import { destinationText } from './destination.ts'
import { repositoryAt } from './repository.ts'
import type { RepositoryPlace } from './repository.ts'

/** As on a command line. */
export function writtenIn(place: RepositoryPlace, name: string): string {
  const at = destinationText(place)
  return at === '' || at.endsWith('/') ? at + name : `${at}/${name}`
}

/** The problem that `place` is not one backup. Names the newest in it, with the command line that `lineWith` makes. */
export async function namingNewest(
  place: RepositoryPlace,
  lineWith: (backup: string) => string,
  openBucket: (name: string) => Bucket | Problem,
): Promise<Problem> {
  const repository = repositoryAt(place, openBucket)
  const listed = 'kind' in repository ? repository : await repository.list()
  if (listed.kind === 'problem') return listed
  const [newest] = listed.backups
  const where = destinationText(place)
  if (newest === undefined) {
    return problem(`${where} is not one backup, and has none in it that Bellhop has named: name the file.`)
  }
  const at = isoTime(timeInName(newest.name) ?? 0)
    .slice(0, 16)
    .replace('T', ' ')
  return problem(
    `${where} is not one backup. The newest in it is of ${at} UTC: ${lineWith(writtenIn(place, newest.name))}`,
  )
}
