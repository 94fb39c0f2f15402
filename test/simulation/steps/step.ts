import type { Weather } from '../world/answers.ts'
import type { Gateway } from '../world/answer-tables.ts'
import type { PushService } from '../world/browsers.ts'
import type { Sky, Whose } from '../world/gateways.ts'
import type { Mood } from '../world/world.ts'

export type Target =
  | { readonly kind: 'all' }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'any'; readonly tags: readonly [string, string] }
  | { readonly kind: 'near'; readonly place: Place }
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'one'; readonly phone: number }

export interface PushStep {
  readonly kind: 'push'
  /** Default the first application's. */
  readonly by?: Whose
  readonly to: Target
  /** `+1`, a number, or empty. */
  readonly badge: string
  /** In seconds; `null`: the default. */
  readonly ttl: number | null
  /** From now, in seconds or by each phone's clock in minutes. */
  readonly when:
    | { readonly kind: 'now' }
    | { readonly kind: 'in'; readonly seconds: number }
    | { readonly kind: 'local'; readonly minutes: number }
  readonly keyed: boolean
  /** Default none. */
  readonly collapse?: string
  /** Adds texts in `LANGUAGES`. */
  readonly translated?: true
}

/** One event. Any number names a phone or an earlier push: large ones wrap around, and -1 is the last. */
export type Step =
  | {
      readonly kind: 'register'
      readonly phone: number
      readonly tags: readonly string[]
      readonly zone: string
      /** A browser's key pair. Default the first. */
      readonly pair?: number
      /** `''`: none. Left out: not sent. */
      readonly user?: string
      readonly locale?: string
      /** The token changes: the registration names the earlier one, or the user of an imported phone. */
      readonly moves?: 'replaces' | 'adopts'
    }
  | { readonly kind: 'unregister'; readonly phone: number }
  | { readonly kind: 'tag' | 'untag'; readonly phone: number; readonly tag: string }
  | { readonly kind: 'alias'; readonly phone: number; readonly alias: string }
  | { readonly kind: 'badge'; readonly phone: number; readonly count: number }
  | { readonly kind: 'crowd'; readonly platform: 0 | 1; readonly count: number }
  | PushStep
  | { readonly kind: 'again' | 'cancel' | 'status'; readonly push: number }
  | { readonly kind: 'fate'; readonly phone: number; readonly state: 'gone' | 'bad' }
  | { readonly kind: 'weather'; readonly gateway: Sky; readonly weather: Weather }
  | { readonly kind: 'receiver'; readonly mood: Mood }
  | { readonly kind: 'geo'; readonly phone: number; readonly place: Place }
  | { readonly kind: 'spend' }
  | { readonly kind: 'badge-seen'; readonly phone: number }
  | {
      readonly kind: 'credential'
      readonly whose: Whose
      readonly gateway: Gateway
      /** By the admin API instead of a command. */
      readonly byAdmin?: true
    }
  | { readonly kind: 'erase'; readonly user: string; readonly by: Whose }
  | { readonly kind: 'resend'; readonly push: number }
  | { readonly kind: 'import'; readonly phones: readonly number[]; readonly tags: readonly string[] }
  /** The first application's hold in seconds, and the metered application's calls a day. */
  | { readonly kind: 'hold'; readonly seconds: number }
  | { readonly kind: 'quota'; readonly calls: number }
  | { readonly kind: 'others-served'; readonly service: PushService }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'open'; readonly push: number; readonly phone: number }
  | {
      readonly kind: 'report'
      readonly push: number
      readonly phone: number
      /** The chosen button; `''`: the arrival. */
      readonly action: string
    }
  | { readonly kind: 'crash'; readonly downMs: number }
  | { readonly kind: 'disk-fails' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'jump'; readonly byMs: number }
  | { readonly kind: 'stand-still'; readonly ms: number }

/** First phone with the second application's app. */
export const NEIGHBOURS = 1000

/** First imported phone. */
export const IMPORTED = 300

/** First browser. */
export const BROWSERS = 500

/** Single browsers. A crowd's come after them. */
export const OWN_BROWSERS = 6

/** Single phones, the even ones Apple's. A crowd's come after them. */
export const PHONES = 10

/** In degrees. */
export const PLACES = {
  berlin: { lat: 52.52, lng: 13.4 },
  potsdam: { lat: 52.39, lng: 13.06 },
  taveuni: { lat: -16.8, lng: -180 },
} as const

export type Place = keyof typeof PLACES

/** Potsdam and Berlin are 27 km apart. */
export const RADIUS_KM = 20

export const TAGS = ['red', 'green', 'blue'] as const
export const ZONES = [
  '',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
] as const

export const USERS = ['ann', 'ben'] as const

/** Locales of phones, with the language of `LANGUAGES` that they get by RFC 4647 (lookup); `''`: the push's own. */
export const LOCALES = { '': '', de: 'de', 'de-CH': 'de', 'pt-BR': 'pt-BR', pt: '', 'zh-Hant-TW': '' } as const

/** Languages of a push beside its own. */
export const LANGUAGES = ['de', 'pt-BR'] as const

/** Some are invalid as topics of push services. */
export const COLLAPSES = ['news', 'order', 'a thing'] as const
