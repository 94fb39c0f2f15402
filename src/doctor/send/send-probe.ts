import { createCredentialStore } from '../../application/credential-store.ts'
import { createProviderTokenStore } from '../../application/provider-token-store.ts'
import { createTokenFileStore } from '../../application/token-file-store.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Platform } from '../../device/device.ts'
import type { SubscriptionKeys } from '../../device/webpush/subscription-keys.ts'
import type { Outcome, Provider } from '../../gateway/gateway.ts'
import { addressesOf } from '../../network/lookup.ts'
import { GATEWAYS } from '../../gateway/registry.ts'
import { chooseTransport } from '../../gateway/transport/choose-transport.ts'
import { HostAddresses } from '../../gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import type { KeyAgreement } from '../../gateway/webpush/key-agreement.ts'
import type { Message, Notification } from '../../notification/notification.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import type { FoundApplication } from '../database/inspection-store.ts'
import { keepFor } from '../gateways/kept-token-store.ts'
import { listening } from './listening.ts'
import type { Heard, HeardAnswer, HeardEnd } from './listening.ts'

export interface SendTarget {
  /** `device.id`; 0: not registered. */
  readonly device: number
  readonly platform: Platform
  readonly token: string
  /** Browsers only. */
  readonly keys: SubscriptionKeys | null
}

export type TestPush = 'silent' | 'shown'

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

export interface SendOptions extends Pick<DoctorContext, 'clock' | 'stopwatch'> {
  readonly config: Pick<
    DoctorConfig,
    'data' | 'apnsUrl' | 'apnsSandboxUrl' | 'fcmUrl' | 'fcmTokenUrl' | 'pushServices' | 'proxy' | 'transport'
  >
  readonly ca: string | undefined
  readonly database: ReadOnlyDatabase
  readonly key: Uint8Array
  readonly application: FoundApplication
  readonly target: SendTarget
  readonly pushes: readonly TestPush[]
}

/** Sends with the application's own credential. `null`: it has none for the platform. */
export async function sendToDevice(options: SendOptions): Promise<SendReport | null> {
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
  { config, ca, database, key, application, target, clock, stopwatch }: SendOptions,
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
