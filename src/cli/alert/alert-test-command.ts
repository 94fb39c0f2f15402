import { problem } from '../../failure.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { findAlert } from './alert-list-command.ts'

/** By the server, since messages come from there: with its settings, from its network. */
export const run: RunOnData = async ({ words: [called = ''] }, world) => {
  const alert = findAlert(called, world)
  if ('kind' in alert) return alert
  if (world.served === null) return problem(`No server runs on ${world.data}: it is the server that sends alerts.`)
  const why = await world.served.testAlert(alert)
  if (why !== null) return problem(`The test message to ${alert.place} was not taken: ${why}.`)
  return done(`The test message was taken by ${alert.place}.\n`)
}
