import { BROWSERS, NEIGHBOURS } from '../steps/step.ts'
import type { Place } from '../steps/step.ts'
import type { TokenFate } from '../world/answers.ts'
import { endpointOf } from '../world/browsers.ts'
import type { Whose } from '../world/gateways.ts'

/** What the world knows of a phone, and of the device that is registered for it. Times are `WorldClock.passedMs`. */
export interface Phone {
  readonly number: number
  /** Whose app it has. */
  readonly application: Whose
  /** As it registers from now on. */
  token: string
  /** Which it had before that one, and may be registered under still; `null`: it is known not to be. */
  tokenBefore: string | null
  /** When it was last known to have moved to another token. */
  movedAt: number
  readonly platform: 0 | 1 | 2
  fate: TokenFate
  /** `unsure`: a call, or an answer of a gateway, may have changed it or not. */
  state: 'absent' | 'present' | 'unsure'
  /** As registered; `null`: not known for certain. */
  tags: ReadonlySet<string> | null
  alias: string | null
  /** As registered, `''` for none; `null`: not known for certain. */
  user: string | null
  locale: string | null
  /** When its locale may have changed for the last time. */
  localeAt: number
  /** Whether it came by an import, and has not registered by itself since. */
  isImported: boolean
  /** When it was erased with its user; `null`: it was not, or has come since. */
  erasedAt: number | null
  /** Of a browser: the key pair that is registered; `null`: not known for certain, or no browser. */
  pair: number | null
  /** When it may have changed for the last time. */
  pairAt: number
  zone: string | null
  /** As registered. `unknown`: not known for certain. */
  place: Place | null | 'unknown'
  /** The count stored with the device; `null`: not known for certain. */
  badge: number | null
  /** The highest count that a call has asked for. */
  badgeSet: number
  /** What a call, or the registration anew, has set it to: between when and when; `null`: not known. */
  counted: { readonly badge: number; readonly from: number; readonly since: number } | null
  /** When the notification was sent, or the call made, that this count is from. */
  badgeAt: number
  /** When the last call that has set it was answered. */
  badgeCallUntil: number
  /** When whether it is in an audience may have changed for the last time. */
  changedAt: number
  /** When it was asked for the last registration that was answered. */
  seenAt: number
  /** When it came into the registry anew, or may have. */
  anewAt: number
  /** When an answer came by which it may have left. */
  lostAt: number
  /** When the last registration was asked for, ms since the Unix epoch. */
  registeredAt: number
  /** When it was answered, and so stored at the latest: ms since the Unix epoch. */
  registeredBy: number
  /** When the last 410 came with a time before its registration. */
  outdatedAt: number
  /** Calls about it without an answer. */
  calls: number
  /** When an answer came by which it must be known to be gone; `null`: none since it was registered. */
  goneAt: number | null
  /** With which credential its token was refused before that was known to be good; `null`: none. */
  heldBy: string | null
  /** When an answer came by which it may have been set aside, being there until then; `null`: none. */
  asideAt: number | null
  /** Since when it must be back, for another credential; `null`: it need not. */
  backSince: number | null
}

/** All phones of a world, those of a crowd too. */
export class Phones {
  readonly #all: Phone[] = []
  /** With the tokens that they had before. */
  readonly #byToken = [new Map<string, Phone>(), new Map<string, Phone>()] as const
  readonly #moves = new Map<Phone, number>()
  /** Users who are being erased, with their application before them. */
  readonly erasing = new Set<string>()

  /** The phone of this number, made when it is first asked for. */
  at(number: number, platform: 0 | 1 | 2 = platformOf(number)): Phone {
    const known = this.#all.find((phone) => phone.number === number)
    if (known !== undefined) return known
    const application = number < NEIGHBOURS ? 0 : 1
    const phone: Phone = {
      number,
      application,
      token: tokenOf(number, platform, 0),
      tokenBefore: null,
      movedAt: Number.NEGATIVE_INFINITY,
      platform,
      fate: { state: platform !== 2 && number % 7 === 4 ? 'sandbox' : 'alive', since: 0 },
      state: 'absent',
      tags: new Set(),
      alias: null,
      user: '',
      locale: '',
      localeAt: Number.NEGATIVE_INFINITY,
      isImported: false,
      erasedAt: null,
      pair: null,
      pairAt: Number.NEGATIVE_INFINITY,
      zone: null,
      place: null,
      badge: 0,
      counted: null,
      badgeAt: 0,
      badgeCallUntil: Number.NEGATIVE_INFINITY,
      badgeSet: 0,
      changedAt: 0,
      seenAt: 0,
      anewAt: Number.NEGATIVE_INFINITY,
      lostAt: Number.NEGATIVE_INFINITY,
      registeredAt: 0,
      registeredBy: 0,
      outdatedAt: Number.NEGATIVE_INFINITY,
      calls: 0,
      goneAt: null,
      heldBy: null,
      asideAt: null,
      backSince: null,
    }
    this.#all.push(phone)
    this.#byToken[application].set(phone.token, phone)
    return phone
  }

  /** Gives a phone another token. */
  move(phone: Phone): void {
    const moves = (this.#moves.get(phone) ?? 0) + 1
    this.#moves.set(phone, moves)
    phone.tokenBefore = phone.token
    phone.token = tokenOf(phone.number, phone.platform, moves)
    this.#byToken[phone.application].set(phone.token, phone)
  }

  all(): readonly Phone[] {
    return this.#all
  }

  /** Whether a call that erases its user is not answered yet. */
  mayBeErasing({ application, user }: Phone): boolean {
    return this.erasing.has(`${application} ${user}`) || (user === null && this.erasing.size > 0)
  }

  of(application: Whose, token: string): Phone | null {
    return this.#byToken[application].get(token) ?? null
  }
}

/** The neighbours' phones have tokens that phones of the first application have as well. `moves`: how often it has moved. */
function tokenOf(number: number, platform: 0 | 1 | 2, moves: number): string {
  if (platform === 2) return endpointOf(number, moves)
  const name = `phone ${number % NEIGHBOURS}${moves === 0 ? '' : ` ${moves}`}`
  const digest = new Bun.CryptoHasher('sha256').update(name).digest('hex')
  return platform === 0 ? digest : `android-${digest.slice(0, 20)}`
}

/** The even ones are Apple's. */
function platformOf(number: number): 0 | 1 | 2 {
  if (number >= BROWSERS && number < NEIGHBOURS) return 2
  return number % 2 === 0 ? 0 : 1
}

/** Whether a gateway has said so, with a time after its last registration. */
export function isKnownGone({ goneAt, fate, registeredBy }: Phone): boolean {
  return goneAt !== null && fate.state === 'gone' && fate.since >= registeredBy
}
