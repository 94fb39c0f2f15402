import { and, eq, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { credential as table, providerToken } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { Application, SecretOwner } from './application.ts'
import { describeApns, describeFcm, providerOf } from './credential.ts'
import type { ApnsSummary, Credential, Credentials, FcmSummary } from './credential.ts'
import { describeVapid } from './vapid.ts'
import type { WebPushSummary } from './vapid.ts'
import type { ProviderName } from '../platform.ts'

export type CredentialSummary = { readonly createdAt: number } & (
  | ({ readonly provider: 'apns' } & ApnsSummary)
  | ({ readonly provider: 'fcm' } & FcmSummary)
  | ({ readonly provider: 'webpush' } & WebPushSummary)
)

/** One credential an application and gateway, sealed with a key that is not in the database. */
export interface CredentialStore {
  /** Replaces an earlier credential. */
  put(application: SecretOwner, credential: Credential): void
  /** With what was made from it. Whether there was one. */
  remove(application: Pick<Application, 'number'>, provider: ProviderName): boolean
  /** `null` when there is none. Throws when the stored one does not open with this key. */
  credentialOf<P extends ProviderName>(application: SecretOwner, provider: P): Credentials[P] | null
  /** What may be shown; needs no key. */
  summaries(application: Pick<Application, 'number'>): CredentialSummary[]
}

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}

export function createCredentialStore({ database, clock, key }: Options): CredentialStore {
  const statements = prepareStatements(database.orm)

  function credentialOf<P extends ProviderName>(application: SecretOwner, provider: P): Credentials[P] | null {
    const row = statements.sealed.get({ application: application.number, provider })
    if (row === undefined) return null
    const text = open(key, { application: application.id, provider }, row.sealed)
    // The seal vouches for what is inside: nobody without the key can have written it.
    if (text !== null) return JSON.parse(text)
    throw new Error(
      `The stored ${provider} credential of application ${application.id} does not open: it was sealed with another key, or is damaged.`,
    )
  }

  return {
    put(application, credential) {
      const provider = providerOf(credential)
      statements.put.run({
        application: application.number,
        provider,
        public: JSON.stringify(described(credential)),
        sealed: seal(key, { application: application.id, provider }, JSON.stringify(credential)),
        createdAt: clock.now(),
      })
    },

    remove({ number }, provider) {
      if (provider === 'apns') statements.removeToken.run({ application: number })
      return statements.remove.get({ application: number, provider }) !== undefined
    },

    credentialOf,

    summaries: (application) => statements.shown.all({ application: application.number }).map(summaryOf),
  }
}

function described(credential: Credential): object {
  if (credential.kind === 'vapid') return describeVapid(credential)
  return credential.kind === 'service-account' ? describeFcm(credential) : describeApns(credential)
}

function prepareStatements(orm: Database['orm']) {
  const ofApplication = eq(table.application, sql.placeholder('application'))
  const ofProvider = and(ofApplication, eq(table.provider, sql.placeholder('provider')))
  return {
    sealed: late(() => orm.select({ sealed: table.sealed }).from(table).where(ofProvider).prepare()),
    shown: late(() =>
      orm
        .select({ provider: table.provider, createdAt: table.createdAt, shown: table.public })
        .from(table)
        .where(ofApplication)
        .orderBy(table.provider)
        .prepare(),
    ),
    put: late(() =>
      orm
        .insert(table)
        .values({
          application: sql.placeholder('application'),
          provider: sql.placeholder('provider'),
          public: sql.placeholder('public'),
          sealed: sql.placeholder('sealed'),
          createdAt: sql.placeholder('createdAt'),
        })
        .onConflictDoUpdate({
          target: [table.application, table.provider],
          set: {
            public: sql`excluded.public`,
            sealed: sql`excluded.sealed`,
            createdAt: sql`excluded.created_at`,
          },
        })
        .prepare(),
    ),
    remove: late(() => orm.delete(table).where(ofProvider).returning({ provider: table.provider }).prepare()),
    removeToken: late(() =>
      orm
        .delete(providerToken)
        .where(eq(providerToken.application, sql.placeholder('application')))
        .prepare(),
    ),
  }
}

function summaryOf(row: { provider: ProviderName; createdAt: number; shown: string }): CredentialSummary {
  const { provider, createdAt, shown } = row
  return { provider, createdAt, ...(storedJson(shown) as object) } as CredentialSummary
}
