import type { Application } from '../../application/application.ts'
import type { CredentialStore, CredentialSummary } from '../../application/credential-store.ts'
import type { UserKeyStore } from '../../application/user-key-store.ts'
import { DAY_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { SenderStats } from '../../delivery/sender-stats.ts'
import type { RegistrySizeStore } from '../../device/registry-size-store.ts'
import type { Day } from '../../stats/tally-store.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import type { QuotaLedger } from '../../usage/quota-ledger.ts'
import { periodAt } from '../../usage/quota-period.ts'
import type { Platform } from '../../device/device.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'
import type { WebhookStore } from '../../webhook/webhook-store.ts'
import type { ApplicationAnswer, ApplicationSummary } from '../api-types/application-types.ts'
import type { CredentialView, ProviderState } from '../api-types/credential-types.ts'

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly credentials: Pick<CredentialStore, 'summaries'>
  readonly webhooks: Pick<WebhookStore, 'find'>
  readonly userKeys: Pick<UserKeyStore, 'summary'>
  readonly sizes: Pick<RegistrySizeStore, 'sizeOf'>
  readonly daily: { days(application: number, first: number, last: number): readonly Day[] }
  readonly ledger: Pick<QuotaLedger, 'used'>
  readonly senders: () => readonly SenderStats[]
}

export type ApplicationView = ReturnType<typeof createApplicationView>

export function createApplicationView(deps: Dependencies) {
  const { clock, credentials, webhooks, userKeys, sizes, daily, ledger } = deps

  function summaryOf(application: Application, senders: readonly SenderStats[]): ApplicationSummary {
    const { number, id, name, simulated } = application
    const today = Math.floor(clock.now() / DAY_MS)
    const stored = new Set(credentials.summaries(application).map(({ provider }) => provider))
    const providerState = (platform: Platform): ProviderState => {
      const { provider, isRealWhenSimulated } = PLATFORM[platform]
      const has = stored.has(provider)
      const isSimulated = simulated && !(isRealWhenSimulated && has)
      if (!isSimulated && !has) return { state: 'none', reason: null, simulated: false }
      const sender = senders.find((one) => one.application === number && one.platform === platform)
      if (sender === undefined || sender.state === 'ready')
        return { state: 'ready', reason: null, simulated: isSimulated }
      return { state: 'paused', reason: sender.reason ?? sender.state, simulated: isSimulated }
    }
    return {
      id,
      name,
      simulated,
      devices: sizes.sizeOf(number).devices,
      acceptedToday: daily.days(number, today, today).reduce((sum, { s }) => sum + s, 0),
      providers: Object.fromEntries(
        PLATFORMS.map((platform) => [PLATFORM[platform].provider, providerState(platform)]),
      ) as ApplicationSummary['providers'],
    }
  }

  return {
    summaries(applications: readonly Application[]): readonly ApplicationSummary[] {
      const senders = deps.senders()
      return applications.map((application) => summaryOf(application, senders))
    },

    whole(application: Application): ApplicationAnswer {
      const { number, limits } = application
      const webhook = webhooks.find(application)
      const userKey = userKeys.summary(application)
      const { quota, quotaPeriod } = limits
      return {
        ...summaryOf(application, deps.senders()),
        limits,
        labels: sizes.sizeOf(number).labels,
        credentials: credentials.summaries(application).map(credentialView),
        webhook: webhook && { ...webhook, disabledAt: isoOrNull(webhook.disabledAt) },
        userKey: userKey && {
          createdAt: isoTime(userKey.createdAt),
          previousUntil: isoOrNull(userKey.previousUntil),
        },
        use: { used: ledger.used(application), quota, endsAt: isoTime(periodAt(quotaPeriod, clock.now()).endsAt) },
      }
    },
  }
}

function credentialView(credential: CredentialSummary): CredentialView {
  const createdAt = isoTime(credential.createdAt)
  if (credential.provider === 'apns' && credential.kind === 'certificate') {
    return { ...credential, createdAt, expiresAt: isoTime(credential.expiresAt) }
  }
  return { ...credential, createdAt }
}
