import { createHookStore } from '../../hook/hook-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { styleOf } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'
import { indented, NO_KEY } from '../app/app-text.ts'
import { findHook } from '../find-application.ts'
import { callJson, hookJson, jsonText, proofText } from './hook-text.ts'

export const run: RunOnData = async ({ words: [name = ''], flags }, world) => {
  const found = findHook(name, world)
  if (found.kind !== 'found') return found
  const { hook, application } = found
  const calls = createHookStore({ ...world, key: NO_KEY }).calls.of(hook.number)
  const template: unknown = JSON.parse(hook.template)
  if (flags.has('json')) {
    return done(jsonLine({ ...hookJson(hook, application.id), template, calls: calls.map(callJson) }))
  }
  const { paint } = styleOf(world)
  const listed = listing(
    calls,
    [
      ['LAST CALLS', ({ at }) => moment(at)],
      ['TIMES', ({ repeats }) => String(repeats), 'right'],
      ['OUTCOME', ({ outcome }) => outcome],
      ['PUSH, OR WHY NOT', ({ detail }) => escapeControls(detail)],
    ],
    paint,
  )
  return done(
    [
      hook.name,
      '',
      ...indented([
        ['application', escapeControls(application.name)],
        ['calls have a', proofText(hook)],
        ['changed', moment(hook.changedAt)],
      ]),
      '',
      jsonText(template),
      '',
      ...(calls.length === 0 ? ['No call of it has come yet.'] : listed),
      '',
    ].join('\n'),
  )
}
