import { createApplicationStore } from '../../application/application-store.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import { problem } from '../../failure.ts'
import { done } from '../command.ts'
import type { ApplicationWorld, RunOnApplication } from '../command.ts'
import { NO_KEY } from './app-text.ts'
import { limitsIn, limitsText } from './limit-flags.ts'

export const run: RunOnApplication = async ({ words: [app = ''], flags }, world) => {
  const limits = limitsIn(flags)
  const { application } = world
  if (Object.keys(limits).length === 0) return done(limitsText(application.limits))
  const changed = createApplicationStore(world).setLimits(application.id, limits)
  if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
  const shown = limitsText(changed.application.limits)
  return done(flags.has('verify-users') ? shown + keyNote(world) : shown)
}

function keyNote({ database, clock, application }: ApplicationWorld): string {
  const userKeys = createUserKeyStore({ database, clock, key: NO_KEY })
  if (userKeys.summary(application) !== null) return ''
  return `\nIt has no user key yet, so no user can be proven: bellhop app user-key ${application.id}\n`
}
