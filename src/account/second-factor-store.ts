import { and, count, eq, lt, sql } from 'drizzle-orm'
import { hash, randomBytes } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { administrator, recoveryCode, secondFactor as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SealedStoreOptions } from '../sealing/sealed-table.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import { base32 } from '../text/base32.ts'
import { stepOfCode, TOTP_SECRET_LENGTH, totpUri } from './totp.ts'

const RECOVERY_CODES = 10

/** 80 bits: too many to find one from its digest. */
const RECOVERY_CODE_BYTES = 10

export const SECOND_FACTOR_SINCE = 34

interface Owner {
  readonly number: number
}

interface Options extends SealedStoreOptions {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly random?: (length: number) => Uint8Array
}

export type SecondFactorProof = 'code' | 'recovery code'

/** `secret` to type into an authenticator app, `uri` to scan. */
export interface TotpEnrolment {
  readonly secret: string
  readonly uri: string
}

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>

/** Second factors of administrators: none → `begin` → unconfirmed → `confirm` → on → `remove` → none. */
export function createSecondFactorStore({ database, clock, key, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  /** `null`: none, or this key does not open its seal. */
  function find({ number }: Owner) {
    const row = statements.find.get({ administrator: number })
    const text = row === undefined ? null : open(key, sealedFor(number), row.sealed)
    return row === undefined || text === null ? null : { ...row, secret: Buffer.from(text, 'base64') }
  }

  /** Uses `code` up, if valid. */
  function useCode({ number }: Owner, code: string): boolean {
    const found = find({ number })
    const step = found === null ? null : stepOfCode(found.secret, code, clock.now(), found.lastStep)
    return step !== null && statements.use.get({ administrator: number, lastStep: step }) !== undefined
  }

  function newCodes(administrator: number): readonly string[] {
    statements.dropCodes.run({ administrator })
    const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(random))
    for (const code of codes) statements.addCode.run({ administrator, digest: recoveryDigest(code) })
    return codes
  }

  const isOn = ({ number }: Owner): boolean =>
    (statements.find.get({ administrator: number })?.confirmedAt ?? null) !== null

  return {
    isOn,

    codesLeft: ({ number }: Owner): number => statements.left.get({ administrator: number })?.left ?? 0,

    /** Returns a new secret, only here; `null`: a second factor is already on. */
    begin({ number, name }: Owner & { readonly name: string }): TotpEnrolment | null {
      return database.transact(() => {
        if (isOn({ number })) return null
        const secret = Buffer.from(random(TOTP_SECRET_LENGTH))
        const sealed = seal(key, sealedFor(number), secret.toString('base64'))
        statements.begin.run({ administrator: number, sealed })
        return { secret: base32(secret), uri: totpUri(name, secret) }
      })
    },

    /** Turns the second factor on. Returns the recovery codes, only here. */
    confirm({ number }: Owner, code: string): readonly string[] | 'absent' | 'wrong' {
      return database.transact(() => {
        const row = statements.find.get({ administrator: number })
        if (row === undefined || row.confirmedAt !== null) return 'absent'
        if (!useCode({ number }, code)) return 'wrong'
        statements.confirm.run({ administrator: number, confirmedAt: clock.now() })
        return newCodes(number)
      })
    },

    /** Uses up a code of the app or a recovery code; `null`: wrong or used. */
    prove({ number }: Owner, code: string): SecondFactorProof | null {
      return database.transact(() => {
        if (!isOn({ number })) return null
        if (useCode({ number }, code)) return 'code'
        const used = statements.useCode.get({ administrator: number, digest: recoveryDigest(code) })
        return used === undefined ? null : 'recovery code'
      })
    },

    /** Returns new recovery codes, only here; the old ones stop working. */
    renewCodes: ({ number }: Owner): readonly string[] => database.transact(() => newCodes(number)),

    remove: ({ number }: Owner): void => statements.remove.run({ administrator: number }),
  }
}

/** `abcd-efgh-ijkl-mnop` */
export function newRecoveryCode(random: (length: number) => Uint8Array): string {
  const text = base32(random(RECOVERY_CODE_BYTES)).toLowerCase()
  return text.replaceAll(/.{4}(?!$)/g, '$&-')
}

/** SHA-256, ignoring case, dashes and spaces. */
export function recoveryDigest(code: string): Buffer {
  return hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''), 'buffer')
}

function sealedFor(administrator: number) {
  return { application: ownerOf(administrator), provider: 'second factor' } as const
}

function prepareStatements(orm: Database['orm']) {
  const mine = eq(table.administrator, sql.placeholder('administrator'))
  const myCodes = eq(recoveryCode.administrator, sql.placeholder('administrator'))
  const thisCode = and(myCodes, eq(recoveryCode.digest, sql.placeholder('digest')))
  return {
    find: late(() => orm.select().from(table).where(mine)),
    begin: late(() =>
      orm
        .insert(table)
        .values({ ...given('administrator', 'sealed'), lastStep: 0 })
        .onConflictDoUpdate({ target: table.administrator, set: { sealed: sql`excluded.sealed`, lastStep: 0 } }),
    ),
    use: late(() =>
      orm
        .update(table)
        .set(assigned('lastStep'))
        .where(and(mine, lt(table.lastStep, sql.placeholder('lastStep'))))
        .returning({ administrator: table.administrator }),
    ),
    confirm: late(() => orm.update(table).set(assigned('confirmedAt')).where(mine)),
    remove: late(() => orm.delete(table).where(mine)),
    left: late(() => orm.select({ left: count() }).from(recoveryCode).where(myCodes)),
    addCode: late(() => orm.insert(recoveryCode).values(given('administrator', 'digest'))),
    useCode: late(() => orm.delete(recoveryCode).where(thisCode).returning({ digest: recoveryCode.digest })),
    dropCodes: late(() => orm.delete(recoveryCode).where(myCodes)),
  }
}

/** To seal all secrets with a new key. An administrator whose secret is erased signs in without a code. */
export function createSealedSecondFactors({ orm }: Pick<Database, 'orm'>): SealedTable<'second factor'> {
  const which = eq(table.administrator, sql.placeholder('number'))
  return sealedTable('second factor', {
    all: late(() => orm.select({ number: table.administrator, sealed: table.sealed }).from(table)),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    erase: late(() => orm.delete(table).where(which)),
  })
}

/** Administrators, by the IDs in their seals. */
export function secondFactorOwners({ orm }: Pick<Database, 'orm'>) {
  const { number, name } = administrator
  const rows = orm.select({ number, name }).from(administrator).all()
  return rows.map((row) => Object.assign(row, { id: ownerOf(row.number) }))
}

function ownerOf(number: number): string {
  return `administrator ${number}`
}
