import type { Application } from '../../application/application.ts'
import { problem, refusalIn } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import type { NamedPush } from '../../push/push-search-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import { done } from '../command.ts'
import type { CommandOutcome, RunOnData, World } from '../command.ts'
import { applicationNumbered } from '../find-application.ts'
import { resolvePush } from './resolve.ts'

/** A server stops sending now, a stopped one when it starts. */
export const run: RunOnData = async ({ words, flags }, world) => {
  const found = resolvePush(createPushSearch(world), words[0] ?? '', world.data)
  if (found.kind !== 'one') return found
  const { push } = found
  const { id } = push
  const application = applicationNumbered(push.application, world)
  world.audit?.note({ push: id })

  const now = world.clock.now()
  const { cancel } = world.pushing()
  const deliveries = world.served?.deliveries
  if (flags.has('shown')) return await withdrawn(application, push, world, flags.has('json'))
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

/** As DELETE /push/{id}/shown. */
async function withdrawn(
  application: Application | null,
  { id }: NamedPush,
  world: World,
  json: boolean,
): Promise<CommandOutcome> {
  if (application === null) return problem(`There is no push ${id} any more.`)
  try {
    const taken = await world.pushing().takeBack.withdraw(application, id, { sending: world.served?.deliveries })
    if (json) return done(jsonLine(taken))
    return done(`Withdrawn by push ${taken.id}.${taken.cancelled ? ' The rest was cancelled.' : ''}\n`)
  } catch (error) {
    return problem(refusalIn(error).message)
  }
}
