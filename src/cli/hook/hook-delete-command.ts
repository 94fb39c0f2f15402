import { createHookStore } from '../../hook/hook-store.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, RunOnData } from '../command.ts'
import { findHook } from '../find-application.ts'

export const check: CheckArguments = ({ words: [name = ''], flags }) =>
  flags.has('yes')
    ? FINE
    : problems(`hook delete deletes "${name}": its calls are refused from then on. Add --yes to do so.`)

export const run: RunOnData = async ({ words: [name = ''] }, world) => {
  const found = findHook(name, world)
  if (found.kind !== 'found') return found
  world.database.transact(() => createHookStore({ ...world, key: NO_KEY }).remove(name))
  return done(`Deleted the hook ${name}.\n`)
}
