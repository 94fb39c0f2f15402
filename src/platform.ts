import { either } from './text/format.ts'

/** Facts for all rooms; `gateway/registry.ts` has the gateway's. */
export interface PlatformFacts {
  /** In logs and metrics. */
  readonly label: string
  readonly name: string
  /** For people, with its article. */
  readonly device: string
  readonly article: 'a' | 'an'
  /** Other names in lists of devices. */
  readonly words: readonly string[]
  /**
   * Newer than the contract, and rarely used. A push without a platform goes there only with a credential, and answers
   * omit it without devices.
   */
  readonly isOptional: boolean
  /** Apple's hex digits; an address at a push service; or only the gateway can tell. */
  readonly tokens: 'hex' | 'endpoint' | 'opaque'
  /** Stands for the token where there is no device. */
  readonly madeUpToken: string
  /** Messages are encrypted with keys that devices register. */
  readonly hasKeys: boolean
  /** Names of the credential: in the database and the API, then for people. */
  readonly provider: string
  readonly gateway: string
  readonly credential: string
  /** An application on the simulator still reaches real devices with this credential. */
  readonly isRealWhenSimulated: boolean
}

/** By number in the contract, the database and the API. A new platform begins with a row here. */
export const PLATFORM = {
  0: {
    label: 'ios',
    name: 'iOS',
    device: 'iOS device',
    article: 'an',
    words: ['ios', 'iphone', 'ipad', 'ipados', 'apns', 'apple'],
    isOptional: false,
    tokens: 'hex',
    madeUpToken: '0'.repeat(64),
    hasKeys: false,
    provider: 'apns',
    gateway: 'APNs',
    credential: 'an APNs credential',
    isRealWhenSimulated: false,
  },
  1: {
    label: 'android',
    name: 'Android',
    device: 'Android device',
    article: 'an',
    words: ['android', 'fcm', 'gcm', 'google', 'firebase'],
    isOptional: false,
    tokens: 'opaque',
    madeUpToken: 'registration-id',
    hasKeys: false,
    provider: 'fcm',
    gateway: 'FCM',
    credential: 'an FCM credential',
    isRealWhenSimulated: false,
  },
  // Web push (RFC 8030).
  2: {
    label: 'web',
    name: 'Web',
    device: 'browser',
    article: 'a',
    words: ['web', 'webpush', 'browser'],
    isOptional: true,
    tokens: 'endpoint',
    madeUpToken: 'https://updates.push.services.mozilla.com/wpush/v2/endpoint',
    hasKeys: true,
    provider: 'webpush',
    gateway: 'web push',
    credential: 'a web push credential',
    isRealWhenSimulated: true,
  },
} as const satisfies Readonly<Record<number, PlatformFacts>>

export type Platform = keyof typeof PLATFORM

/** `PLATFORM`, or another table in tests. */
export type PlatformTable = Readonly<Record<Platform, PlatformFacts>>

export type ProviderName = (typeof PLATFORM)[Platform]['provider']

export type PlatformLabel = (typeof PLATFORM)[Platform]['label']

/** By number. */
export const PLATFORMS = numbersOf(PLATFORM)

/** `"0" (iOS), "1" (Android) or "2" (Web)` */
export const PLATFORM_CHOICE = platformChoice(PLATFORMS)

export const PROVIDERS = PLATFORMS.map((platform) => PLATFORM[platform].provider)

export function numbersOf(table: PlatformTable): readonly Platform[] {
  // Whole numbers come first, in order (ECMA-262, OrdinaryOwnPropertyKeys).
  return Object.keys(table).map((key) => Number(key) as Platform)
}

export function platformChoice(platforms: readonly Platform[]): string {
  return either(platforms.map((platform) => `"${platform}" (${PLATFORM[platform].name})`))
}

export function platformOfProvider(provider: ProviderName): Platform {
  return PLATFORMS[PROVIDERS.indexOf(provider)] as Platform
}

export function factsOf(provider: ProviderName): PlatformFacts {
  return PLATFORM[platformOfProvider(provider)]
}

export function platformsWhere(fits: (facts: PlatformFacts) => boolean): ReadonlySet<Platform> {
  return new Set(PLATFORMS.filter((platform) => fits(PLATFORM[platform])))
}

export const OF_FCM = platformsWhere(({ provider }) => provider === 'fcm')
