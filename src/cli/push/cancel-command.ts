import { isServed } from '../../database/directory-lock.ts'
import { problem } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { applicationNumbered } from '../open-application.ts'
import { openData } from '../open-data.ts'
import { openPushing } from './open-pushing.ts'
import { resolvePush } from './resolve-push.ts'

/**
 * Cancels a push as the API does. The server ends what is being sent: it looks for that whenever another process has
 * written, and at its start.
 */
export const run: RunCommand = async ({ words, flags }, context) => {
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { data } = opened
  const found = resolvePush(createPushSearch({ database }), words[0] ?? '', data)
  if (found.kind !== 'one') return found
  const { push } = found
  const { id } = push
  applicationNumbered(push.application, opened, context)
  context.audit?.note({ push: id })
  if (!push.many && push.releasedAt !== null && isServed(data)) {
    return problem('The push is for one device, and has been let go: only POST /push/{id}/cancel calls it off now.')
  }

  const now = context.clock.now()
  const { cancel } = openPushing({ database, clock: context.clock })
  const cancelled = database.transact(() => cancel(push.application, id, now))
  if (cancelled.kind === 'not-found') return problem(`There is no push ${id} any more.`)
  const { kind, t, s } = cancelled
  if (kind === 'finished') return problem(`The push is over: ${grouped(s)} of ${counted(t, 'device')} got it.`)
  const state = cancelled.wasReleased ? 'sending' : 'scheduled'
  if (flags.has('json')) return done(jsonLine({ id, state, t, s }))
  const until = cancelled.wasReleased
    ? `${counted(s, 'device')} had got it, and what is on its way still counts.`
    : 'Nobody got it.'
  return done(`Cancelled. ${until}\n`)
}
