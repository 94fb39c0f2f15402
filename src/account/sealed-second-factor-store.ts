import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { administrator, secondFactor } from '../database/schema.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'

/** Which migration brought the table. */
export const SECOND_FACTOR_SINCE = 34

/** To whom it is sealed. `number`: of the administrator. */
export function ownerOf(number: number): string {
  return `administrator ${number}`
}

/** The secrets that administrators' codes are made of, for a new key to seal. One that does not open is not asked for any more. */
export function createSealedSecondFactors({ orm }: Pick<Database, 'orm'>): SealedTable<'second factor'> {
  const which = eq(secondFactor.administrator, sql.placeholder('number'))
  const sealed = sql`${sql.placeholder('sealed')}`
  const all = late(() =>
    orm.select({ number: secondFactor.administrator, sealed: secondFactor.sealed }).from(secondFactor).prepare(),
  )
  const put = late(() => orm.update(secondFactor).set({ sealed }).where(which).prepare())
  const erase = late(() => orm.delete(secondFactor).where(which).prepare())
  return {
    rows: () => all.all().map((row) => Object.assign(row, { provider: 'second factor' as const })),
    put: ({ number }, bytes) => put.run({ number, sealed: bytes }),
    erase: ({ number }) => erase.run({ number }),
  }
}

/** Whose second factors there can be, as records of something sealed name them. */
export function secondFactorOwners({ orm }: Pick<Database, 'orm'>) {
  return orm
    .select({ number: administrator.number, name: administrator.name })
    .from(administrator)
    .all()
    .map(({ number, name }) => ({ number, id: ownerOf(number), name }))
}
