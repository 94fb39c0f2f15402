import { createAlertStore } from '../../alert/alert-store.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, RunOnData } from '../command.ts'
import { findAlert } from './alert-list-command.ts'

export const check: CheckArguments = ({ words: [called = ''], flags }) =>
  flags.has('yes') ? FINE : problems(`alert delete deletes "${called}": nobody is told there. Add --yes to do so.`)

export const run: RunOnData = async ({ words: [called = ''] }, world) => {
  const alert = findAlert(called, world)
  if ('kind' in alert) return alert
  world.database.transact(() => createAlertStore({ ...world, key: NO_KEY }).remove(alert))
  return done(`Deleted the alert ${alert.name}.\n`)
}
