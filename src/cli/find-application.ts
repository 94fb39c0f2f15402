import { createApplicationStore } from '../application/application-store.ts'
import type { Application } from '../application/application.ts'
import { problem } from '../failure.ts'
import { suggestion } from '../text/nearest.ts'
import type { World } from './command.ts'

/** By id or name, also for the audit log entry. */
export function findApplication(
  app: string,
  world: World,
): { readonly kind: 'found'; readonly application: Application } | ReturnType<typeof problem> {
  const applications = createApplicationStore(world)
  const application = applications.find(app)
  if (application === null) {
    const names = applications.list().map(({ name }) => name)
    return noApplication(app, world.data, names)
  }
  world.audit?.about(application.id)
  return { kind: 'found', application }
}

/** By number, also for the audit log entry; `null`: deleted. */
export function applicationNumbered(number: number, world: World): Application | null {
  const application = createApplicationStore(world)
    .list()
    .find((one) => one.number === number)
  if (application !== undefined) world.audit?.about(application.id)
  return application ?? null
}

export function noApplication(app: string, data: string, names: readonly string[]): ReturnType<typeof problem> {
  const hint = suggestion(app, names)
  return problem(`There is no application "${app}" in ${data}: bellhop app list lists them.${hint}`)
}
