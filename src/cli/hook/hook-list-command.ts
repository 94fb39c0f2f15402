import { createApplicationStore } from '../../application/application-store.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { styleOf } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'
import { hookJson, proofText } from './hook-text.ts'

export const run: RunOnData = async ({ words: [app], flags }, world) => {
  const found = app === undefined ? null : findApplication(app, world)
  if (found?.kind === 'problem') return found
  const applications = new Map(
    createApplicationStore(world)
      .list()
      .map((one) => [one.number, one]),
  )
  // Nothing of this is sealed.
  const store = createHookStore({ ...world, key: NO_KEY })
  const hooks = store.list(found?.application.number ?? null)
  if (flags.has('json')) {
    return done(hooks.map((hook) => jsonLine(hookJson(hook, applications.get(hook.application)?.id ?? ''))).join(''))
  }
  if (hooks.length === 0) return done('There are no hooks: bellhop hook create APP NAME --template FILE makes one.\n')
  const lines = listing(
    hooks.map((hook) => ({ hook, last: store.calls.of(hook.number)[0] })),
    [
      ['NAME', ({ hook }) => hook.name],
      ['APPLICATION', ({ hook }) => escapeControls(applications.get(hook.application)?.name ?? '')],
      ['CALLS HAVE A', ({ hook }) => proofText(hook)],
      ['LAST CALL', ({ last }) => (last === undefined ? 'none yet' : `${moment(last.at)} ${last.outcome}`)],
    ],
    styleOf(world).paint,
  )
  return done(`${lines.join('\n')}\n`)
}
