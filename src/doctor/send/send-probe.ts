import { createCredentialStore } from '../../application/credential-store.ts'
import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import type { Platform } from '../../device/device.ts'
import { canonicalToken, isApnsToken } from '../../device/push-token.ts'
import { createDeviceKeys } from '../../device/webpush/device-key-store.ts'
import type { SubscriptionKeys } from '../../device/webpush/subscription-keys.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import type { Outcome, Provider } from '../../gateway/gateway.ts'
import { GATEWAYS } from '../../gateway/registry.ts'
import { chooseTransport } from '../../gateway/transport/choose-transport.ts'
import { HostAddresses } from '../../gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import type { KeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import { addressesOf } from '../../network/lookup.ts'
import type { Message, Notification } from '../../notification/notification.ts'
import { PLATFORM } from '../../platform.ts'
import { tokenPart } from '../../text/format.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import { openInspectedDatabase } from '../database/inspected-database.ts'
import type { InspectedDatabase } from '../database/inspected-database.ts'
import type { FoundApplication } from '../database/inspection-store.ts'
import { checkSealingKey } from '../database/sealing-key-check.ts'
import { keepFor } from '../gateways/kept-token-store.ts'
import { trustedAuthorities } from '../machine/settings-check.ts'
import { listening } from './listening.ts'
import type { Heard, HeardAnswer, HeardEnd } from './listening.ts'

interface SendTarget {
  /** `device.id`; 0: not registered. */
  readonly device: number
  readonly platform: Platform
  readonly token: string
  /** Browsers only. */
  readonly keys: SubscriptionKeys | null
}

type TestPush = 'silent' | 'shown'

export interface SendStep {
  readonly push: TestPush
  /** One for each environment or provider token tried. */
  readonly answers: readonly HeardAnswer[]
  readonly outcome: Outcome
}

export interface SendReport {
  readonly steps: readonly SendStep[]
  readonly ends: readonly HeardEnd[]
}

export const TEST_TEXT = 'Test from bellhop doctor'

const TTL_SECONDS = 3600

const PUSHES: Readonly<Record<TestPush, Notification>> = {
  silent: { msg: null, sound: null, badge: null, payload: null, silent: true, ttl: TTL_SECONDS },
  shown: { msg: TEST_TEXT, sound: 'default', badge: null, payload: null, ttl: TTL_SECONDS },
}

interface Options {
  readonly config: DoctorConfig
  /** ID or name. */
  readonly application: string
  /** A device token, or a prefix of a registered one. */
  readonly token: string
  readonly confirmed: boolean
}

/** `asks`: ask for confirmation first. */
export type TestPushes =
  | { readonly kind: 'sent'; readonly device: string; readonly report: SendReport; readonly left: string | null }
  | { readonly kind: 'asks'; readonly device: string; readonly left: string | null }
  | { readonly kind: 'no-application'; readonly names: readonly string[] }
  | Problem

/** Safari ends a subscription after three pushes that show nothing (WebKit, `incrementSilentPushCount`). */
const NO_SILENT_PUSH = 'Safari counts pushes that show nothing and ends a subscription after three: none is sent.'

/** Sends a silent and a visible push to the operator's own device, bypassing the queue. Changes nothing. */
export async function sendTestPushes(
  { config, application: named, token, confirmed }: Options,
  { clock, stopwatch }: Pick<DoctorContext, 'clock' | 'stopwatch'>,
): Promise<TestPushes> {
  using inspected = openInspectedDatabase(config.data)
  const { database, applications, schema } = inspected
  if (database === null || inspected.opened.state !== 'ok') return problem(inspected.opened.found)
  if (schema !== NEWEST_SCHEMA) return problem('The database has an older schema: serve upgrades it.')
  const application = applications.find(({ id, name }) => id === named || name === named)
  if (application === undefined) return { kind: 'no-application', names: applications.map(({ name }) => name) }

  const target = targetOf(database, application.number, token)
  if ('kind' in target) return target
  const { platform } = target
  const isSafari =
    PLATFORM[platform].tokens === 'endpoint' && new URL(target.token).hostname.endsWith('.push.apple.com')
  const pushes: readonly TestPush[] = isSafari ? ['shown'] : ['silent', 'shown']
  const left = isSafari ? NO_SILENT_PUSH : null
  const device = `${PLATFORM[platform].device} ${tokenPart(target.token)} of "${application.name}"`
  if (!confirmed) return { kind: 'asks', device, left }

  const { key, finding } = checkSealingKey(database, schema, config.data, config.key)
  if (key === null) return problem(`${finding.found} ${finding.advice ?? ''}`.trim())
  const ca = await trustedAuthorities(config.gatewayCa)
  if (typeof ca === 'object') return ca
  const report = await sendToDevice({ config, ca, database, key, application, target, pushes, clock, stopwatch })
  if (report === null) return problem(`"${application.name}" has no ${PLATFORM[platform].gateway} credential.`)
  return { kind: 'sent', device, report, left }
}

