import { isServed } from '../../database/directory-lock.ts'
import { problem, refusalIn } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { done } from '../command.ts'
import type { CommandOutcome, RunCommand } from '../command.ts'
import { applicationNumbered } from '../open-application.ts'
import { openData } from '../open-data.ts'
import { styleOf } from '../terminal/style.ts'
import { openPushing } from './open-pushing.ts'
import { confirmedHere, previewText } from './push-text.ts'
import { resolvePush } from './resolve-push.ts'

/** Sends a push that is over again, to those that it failed for, as the admin API does; it is not followed. */
export const run: RunCommand = async ({ words: [named = ''], flags }, context) => {
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { data } = opened
  const { clock, stderr } = context
  const found = resolvePush(createPushSearch({ database }), named, data)
  if (found.kind !== 'one') return found
  const { push } = found
  const application = applicationNumbered(push.application, opened, context)
  context.audit?.note({ push: push.id })
  if (application === null) return problem(`There is no push ${push.id} any more.`)

  const json = flags.has('json')
  const { resend } = openPushing({ database, clock })
  try {
    if (flags.has('dry-run')) {
      const preview = await resend.look(application, push.id)
      return done(json ? jsonLine(preview) : previewText(preview, styleOf(context)))
    }
    const limits = flags.has('yes') ? { ...application.limits, confirmAbove: 0 } : application.limits
    const confirm = flags.get('confirm')
    const wanted = { id: push.id, confirm: confirm === undefined ? null : Number(confirm), repeat: null }
    const { id, send_at: sendAt } = await resend.send({ ...application, limits }, wanted)
    if (!isServed(data)) stderr(`No server runs on ${data}: it goes out when bellhop serve does.\n`)
    if (sendAt !== undefined) {
      const text = `Sent again as ${id}, scheduled for ${moment(Date.parse(sendAt))}.\n`
      return done(json ? jsonLine({ id, state: 'scheduled', send_at: sendAt }) : text)
    }
    return done(json ? jsonLine({ id, state: 'accepted' }) : `Sent again as ${id}.\n`)
  } catch (error) {
    return refusedHere(error)
  }
}

function refusedHere(error: unknown): CommandOutcome {
  return problem(confirmedHere(refusalIn(error).message))
}
