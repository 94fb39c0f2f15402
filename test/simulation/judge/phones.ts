import { BROWSERS, NEIGHBOURS } from '../steps/step.ts'
import type { Place } from '../steps/step.ts'
import type { TokenFate } from '../world/answers.ts'
import { endpointOf } from '../world/browsers.ts'
import type { Whose } from '../world/gateways.ts'

/** A phone, and its registered device. Times are `WorldClock.passedMs`. */
export interface Phone {
  readonly number: number
  /** Of its app. */
  readonly application: Whose
  /** Used for registrations from now on. */
  token: string
  /** The earlier token, which may still be registered; `null`: it is not. */
  tokenBefore: string | null
  /** Last certain move to another token. */
  movedAt: number
  readonly platform: 0 | 1 | 2
  fate: TokenFate
  /** `unsure`: a call or an answer of a gateway may have changed it. */
  state: 'absent' | 'present' | 'unsure'
  /** As registered; `null`: uncertain. */
  tags: ReadonlySet<string> | null
  alias: string | null
  /** As registered, `''` for none; `null`: uncertain. */
  user: string | null
  locale: string | null
  /** Last possible change of its locale. */
  localeAt: number
  /** Imported, and not registered by itself since. */
  isImported: boolean
  /** Erased with its user; `null`: not, or back since. */
  erasedAt: number | null
  /** A browser's registered key pair; `null`: uncertain, or no browser. */
  pair: number | null
  /** Last possible change. */
  pairAt: number
  zone: string | null
  /** As registered. `unknown`: uncertain. */
  place: Place | null | 'unknown'
  /** Stored with the device; `null`: uncertain. */
  badge: number | null
  /** Highest badge that a call has set. */
  badgeSet: number
  /** Set by a call or a new registration between these times; `null`: unknown. */
  counted: { readonly badge: number; readonly from: number; readonly since: number } | null
  /** When the notification or call of this badge was sent. */
  badgeAt: number
  /** Last answer to a call that set it. */
  badgeCallUntil: number
  /** Last possible change of its audiences. */
  changedAt: number
  /** Start of the last answered registration. */
  seenAt: number
  /** Last possible new entry in the registry. */
  anewAt: number
  /** Last answer that may have removed it. */
  lostAt: number
  /** Start of the last registration, in ms since the Unix epoch. */
  registeredAt: number
  /** Its answer, the latest time of its storage, in ms since the Unix epoch. */
  registeredBy: number
  /** Last 410 with a time before its registration. */
  outdatedAt: number
  /** Unanswered calls about it. */
  calls: number
  /** Answer that proves it gone; `null`: none since its registration. */
  goneAt: number | null
  /** The unproven credential with which its token was refused; `null`: none. */
  heldBy: string | null
  /** Answer that may have set it aside; `null`: none. */
  asideAt: number | null
  /** Since when a new credential must have restored it; `null`: not necessary. */
  backSince: number | null
}

/** All phones of a world, with its crowds. */
export class Phones {
  readonly #all: Phone[] = []
  /** Also by earlier tokens. */
  readonly #byToken = [new Map<string, Phone>(), new Map<string, Phone>()] as const
  readonly #moves = new Map<Phone, number>()
  /** Application and user of erasures under way. */
  readonly erasing = new Set<string>()

  /** Made when first asked for. */
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

  /** Whether the erasure of its user may be under way. */
  mayBeErasing({ application, user }: Phone): boolean {
    return this.erasing.has(`${application} ${user}`) || (user === null && this.erasing.size > 0)
  }

  of(application: Whose, token: string): Phone | null {
    return this.#byToken[application].get(token) ?? null
  }
}

/** The neighbours' phones share tokens with the first application's. `moves`: its earlier tokens. */
function tokenOf(number: number, platform: 0 | 1 | 2, moves: number): string {
  if (platform === 2) return endpointOf(number, moves)
  const name = `phone ${number % NEIGHBOURS}${moves === 0 ? '' : ` ${moves}`}`
  const digest = new Bun.CryptoHasher('sha256').update(name).digest('hex')
  return platform === 0 ? digest : `android-${digest.slice(0, 20)}`
}

/** Even ones are Apple's. */
function platformOf(number: number): 0 | 1 | 2 {
  if (number >= BROWSERS && number < NEIGHBOURS) return 2
  return number % 2 === 0 ? 0 : 1
}

/** Whether a gateway called it gone, since a time after its last registration. */
export function isKnownGone({ goneAt, fate, registeredBy }: Phone): boolean {
  return goneAt !== null && fate.state === 'gone' && fate.since >= registeredBy
}