function targetOf(
  database: NonNullable<InspectedDatabase['database']>,
  application: number,
  token: string,
): SendTarget | Problem {
  const statement = database.statement.bind(database)
  const found = createDeviceSearch({ database: { reading: statement } }).byToken(application, token, 2)
  const [device, another] = found
  if (another !== undefined) return problem(`More than one token starts with ${tokenPart(token)}: use a longer prefix.`)
  if (device !== undefined) {
    const { id, platform, token } = device
    return { device: id, platform, token, keys: createDeviceKeys(statement)(id) }
  }
  if (token.startsWith('https://')) {
    return problem('This browser is not registered, and its messages are encrypted with the keys it registers.')
  }
  const platform: Platform = isApnsToken(token) ? 0 : 1
  return { device: 0, platform, token: canonicalToken(platform, token), keys: null }
}

interface Sending extends Pick<DoctorContext, 'clock' | 'stopwatch'> {
  readonly config: DoctorConfig
  readonly ca: string | undefined
  readonly database: ReadOnlyDatabase
  readonly key: Uint8Array
  readonly application: FoundApplication
  readonly target: SendTarget
  readonly pushes: readonly TestPush[]
}

/** Sends with the application's own credential. `null`: it has none for the platform. */
async function sendToDevice(options: Sending): Promise<SendReport | null> {
  const { clock, target, pushes } = options
  const heard: Heard = { answers: [], ends: [] }
  using agreement = createKeyAgreement({ processors: 1 })
  const provider = providerOf(options, heard, agreement)
  if (provider === null) return null
  const steps: SendStep[] = []
  for (const push of pushes) {
    const from = heard.answers.length
    const message: Message = {
      push: Bun.randomUUIDv7(),
      notification: PUSHES[push],
      expiresAt: clock.now() + TTL_SECONDS * 1000,
    }
    const outcome = await outcomeOf(provider, message, target)
    steps.push({ push, answers: heard.answers.slice(from), outcome })
  }
  await provider[Symbol.asyncDispose]()
  return { steps, ends: heard.ends }
}

function providerOf(
  { config, ca, database, key, application, target, clock, stopwatch }: Sending,
  heard: Heard,
  keyAgreement: KeyAgreement,
): Provider | null {
  const { apnsUrl, apnsSandboxUrl, fcmUrl, fcmTokenUrl, pushServices, proxy, data } = config
  const open = chooseTransport(config, clock, () => undefined)
  const kept = keepFor(database, data, key)
  return GATEWAYS[target.platform].own(application, {
    credentials: createCredentialStore({ database, clock, key }),
    tokens: { all: () => createProviderTokenStore({ database, key }).all(), save: (_, text) => kept.save(text) },
    tokenFile: createTokenFileStore(data, key),
    signing: new Map(),
    onIphone: () => undefined,
    addresses: {
      apns: { production: apnsUrl, sandbox: apnsSandboxUrl },
      fcm: fcmUrl,
      fcmToken: fcmTokenUrl,
      pushServices: pushServices ?? [],
      ca,
    },
    clock,
    openTransport: listening(open, heard, { stopwatch, secretOrigin: new URL(fcmTokenUrl).origin }),
    hosts: proxy === null ? new HostAddresses(addressesOf, clock) : null,
    keyAgreement,
    openSimulated: open,
    quotas: new Map(),
  })
}

function outcomeOf(provider: Provider, message: Message, { device, token, keys }: SendTarget): Promise<Outcome> {
  const recipient = { device, token, environment: null, badge: null, keys }
  return new Promise((resolve, reject) => {
    provider.send(message, recipient, {
      mayGo: () => true,
      restOf: () => null,
      onOutcome: (outcome) => outcome !== null && resolve(outcome),
      onFault: reject,
    })
  })
}
