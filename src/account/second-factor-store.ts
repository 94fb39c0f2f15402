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

/** The migration that brought the table. */
export const SECOND_FACTOR_SINCE = 34

/** An administrator. */
interface Owner {
  readonly number: number
  readonly name: string
}

interface Options extends SealedStoreOptions {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly random?: (length: number) => Uint8Array
}

export type SecondFactorProof = 'code' | 'recovery code'

/** For an authenticator app: `secret` to be typed in, `uri` to be scanned. */
export interface TotpEnrolment {
  readonly secret: string
  readonly uri: string
}

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>

/** Second factors of administrators: none → `begin` → not asked for yet → `confirm`, by a code → on → `remove` → none. */
export function createSecondFactorStore({ database, clock, key, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  /** `null`: there is none, or its seal does not open with this key. */
  function find({ number }: Pick<Owner, 'number'>) {
    const row = statements.find.get({ administrator: number })
    const text = row === undefined ? null : open(key, sealedFor(number), row.sealed)
    return row === undefined || text === null ? null : { ...row, secret: Buffer.from(text, 'base64') }
  }

  /** Whether `code` is one of the app's; uses it up. */
  function useCode({ number }: Pick<Owner, 'number'>, code: string): boolean {
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

  const isOn = ({ number }: Pick<Owner, 'number'>): boolean =>
    (statements.find.get({ administrator: number })?.confirmedAt ?? null) !== null

  return {
    isOn,

    codesLeft: ({ number }: Pick<Owner, 'number'>): number => statements.left.get({ administrator: number })?.left ?? 0,

    /** Returns a new secret, this once; `null`: there is a second factor already. */
    begin({ number, name }: Owner): TotpEnrolment | null {
      return database.transact(() => {
        if (isOn({ number })) return null
        const secret = Buffer.from(random(TOTP_SECRET_LENGTH))
        const sealed = seal(key, sealedFor(number), secret.toString('base64'))
        statements.begin.run({ administrator: number, sealed })
        return { secret: base32(secret), uri: totpUri(name, secret) }
      })
    },

    /** Turns it on, by a code of the app. Returns the recovery codes, this once. */
    confirm({ number }: Pick<Owner, 'number'>, code: string): readonly string[] | 'absent' | 'wrong' {
      return database.transact(() => {
        const row = statements.find.get({ administrator: number })
        if (row === undefined || row.confirmedAt !== null) return 'absent'
        if (!useCode({ number }, code)) return 'wrong'
        statements.confirm.run({ administrator: number, confirmedAt: clock.now() })
        return newCodes(number)
      })
    },

    /** Uses up a code of the app or a recovery code; `null`: it is wrong, or was used before. */
    prove({ number }: Pick<Owner, 'number'>, code: string): SecondFactorProof | null {
      return database.transact(() => {
        if (!isOn({ number })) return null
        if (useCode({ number }, code)) return 'code'
        const used = statements.useCode.get({ administrator: number, digest: recoveryDigest(code) })
        return used === undefined ? null : 'recovery code'
      })
    },

    /** Returns new recovery codes, this once; the old ones stop working. */
    renewCodes: ({ number }: Pick<Owner, 'number'>): readonly string[] => database.transact(() => newCodes(number)),

    remove: ({ number }: Pick<Owner, 'number'>): void => statements.remove.run({ administrator: number }),
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

/** The secrets of all administrators, to be sealed with a new key. One that does not open is not asked for any more. */
export function createSealedSecondFactors({ orm }: Pick<Database, 'orm'>): SealedTable<'second factor'> {
  const which = eq(table.administrator, sql.placeholder('number'))
  return sealedTable('second factor', {
    all: late(() => orm.select({ number: table.administrator, sealed: table.sealed }).from(table)),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    erase: late(() => orm.delete(table).where(which)),
  })
}

/** Everyone who may have a second factor, by the names that its seal has for them. */
export function secondFactorOwners({ orm }: Pick<Database, 'orm'>) {
  const { number, name } = administrator
  const rows = orm.select({ number, name }).from(administrator).all()
  return rows.map((row) => Object.assign(row, { id: ownerOf(row.number) }))
}

function ownerOf(number: number): string {
  return `administrator ${number}`
}
