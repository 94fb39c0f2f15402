import type { Database } from '../database/database.ts'
import { storedJson } from '../database/damage.ts'

/** What takes the place of a name: no device has it. */
const NOBODY = ''

/** Takes names of people out of whom pushes are for. To be called inside a transaction. */
export function createNameErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const nth = database.statement<{ number: number }, [application: number, after: number, skipped: number]>(
    'SELECT number FROM push WHERE application = ? AND number > ? ORDER BY number LIMIT 1 OFFSET ?',
  )
  const naming = database.statement<{ number: number; audience: string }, [number, number, number, name: string]>(
    `SELECT number, audience FROM push
     WHERE application = ? AND number > ? AND number <= ? AND instr(audience, ?) > 0`,
  )
  const write = database.statement<never, [audience: string, push: number]>(
    'UPDATE push SET audience = ? WHERE number = ?',
  )

  return {
    /** The number of the `count`th push after `after`; `null`: there are fewer. */
    step: (application: number, after: number, count: number): number | null =>
      nth.get(application, after, count - 1)?.number ?? null,

    /** `user` as a user, and `aliases` as aliases, in pushes whose number is over `after` and not over `upTo`. */
    erase(application: number, user: string, aliases: readonly string[], after: number, upTo: number): void {
      for (const name of new Set([user, ...aliases])) {
        for (const { number, audience } of naming.all(application, after, upTo, JSON.stringify(name))) {
          write.run(JSON.stringify(without(storedJson(audience), user, aliases)), number)
        }
      }
    },
  }
}

/** An audience as it is stored, with nobody where a user or an alias was: it addresses the others as before. */
function without(audience: unknown, user: string, aliases: readonly string[]): unknown {
  const other = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(other)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, unknown>>).map(([key, inner]) => {
        if ((key === 'users' || key === 'exceptUsers') && Array.isArray(inner)) {
          return [key, inner.filter((one) => one !== user)]
        }
        if (key === 'user' && inner === user) return [key, NOBODY]
        const isAlias = (key === 'alias' || key === 'exceptAlias') && typeof inner === 'string'
        return [key, isAlias && aliases.includes(inner) ? NOBODY : other(inner)]
      }),
    )
  }
  return other(audience)
}
