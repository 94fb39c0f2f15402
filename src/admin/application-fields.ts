import type { ApplicationDirectory } from '../application/application-directory.ts'
import type { Application } from '../application/application.ts'
import { failure, Refused } from '../failure.ts'

export type KnownApplications = Pick<ApplicationDirectory, 'byId' | 'refresh'>

/** The application of this id. Throws `Refused` where there is none. */
export function applicationNamed(directory: KnownApplications, id: string): Application {
  // A command may have just created it.
  const application = directory.byId(id) ?? (directory.refresh() ? directory.byId(id) : null)
  if (application === null) throw new Refused(failure('ResourceNotFound', 'No application found'))
  return application
}
