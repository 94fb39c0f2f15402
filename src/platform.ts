import { either } from './text/format.ts'

/** What everybody but its gateway knows of a platform; `gateway/registry.ts` has the rest. */
export interface PlatformFacts {
  /** In logs and metrics. */
  readonly label: string
  readonly name: string
  /** One of its devices, and the article before it. */
  readonly device: string
  readonly article: 'a' | 'an'
  /** Other names that a list of devices may have for it. */
  readonly words: readonly string[]
  /**
   * Newer than the contract, and most applications do without it: a push that names no platform goes there only with a
   * credential, and answers leave it out where it has no device.
   */
  readonly isOptional: boolean
  /** What its tokens are: hex digits of Apple's; an address of a push service; or only the gateway can tell. */
  readonly tokens: 'hex' | 'endpoint' | 'opaque'
  /** Stands for the token where there is no device. */
  readonly madeUpToken: string
  /** Whether its devices register with keys that messages are encrypted with. */
  readonly hasKeys: boolean
  /** Whose credential is needed, by its name in the database and the API, and by the one for people. */
  readonly provider: string
  readonly gateway: string
  readonly credential: string
  /** Whether a credential of it counts in an application on the simulator too: real devices are then reached. */
  readonly isRealWhenSimulated: boolean
}

/** The platforms by their number in the contract, the database and the API. A new one begins with a row here. */
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
  // By web push (RFC 8030).
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

/** Facts by platform; those of this service are `PLATFORM`. */
export type PlatformTable = Readonly<Record<Platform, PlatformFacts>>

/** By what the credentials of a platform are known. */
export type ProviderName = (typeof PLATFORM)[Platform]['provider']

export type PlatformLabel = (typeof PLATFORM)[Platform]['label']

/** In the order of their numbers. */
export const PLATFORMS = numbersOf(PLATFORM)

/** `"0" (iOS), "1" (Android) or "2" (Web)` */
export const PLATFORM_CHOICE = platformChoice(PLATFORMS)

export const PROVIDERS = PLATFORMS.map((platform) => PLATFORM[platform].provider)

export function numbersOf(table: PlatformTable): readonly Platform[] {
  // Whole numbers come first, and in order (ECMA-262, OrdinaryOwnPropertyKeys).
  return Object.keys(table).map((key) => Number(key) as Platform)
}

export function platformChoice(platforms: readonly Platform[]): string {
  return either(platforms.map((platform) => `"${platform}" (${PLATFORM[platform].name})`))
}

export function platformOfProvider(provider: ProviderName): Platform {
  return PLATFORMS[PROVIDERS.indexOf(provider)] as Platform
}

/** The facts of the platform whose provider this is. */
export function factsOf(provider: ProviderName): PlatformFacts {
  return PLATFORM[platformOfProvider(provider)]
}

/** The platforms of which that is so. */
export function platformsWhere(fits: (facts: PlatformFacts) => boolean): ReadonlySet<Platform> {
  return new Set(PLATFORMS.filter((platform) => fits(PLATFORM[platform])))
}

/** Whose devices FCM reaches. */
export const OF_FCM = platformsWhere(({ provider }) => provider === 'fcm')
