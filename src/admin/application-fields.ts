import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { Application } from '../application/application.ts'
import { failure, Refused } from '../failure.ts'
import type { Field } from '../http/fields.ts'
import type { ProgressStore } from '../push/status/progress-store.ts'
import { noPush } from '../push/status/status-schema.ts'

export const NO_APPLICATION = failure('ResourceNotFound', 'No application found')

/** Throws `Refused` for an unknown ID. */
export function applicationNamed(directory: Pick<ApplicationDirectory, 'byId' | 'refresh'>, id: string): Application {
  // A command may have just created it.
  const application = directory.byId(id) ?? (directory.refresh() ? directory.byId(id) : null)
  if (application === null) throw new Refused(NO_APPLICATION)
  return application
}

/** Throws `Refused` for an unknown push. `push`: lower case. */
export function applicationOfPush(
  directory: Pick<ApplicationDirectory, 'byNumber'>,
  progress: Pick<ProgressStore, 'named'>,
  push: string,
): Application {
  const application = directory.byNumber(progress.named(push)?.application ?? -1)
  if (application === null) throw noPush()
  return application
}

export function numberIn(
  query: Readonly<Record<string, string | undefined>>,
  name: string,
  field: Field<number>,
  usual: number,
): number {
  return query[name] === undefined ? usual : field.read(query[name], name)
}
