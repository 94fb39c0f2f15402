import type { Complaint } from '../verdict.ts'

/** Different devices with a complaint, none taken between, that trip the breaker. */
const MIN_ACCUSERS = 10

/** How many devices are remembered as complaining alone, and how many as tried. */
const MAX_REMEMBERED = 10_000

/** A complaint of one device. */
export interface Accusation {
  readonly device: number
  readonly complaint: Complaint
  /** The gateway's own word. */
  readonly reason: string
  /** Whether it complains for the first time, and no other was just taken: else it may be at fault itself. */
  readonly isFirst: boolean
}

/** Why the breaker tripped, and how many devices were tried. */
export interface TripReason {
  readonly misconfigured: boolean
  readonly reason: string
}

/**
 * Whose fault a complaint is: the device's, or the credential's. No device holds up the others because it alone is
 * refused, and none that a stranger made up can: who accuses a credential that is known to be good must have been
 * accepted with it before, which is for the caller to look up.
 *
 * quiet → (a device complains) → doubtful: each complaint is put down to its device → (a device is taken) → quiet.
 * Doubtful → (`MIN_ACCUSERS` different devices have complained) → tripped: each further complaint trips it again → (a
 * device is taken) → quiet.
 *
 * Refused tokens never trip it. Those of devices that were sent to before are believed to be bad when they are refused
 * again, but not while so many of them are refused and nothing is taken: a gateway may have a bad hour.
 */
export class Breaker {
  readonly #credential: { readonly isProven: boolean }
  #isTripped = false
  readonly #accusers = new Map<number, Accusation>()
  /** Devices that were sent to before and have a refused token, and why; since the last was taken. */
  readonly #refused = new Map<number, string>()
  /** Devices answered, and not taken, since the first complaint. */
  readonly #tried = new Set<number>()
  /** Devices that complained while others were taken. */
  readonly #alone = new Set<number>()

  constructor(credential: { readonly isProven: boolean }) {
    this.#credential = credential
  }

  /** Nothing is held against the credential, or remembered of devices. */
  get isQuiet(): boolean {
    return this.#accusers.size + this.#refused.size + this.#alone.size === 0 && !this.#isTripped
  }

  /** Devices have complained since the last was taken. */
  get isDoubtful(): boolean {
    return this.#accusers.size > 0 || this.#refused.size >= MIN_ACCUSERS
  }

  /** The next recipient is best from anywhere in the audience: devices that were imported together may fail together. */
  get wantsSamples(): boolean {
    return this.#isTripped || this.#accusers.size >= MIN_ACCUSERS / 3
  }

  /** Whether the device alone is known to be at fault: others were taken since it complained. */
  isAlone(device: number): boolean {
    return this.#alone.has(device)
  }

  /** A notification was taken for `device`. */
  taken(device: number): void {
    for (const refused of this.#refused.keys()) remember(this.#alone, refused)
    this.#refused.clear()
    this.recognised()
    this.#alone.delete(device)
  }

  /** The credential was taken, and not the token: of the complaints about it nothing is left. */
  recognised(): void {
    for (const device of this.#accusers.keys()) remember(this.#alone, device)
    this.#accusers.clear()
    this.#tried.clear()
    this.#isTripped = false
  }

  /** A device complained, and one that was sent to after it was taken before. */
  outrun(device: number): void {
    remember(this.#alone, device)
  }

  /** A device was not taken, for its own reasons. */
  tried(device: number): void {
    if (this.#accusers.size > 0) remember(this.#tried, device)
  }

  /** Records a complaint of a device that may accuse; whether it trips. */
  accuse(accusation: Accusation): boolean {
    const { device, isFirst } = accusation
    const wasFirst = this.#accusers.get(device)?.isFirst === true
    this.#accusers.set(device, { ...accusation, isFirst: isFirst || wasFirst })
    remember(this.#tried, device)
    this.#isTripped ||= this.#accusers.size >= MIN_ACCUSERS
    return this.#isTripped
  }

  /** The token of a device that was sent to before is refused; whether that is to be believed. */
  refuse(device: number, reason: string): boolean {
    if (this.#alone.has(device)) return true
    const isAgain = this.#refused.has(device)
    this.#refused.set(device, reason)
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MAX_REMEMBERED) break
      this.#refused.delete(oldest)
    }
    return isAgain && this.#refused.size < MIN_ACCUSERS
  }

  /** What to warn of when nobody else is left to be sent to; `null` for nothing. */
  get warning(): TripReason | null {
    const isNews = [...this.#accusers.values()].some(({ isFirst }) => isFirst || !this.#credential.isProven)
    if (isNews) return this.tripReason
    return this.#refused.size < MIN_ACCUSERS ? null : this.#tokenReason()
  }

  /** Why the breaker has tripped. */
  get tripReason(): TripReason {
    const byReason = Map.groupBy(this.#accusers.values(), ({ reason }) => reason)
    const [reason = '', most = []] = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
    const tried = `${this.#tried.size} ${this.#tried.size === 1 ? 'device' : 'devices'}`
    return {
      misconfigured: most.some(({ complaint }) => complaint === 'credential'),
      reason: `${reason} for ${most.length} of ${tried}`,
    }
  }

  #tokenReason(): TripReason {
    const reasons = [...new Set(this.#refused.values())].join(', ')
    const reason =
      `${this.#refused.size} devices that were sent to before are refused now (${reasons}), and none is taken: ` +
      'is the credential, the topic or the environment wrong?'
    return { misconfigured: true, reason }
  }
}

/** The oldest go where there are too many. */
function remember(devices: Set<number>, device: number): void {
  devices.add(device)
  if (devices.size <= MAX_REMEMBERED) return
  for (const oldest of devices) {
    devices.delete(oldest)
    return
  }
}
