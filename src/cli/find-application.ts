import { createApplicationStore } from '../application/application-store.ts'
import type { Application } from '../application/application.ts'
import { problem } from '../failure.ts'
import { createHookStore } from '../hook/hook-store.ts'
import type { Hook } from '../hook/hook.ts'
import { createMoveStore, movedAway, whereText } from '../move/move-store.ts'
import { suggestion } from '../text/nearest.ts'
import { NO_KEY } from './app/app-text.ts'
import type { World } from './command.ts'

export function findApplication(
  app: string,
  world: World,
): { readonly kind: 'found'; readonly application: Application } | ReturnType<typeof problem> {
  const applications = createApplicationStore(world)
  const application = applications.find(app)
  if (application === null) {
    const away = movedAway(createMoveStore({ ...world, key: NO_KEY }).list(), app)
    if (away !== null) return problem(`"${away.name}" ${whereText(away)}.`)
    const names = applications.list().map(({ name }) => name)
    return noApplication(app, world.data, names)
  }
  world.audit?.about(application.id)
  return { kind: 'found', application }
}

/** `null`: deleted. */
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

interface NamedHook {
  readonly kind: 'found'
  readonly hook: Hook
  readonly application: Application
}

export function findHook(name: string, world: World): NamedHook | ReturnType<typeof problem> {
  const hooks = createHookStore({ ...world, key: NO_KEY })
  const hook = hooks.find(name)
  const application = createApplicationStore(world)
    .list()
    .find(({ number }) => number === hook?.application)
  if (hook === null || application === undefined) {
    const names = hooks.list(null).map((one) => one.name)
    return problem(`There is no hook "${name}": bellhop hook list shows them.${suggestion(name, names)}`)
  }
  world.audit?.about(application.id)
  return { kind: 'found', hook, application }
}
