import { and, eq, sql } from 'drizzle-orm'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { credential as table, providerToken } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SealedStoreOptions } from '../sealing/sealed-table.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import type { Application, SecretOwner } from './application.ts'
import { describeApns, describeFcm, providerOf } from './credential.ts'
import type { ApnsSummary, Credential, Credentials, FcmSummary } from './credential.ts'
import { describeVapid } from './vapid.ts'
import type { WebPushSummary } from './vapid.ts'
import { PROVIDERS } from '../platform.ts'
import type { ProviderName } from '../platform.ts'

export type CredentialSummary = { readonly createdAt: number } & (
  | ({ readonly provider: 'apns' } & ApnsSummary)
  | ({ readonly provider: 'fcm' } & FcmSummary)
  | ({ readonly provider: 'webpush' } & WebPushSummary)
)

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore({ database, clock, key }: SealedStoreOptions) {
  const statements = prepareStatements(database.orm)

  /** `null`: none. Throws if its seal does not open with this key. */
  function credentialOf<P extends ProviderName>(application: SecretOwner, provider: P): Credentials[P] | null {
    const row = statements.sealed.get({ application: application.number, provider })
    if (row === undefined) return null
    const text = open(key, { application: application.id, provider }, row.sealed)
    // Safe to parse: the seal proves that we wrote it.
    if (text !== null) return JSON.parse(text)
    throw new Error(
      `The stored ${provider} credential of application ${application.id} does not open: it was sealed with another key, or is damaged.`,
    )
  }

  return {
    credentialOf,

    put(application: SecretOwner, credential: Credential): void {
      const provider = providerOf(credential)
      statements.put.run({
        application: application.number,
        provider,
        public: JSON.stringify(described(credential)),
        sealed: seal(key, { application: application.id, provider }, JSON.stringify(credential)),
        createdAt: clock.now(),
      })
    },

    /** Also removes tokens made from it. Returns whether there was one. */
    remove({ number }: Pick<Application, 'number'>, provider: ProviderName): boolean {
      if (provider === 'apns') statements.removeToken.run({ application: number })
      return statements.remove.get({ application: number, provider }) !== undefined
    },

    /** Without secrets; needs no key. */
    summaries: (application: Pick<Application, 'number'>): CredentialSummary[] =>
      statements.shown.all({ application: application.number }).map(summaryOf),
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
    sealed: late(() => orm.select({ sealed: table.sealed }).from(table).where(ofProvider)),
    shown: late(() =>
      orm
        .select({ provider: table.provider, createdAt: table.createdAt, shown: table.public })
        .from(table)
        .where(ofApplication)
        .orderBy(table.provider),
    ),
    put: late(() =>
      orm
        .insert(table)
        .values(given('application', 'provider', 'public', 'sealed', 'createdAt'))
        .onConflictDoUpdate({
          target: [table.application, table.provider],
          set: {
            public: sql`excluded.public`,
            sealed: sql`excluded.sealed`,
            createdAt: sql`excluded.created_at`,
          },
        }),
    ),
    remove: late(() => orm.delete(table).where(ofProvider).returning({ provider: table.provider })),
    removeToken: late(() =>
      orm.delete(providerToken).where(eq(providerToken.application, sql.placeholder('application'))),
    ),
  }
}

function summaryOf(row: { provider: ProviderName; createdAt: number; shown: string }): CredentialSummary {
  const { provider, createdAt, shown } = row
  return { provider, createdAt, ...(storedJson(shown) as object) } as CredentialSummary
}

export function createSealedCredentials({ orm }: Pick<Database, 'orm'>): SealedTable<ProviderName> {
  const which = and(eq(table.application, sql.placeholder('number')), eq(table.provider, sql.placeholder('provider')))
  const columns = { number: table.application, provider: table.provider, sealed: table.sealed }
  const all = late(() => orm.select(columns).from(table))
  const put = late(() => orm.update(table).set(assigned('sealed')).where(which))
  const erase = late(() => orm.delete(table).where(which))
  const tokens = createSealedTokens({ orm })
  return {
    providers: PROVIDERS,
    rows: () => all.all(),
    put: (row, sealed) => put.run({ ...row, sealed }),
    erase({ number, provider }) {
      erase.run({ number, provider })
      if (provider === 'apns') tokens.erase({ number, provider: 'apns token' })
    },
  }
}

export function createSealedTokens({ orm }: Pick<Database, 'orm'>): SealedTable<'apns token'> {
  const which = eq(providerToken.application, sql.placeholder('number'))
  return sealedTable('apns token', {
    all: late(() =>
      orm.select({ number: providerToken.application, sealed: providerToken.sealed }).from(providerToken),
    ),
    put: late(() => orm.update(providerToken).set(assigned('sealed')).where(which)),
    erase: late(() => orm.delete(providerToken).where(which)),
  })
}
