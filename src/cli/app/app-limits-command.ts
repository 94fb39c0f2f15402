import { createApplicationStore } from '../../application/application-store.ts'
import { problem } from '../../failure.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { openApplication } from '../open-application.ts'
import { limitsIn, limitsText } from './limit-flags.ts'

export const run: RunCommand = async ({ words: [app = ''], flags }, context) => {
  const limits = limitsIn(flags)
  const opened = openApplication(app, flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { application } = opened
  if (Object.keys(limits).length === 0) return done(limitsText(application.limits))
  const changed = createApplicationStore({ database, clock: context.clock }).setLimits(application.id, limits)
  if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  return done(limitsText(changed.application.limits))
}
