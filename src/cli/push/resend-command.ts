import { problem, refusalIn } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { done } from '../command.ts'
import type { CommandOutcome, RunOnData } from '../command.ts'
import { applicationNumbered } from '../find-application.ts'
import { styleOf } from '../terminal/style.ts'
import { confirmedHere, previewText } from './push-text.ts'
import { resolvePush } from './resolve.ts'

export const run: RunOnData = async ({ words: [named = ''], flags }, world) => {
  const { data, stderr } = world
  const found = resolvePush(createPushSearch(world), named, data)
  if (found.kind !== 'one') return found
  const { push } = found
  const application = applicationNumbered(push.application, world)
  world.audit?.note({ push: push.id })
  if (application === null) return problem(`There is no push ${push.id} any more.`)

  const json = flags.has('json')
  const { resend } = world.pushing()
  try {
    if (flags.has('dry-run')) {
      const preview = await resend.look(application, push.id)
      return done(json ? jsonLine(preview) : previewText(preview, styleOf(world)))
    }
    const limits = flags.has('yes') ? { ...application.limits, confirmAbove: 0 } : application.limits
    const confirm = flags.get('confirm')
    const wanted = { id: push.id, confirm: confirm === undefined ? null : Number(confirm), repeat: null }
    const { id, send_at: sendAt } = await resend.send({ ...application, limits }, wanted)
    if (world.served === null) stderr(`No server runs on ${data}: it is sent when bellhop serve runs.\n`)
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
