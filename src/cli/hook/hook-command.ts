import { createApplicationStore } from '../../application/application-store.ts'
import { createHookStore } from '../../hook/hook-store.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { indented, NO_KEY } from '../app/app-text.ts'
import { done, FINE, problems } from '../command.ts'
import type { CommandModule, World } from '../command.ts'
import { findApplication, findHook } from '../find-application.ts'
import { styleOf } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'
import { callJson, hookJson, jsonText, proofText } from './hook-text.ts'

export const list: CommandModule<World> = {
  async run({ words: [app], flags }, world) {
    const found = app === undefined ? null : findApplication(app, world)
    if (found?.kind === 'problem') return found
    const applications = new Map(
      createApplicationStore(world)
        .list()
        .map((one) => [one.number, one]),
    )
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
  },
}

export const show: CommandModule<World> = {
  async run({ words: [name = ''], flags }, world) {
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
  },
}

export const erase: CommandModule<World> = {
  check: ({ words: [name = ''], flags }) =>
    flags.has('yes')
      ? FINE
      : problems(`hook delete deletes "${name}": its calls are refused from then on. Add --yes to do so.`),

  async run({ words: [name = ''] }, world) {
    const found = findHook(name, world)
    if (found.kind !== 'found') return found
    world.database.transact(() => createHookStore({ ...world, key: NO_KEY }).remove(name))
    return done(`Deleted the hook ${name}.\n`)
  },
}
