import { problem } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { applicationNumbered } from '../find-application.ts'
import { resolvePush } from './resolve.ts'

/** As the API does. A server stops sending now; one that is down does at its start. */
export const run: RunOnData = async ({ words, flags }, world) => {
  const found = resolvePush(createPushSearch(world), words[0] ?? '', world.data)
  if (found.kind !== 'one') return found
  const { push } = found
  const { id } = push
  applicationNumbered(push.application, world)
  world.audit?.note({ push: id })

  const now = world.clock.now()
  const { cancel } = world.pushing()
  const deliveries = world.served?.deliveries
  const cancelled = world.database.transact(() => {
    const outcome = cancel(push.application, id, now)
    if (outcome.kind === 'cancelled') for (const one of outcome.open) deliveries?.cancelStored(push.application, one)
    return outcome
  })
  if (cancelled.kind === 'not-found') return problem(`There is no push ${id} any more.`)
  const { kind, t, s } = cancelled
  if (kind === 'finished') return problem(`The push has finished: ${grouped(s)} of ${counted(t, 'device')} got it.`)
  for (const one of cancelled.open) deliveries?.cancel(push.application, one)
  const state = cancelled.wasReleased ? 'sending' : 'scheduled'
  if (flags.has('json')) return done(jsonLine({ id, state, t, s }))
  const until = cancelled.wasReleased
    ? `${counted(s, 'device')} got it. Notifications in flight still count.`
    : 'Nobody got it.'
  return done(`Cancelled. ${until}\n`)
}
