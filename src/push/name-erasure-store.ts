import type { Database } from '../database/database.ts'
import { storedJson } from '../database/damage.ts'

const NOBODY = ''
const NO_DEVICE = 0

/** With the user's devices by `device.id` and alias. */
interface Named {
  readonly user: string
  readonly devices: readonly number[]
  readonly aliases: readonly string[]
}

/** Removes users and their devices from stored audiences. */
export function createNameErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const nth = database.statement<{ number: number }, [application: number, after: number, skipped: number]>(
    'SELECT number FROM push WHERE application = ? AND number > ? ORDER BY number LIMIT 1 OFFSET ?',
  )
  const naming = database.statement<{ number: number; audience: string }, [number, number, number, text: string]>(
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

    /** In pushes with `after` < number <= `upTo`. */
    erase(application: number, named: Named, after: number, upTo: number): void {
      const { user, aliases, devices } = named
      const names = [user, ...aliases].map((name) => JSON.stringify(name))
      const texts = devices.length === 0 ? names : [...names, '"device":', '"devices":']
      for (const text of new Set(texts)) {
        for (const { number, audience } of naming.all(application, after, upTo, text)) {
          const others = JSON.stringify(without(storedJson(audience), named))
          if (others !== audience) write.run(others, number)
        }
      }
    },
  }
}

/** It still addresses everybody else. */
function without(audience: unknown, { user, aliases, devices }: Named): unknown {
  const other = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(other)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, unknown>>).map(([key, inner]) => {
        if ((key === 'users' || key === 'exceptUsers') && Array.isArray(inner)) {
          return [key, inner.filter((one) => one !== user)]
        }
        if (key === 'user' && inner === user) return [key, NOBODY]
        if (key === 'device' && devices.includes(inner as number)) return [key, NO_DEVICE]
        if (key === 'devices' && Array.isArray(inner)) {
          return [key, inner.filter((one) => !devices.includes(one as number))]
        }
        const isAlias = (key === 'alias' || key === 'exceptAlias') && typeof inner === 'string'
        return [key, isAlias && aliases.includes(inner) ? NOBODY : other(inner)]
      }),
    )
  }
  return other(audience)
}
