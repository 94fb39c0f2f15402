import type { Application } from '../../application/application.ts'
import { logOf } from '../../log.ts'
import type { Log, LogFields } from '../../log.ts'

type Names = (which: number | string) => Pick<Application, 'id' | 'name'> | null

/**
 * Adds the application's id and name to each line about one: `"application":"app_…","name":"Corner Shop"`. Callers give
 * its number or id; `naming` sets where to look it up.
 */
export function nameApplications(log: Log): { readonly log: Log; readonly naming: (names: Names) => void } {
  let names: Names = () => null
  return {
    log: logOf(
      (level) => log.writes(level),
      (level, event, fields) => {
        if (log.writes(level)) log[level](event, named(fields))
      },
    ),
    naming: (from) => void (names = from),
  }

  function named(fields: LogFields): LogFields {
    const { application } = fields
    if (typeof application !== 'number' && typeof application !== 'string') return fields
    const known = names(application)
    return known === null ? fields : { ...fields, application: known.id, name: known.name }
  }
}
