/** Different devices with a complaint, none taken between, that trip the breaker. */
const MIN_ACCUSERS = 10

/** Different tokens refused in a row, of devices that were sent to before, that trip it: a few are always bad. */
const MIN_REFUSED = 50

/** Devices remembered at the most of which is known that they complain alone, and as tried. */
const MAX_REMEMBERED = 1000

/**
 * What an answer to one device has against the credential: the gateway will not take the `credential` (401, 403, 404);
 * the `gateway` takes nothing (503, 429 without a project's quota, something that is no gateway); or a `token` is refused,
 * which is the device's fault unless those are refused that were good before.
 */
export type CredentialComplaint = 'credential' | 'gateway' | 'token'

/** A complaint of one device. */
export interface Accusation {
  readonly device: number
  readonly complaint: CredentialComplaint
  /** The gateway's own word. */
  readonly reason: string
  /** Whether it complains for the first time, and no other was just taken: else it may be at fault itself. */
  readonly isFirst: boolean
}

/** Why the breaker tripped, and how many devices were tried. */
export interface TripReason {
  readonly misconfigured: boolean
  readonly reason: string
  /** Only tokens were refused: any device may clear it. */
  readonly ofTokens: boolean
}

/**
 * Whose fault a complaint is: the device's, or the credential's. No device holds up the others because it alone is
 * refused, and none that a stranger made up can: who accuses a credential that is known to be good must have been
 * accepted with it before, which is for the caller to look up.
 *
 * quiet → (a device complains) → doubtful: each complaint is put down to its device → (a device is taken) → quiet.
 * Doubtful → (`MIN_ACCUSERS` different devices have complained, or `MIN_REFUSED` of their tokens) → tripped: each further
 * complaint trips it again → (a device is taken) → quiet. For tokens twice as many have to be refused the next time.
 */
export class CredentialBreaker {
  #proven: boolean
  #trippedBy: 'complaints' | 'tokens' | null = null
  /** Of those whose complaint is not about their token. */
  readonly #accusers = new Map<number, Accusation>()
  /** Devices with a refused token, and why. */
  readonly #refused = new Map<number, string>()
  /** Refused tokens that trip it. */
  #maxRefused = MIN_REFUSED
  /** Taken since that was raised. */
  #taken = 0
  /** Devices answered, and not taken, since the first complaint. */
  readonly #tried = new Set<number>()
  /** Devices that complained while others were taken. */
  readonly #alone = new Set<number>()

  constructor(proven: boolean) {
    this.#proven = proven
  }

  /** Nothing is held against the credential, or remembered of devices. */
  get isQuiet(): boolean {
    const none = this.#accusers.size + this.#refused.size + this.#alone.size === 0
    return this.#proven && none && this.#trippedBy === null && this.#maxRefused === MIN_REFUSED
  }

  /** The credential is known to be good. */
  get isProven(): boolean {
    return this.#proven
  }

  /** Devices have complained since the last was taken. */
  get isDoubtful(): boolean {
    return this.#accusers.size > 0
  }

  /** It tripped for refused tokens: none that was good before is believed to be bad. */
  get isDoubted(): boolean {
    return this.#trippedBy === 'tokens'
  }

  /** The next recipient is best from anywhere in the audience: devices that were imported together may fail together. */
  get wantsSamples(): boolean {
    return this.#trippedBy !== null || this.#accusers.size >= MIN_ACCUSERS / 3 || this.#refused.size >= MIN_ACCUSERS
  }

  /** Requests that may be in flight: where many tokens were refused in a row, no more than trip the breaker. */
  get allowance(): number {
    if (this.#refused.size < MIN_ACCUSERS) return Number.POSITIVE_INFINITY
    return Math.max(this.#maxRefused - this.#refused.size, 1)
  }

  /** Whether the device alone is known to be at fault: others were taken since it complained. */
  isAlone(device: number): boolean {
    return this.#alone.has(device)
  }

  /** The gateway has taken a notification; `true` if the credential was not known to be good before. */
  prove(): boolean {
    if (this.#proven) return false
    this.#proven = true
    return true
  }

  /** A notification was taken for `device`. */
  taken(device: number): void {
    if (this.isDoubted) {
      this.#maxRefused *= 2
      this.#taken = 0
    } else if (++this.#taken > this.#maxRefused) this.#maxRefused = MIN_REFUSED
    for (const refused of this.#refused.keys()) remember(this.#alone, refused)
    this.#refused.clear()
    this.recognised()
    this.#trippedBy = null
    this.#alone.delete(device)
  }

  /** The credential was taken, and not the token: of the complaints about anything else nothing is left. */
  recognised(): void {
    for (const device of this.#accusers.keys()) remember(this.#alone, device)
    this.#accusers.clear()
    this.#tried.clear()
    if (this.#trippedBy === 'complaints') this.#trippedBy = null
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
    const { device, isFirst, complaint, reason } = accusation
    if (complaint === 'token') {
      this.#refused.set(device, reason)
      if (this.#refused.size >= this.#maxRefused) this.#trippedBy = 'tokens'
      return this.isDoubted
    }
    const wasFirst = this.#accusers.get(device)?.isFirst === true
    this.#accusers.set(device, { ...accusation, isFirst: isFirst || wasFirst })
    remember(this.#tried, device)
    if (this.#accusers.size >= MIN_ACCUSERS) this.#trippedBy ??= 'complaints'
    return this.#trippedBy !== null
  }

  /** What to warn of when nobody else is left to be sent to; `null` for nothing. */
  get warning(): TripReason | null {
    const isNews = [...this.#accusers.values()].some(({ isFirst }) => isFirst || !this.#proven)
    return isNews ? this.tripReason : null
  }

  /** Why the breaker has tripped. */
  get tripReason(): TripReason {
    if (this.isDoubted) return this.#tokenReason()
    const byReason = Map.groupBy(this.#accusers.values(), ({ reason }) => reason)
    const [reason = '', most = []] = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
    const tried = `${this.#tried.size} ${this.#tried.size === 1 ? 'device' : 'devices'}`
    return {
      misconfigured: most.some(({ complaint }) => complaint === 'credential'),
      reason: `${reason} for ${most.length} of ${tried}`,
      ofTokens: false,
    }
  }

  #tokenReason(): TripReason {
    const reasons = [...new Set(this.#refused.values())].join(', ')
    const reason =
      `${this.#refused.size} devices that were sent to before are refused now (${reasons}), and none is taken: ` +
      'is the credential, the topic or the environment wrong?'
    return { misconfigured: true, reason, ofTokens: true }
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
