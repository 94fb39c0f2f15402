import { and, count, eq, lt, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { recoveryCode, secondFactor as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { newRecoveryCode, RECOVERY_CODES, recoveryDigest } from './recovery-code.ts'
import { ownerOf } from './sealed-second-factor-store.ts'
import { base32, stepOfCode, TOTP_SECRET_LENGTH, totpUri } from './totp.ts'

/** Whose it is. */
interface Owner {
  /** `Administrator.number` */
  readonly number: number
  readonly name: string
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  /** Bytes, as many as asked for. Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

/** How somebody has shown that they hold the second factor. */
export type SecondFactorProof = 'code' | 'recovery code'

/** For an authenticator app: `secret` to be typed in, `uri` to be scanned. */
export interface TotpEnrolment {
  readonly secret: string
  readonly uri: string
}

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>

/**
 * Second factors of administrators: none → (`begin`) → begun, and not asked for → (`confirm`, by a code) → on → (`remove`)
 * → none. What changes something runs in a transaction.
 */
export function createSecondFactorStore({ database, clock, key, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  /** The secret, and how much of it is used up; `null`: there is none, or it does not open with this key. */
  function find({ number }: Pick<Owner, 'number'>) {
    const row = statements.find.get({ administrator: number })
    const text = row === undefined ? null : open(key, sealedFor(number), row.sealed)
    return row === undefined || text === null ? null : { ...row, secret: Buffer.from(text, 'base64') }
  }

  /** Whether `code` is one of the app's; uses it up. */
  function useCode({ number }: Pick<Owner, 'number'>, code: string): boolean {
    const found = find({ number })
    const step = found === null ? null : stepOfCode(found.secret, code, clock.now(), found.lastStep)
    return step !== null && statements.use.get({ administrator: number, step }) !== undefined
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

    /** Recovery codes that are left. */
    codesLeft: ({ number }: Pick<Owner, 'number'>): number => statements.left.get({ administrator: number })?.left ?? 0,

    /** Makes a secret, which is in this answer and nowhere else; `null`: there is a second factor already. */
    begin({ number, name }: Owner): TotpEnrolment | null {
      return database.transact(() => {
        if (isOn({ number })) return null
        const secret = Buffer.from(random(TOTP_SECRET_LENGTH))
        const sealed = seal(key, sealedFor(number), secret.toString('base64'))
        statements.begin.run({ administrator: number, sealed })
        return { secret: base32(secret), uri: totpUri(name, secret) }
      })
    },

    /** By a code of the app, after which codes are asked for; the recovery codes, which are in this answer alone. */
    confirm({ number }: Pick<Owner, 'number'>, code: string): readonly string[] | 'absent' | 'wrong' {
      return database.transact(() => {
        const row = statements.find.get({ administrator: number })
        if (row === undefined || row.confirmedAt !== null) return 'absent'
        if (!useCode({ number }, code)) return 'wrong'
        statements.confirm.run({ administrator: number, now: clock.now() })
        return newCodes(number)
      })
    },

    /** Takes a code of the app or a recovery code, and uses it up; `null`: it is wrong, or was used before. */
    prove({ number }: Pick<Owner, 'number'>, code: string): SecondFactorProof | null {
      return database.transact(() => {
        if (!isOn({ number })) return null
        if (useCode({ number }, code)) return 'code'
        const used = statements.useCode.get({ administrator: number, digest: recoveryDigest(code) })
        return used === undefined ? null : 'recovery code'
      })
    },

    /** Creates new recovery codes, returned only this once; the old ones stop working. */
    renewCodes: ({ number }: Pick<Owner, 'number'>): readonly string[] => database.transact(() => newCodes(number)),

    /** Asks for no code any more. */
    remove: ({ number }: Pick<Owner, 'number'>): void => statements.remove.run({ administrator: number }),
  }
}

function sealedFor(administrator: number) {
  return { application: ownerOf(administrator), provider: 'second factor' } as const
}

function prepareStatements(orm: Database['orm']) {
  const mine = eq(table.administrator, sql.placeholder('administrator'))
  const myCodes = eq(recoveryCode.administrator, sql.placeholder('administrator'))
  const thisCode = and(myCodes, eq(recoveryCode.digest, sql.placeholder('digest')))
  return {
    find: late(() => orm.select().from(table).where(mine).prepare()),
    begin: late(() =>
      orm
        .insert(table)
        .values({ administrator: sql.placeholder('administrator'), sealed: sql.placeholder('sealed'), lastStep: 0 })
        .onConflictDoUpdate({ target: table.administrator, set: { sealed: sql`excluded.sealed`, lastStep: 0 } })
        .prepare(),
    ),
    use: late(() =>
      orm
        .update(table)
        .set({ lastStep: sql`${sql.placeholder('step')}` })
        .where(and(mine, lt(table.lastStep, sql.placeholder('step'))))
        .returning({ administrator: table.administrator })
        .prepare(),
    ),
    confirm: late(() =>
      orm
        .update(table)
        .set({ confirmedAt: sql`${sql.placeholder('now')}` })
        .where(mine)
        .prepare(),
    ),
    remove: late(() => orm.delete(table).where(mine).prepare()),
    left: late(() => orm.select({ left: count() }).from(recoveryCode).where(myCodes).prepare()),
    addCode: late(() =>
      orm
        .insert(recoveryCode)
        .values({ administrator: sql.placeholder('administrator'), digest: sql.placeholder('digest') })
        .prepare(),
    ),
    useCode: late(() => orm.delete(recoveryCode).where(thisCode).returning({ digest: recoveryCode.digest }).prepare()),
    dropCodes: late(() => orm.delete(recoveryCode).where(myCodes).prepare()),
  }
}
