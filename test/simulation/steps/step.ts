import type { Weather } from '../world/answers.ts'
import type { Gateway } from '../world/answer-tables.ts'
import type { PushService } from '../world/browsers.ts'
import type { Sky, Whose } from '../world/gateways.ts'
import type { Mood } from '../world/world.ts'

/** Whom a push is for: everybody, those with a tag, with one of two tags, near a place, of a user, or one phone. */
export type Target =
  | { readonly kind: 'all' }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'any'; readonly tags: readonly [string, string] }
  | { readonly kind: 'near'; readonly place: Place }
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'one'; readonly phone: number }

export interface PushStep {
  readonly kind: 'push'
  /** Whose. Default the first application's. */
  readonly by?: Whose
  readonly to: Target
  /** `+1`, a number, or nothing. */
  readonly badge: string
  /** In seconds; `null`: the default. */
  readonly ttl: number | null
  /** Seconds from now, or minutes from now by the clock of each phone. */
  readonly when:
    | { readonly kind: 'now' }
    | { readonly kind: 'in'; readonly seconds: number }
    | { readonly kind: 'local'; readonly minutes: number }
  /** Whether it has an Idempotency-Key. */
  readonly keyed: boolean
  /** The name by which it replaces others on a phone. Default none. */
  readonly collapse?: string
  /** Whether it has the texts of `LANGUAGES` beside its own. */
  readonly translated?: true
}

/** One thing that happens. Phones and earlier pushes are named by any number: what is too large wraps
 * around, and -1 is the last. */
export type Step =
  | {
      readonly kind: 'register'
      readonly phone: number
      readonly tags: readonly string[]
      readonly zone: string
      /** Of a browser: which of its key pairs. Default the first. */
      readonly pair?: number
      /** Whose it is, and which language it is set to; `''`: nobody's, or none. Left out: not said. */
      readonly user?: string
      readonly locale?: string
      /** It has another token: the registration says which one it replaces, or, of an imported phone, whose it is. */
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
      /** Through the admin API, and not by a command. */
      readonly byAdmin?: true
    }
  | { readonly kind: 'erase'; readonly user: string; readonly by: Whose }
  | { readonly kind: 'resend'; readonly push: number }
  | { readonly kind: 'import'; readonly phones: readonly number[]; readonly tags: readonly string[] }
  /** Of the first application, or the one with a quota: seconds for which each push to many waits, or calls a day. */
  | { readonly kind: 'hold'; readonly seconds: number }
  | { readonly kind: 'quota'; readonly calls: number }
  | { readonly kind: 'others-served'; readonly service: PushService }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'open'; readonly push: number; readonly phone: number }
  | {
      readonly kind: 'report'
      readonly push: number
      readonly phone: number
      /** The button that was chosen; `''`: it arrived. */
      readonly action: string
    }
  | { readonly kind: 'crash'; readonly downMs: number }
  | { readonly kind: 'disk-fails' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'jump'; readonly byMs: number }
  | { readonly kind: 'stand-still'; readonly ms: number }

/** Phones from this number on have the app of the second application. */
export const NEIGHBOURS = 1000

/** From this number on they come by imports, at least at first. */
export const IMPORTED = 300

/** From this number on they are browsers. */
export const BROWSERS = 500

/** Browsers of their own. Those of a crowd come after them. */
export const OWN_BROWSERS = 6

/** Phones of their own: the even ones are Apple's. Those of a crowd come after them. */
export const PHONES = 10

/** Latitude and longitude, in degrees. */
export const PLACES = {
  berlin: { lat: 52.52, lng: 13.4 },
  potsdam: { lat: 52.39, lng: 13.06 },
  taveuni: { lat: -16.8, lng: -180 },
} as const

export type Place = keyof typeof PLACES

/** Around a place; Potsdam and Berlin are 27 km from each other. */
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

/** What phones are set to, and with which of `LANGUAGES` they get a push by RFC 4647 (lookup); `''`: its own text. */
export const LOCALES = { '': '', de: 'de', 'de-CH': 'de', 'pt-BR': 'pt-BR', pt: '', 'zh-Hant-TW': '' } as const

/** In which a push may be beside its own text. */
export const LANGUAGES = ['de', 'pt-BR'] as const

/** Names by which a push replaces others. Some are none that a push service takes as they are. */
export const COLLAPSES = ['news', 'order', 'a thing'] as const
