/** Different devices with a complaint, none taken between, that trip the breaker. */
const MIN_COMPLAINTS = 10

/** Different tokens refused in a row that trip the breaker of a credential that is known to be good. */
const REFUSALS = 50

/** Refused tokens that are pending at the most; older ones are believed to be bad. */
const MAX_PENDING = 200

/** Devices remembered at the most of which is known that they complain alone, and as tried. */
const MAX_REMEMBERED = 1000

/**
 * What an answer to one device has against the credential: the gateway will not take the `credential` (401, 403, 404);
 * the `gateway` takes nothing (503, 429 without a project's quota, something that is no gateway); the `token` is refused,
 * or is a `mismatch` of token and credential (see `blame` in gateway/gateway.ts).
 */
export type CredentialComplaint = 'credential' | 'gateway' | 'token' | 'mismatch'

/** A complaint of one device. `Case`: what is kept of it while it is pending. */
export interface Complained<Case> {
  readonly device: number
  readonly complaint: CredentialComplaint
  /** The gateway's own word. */
  readonly reason: string
  /** Whether it complains for the first time, and no other was just taken: else it may be at fault itself. */
  readonly isFirst: boolean
  readonly subject: Case
}

/** Why the breaker tripped, and how many devices were tried. */
export interface TripReason {
  readonly misconfigured: boolean
  readonly reason: string
  /** Only tokens were refused, with a credential that is known to be good: any device may clear it. */
  readonly ofRefusals: boolean
}

type RecordedComplaint = Pick<Complained<never>, 'complaint' | 'reason' | 'isFirst'>

/**
 * Whose fault a complaint is: the device's, or the credential's. Nobody's devices are given up because a key was wrong,
 * and no device holds up the others because it alone is refused.
 *
 * quiet → (a device complains) → doubtful: each complaint is put down to its device, refused tokens are pending → (a
 * device is taken) → quiet: the pending tokens were bad. Doubtful → (`MIN_COMPLAINTS` different devices have complained)
 * → tripped: the credential was at fault; each further complaint trips it again → (a device is taken) → quiet.
 *
 * The breaker of a credential that has proven itself trips for refused tokens when `REFUSALS` of them came in a row, and
 * again for each `REFUSALS` more. None of these tokens is believed to be bad until a device is taken; and then twice as
 * many have to come the next time.
 */
export class CredentialBreaker<Case> {
  #proven: boolean
  #trippedBy: 'complaints' | 'refusals' | null = null
  /** By device; of an unproven credential its refused tokens too. */
  readonly #complaints = new Map<number, RecordedComplaint>()
  /** Devices with a refused token, of a proven credential. */
  readonly #refused = new Set<number>()
  /** Those before them, since the last was taken, for whom it tripped. */
  #refusedBefore = 0
  /** Devices answered, and not taken, since the first complaint. */
  readonly #tried = new Set<number>()
  /** Devices that complained while others were taken. */
  readonly #alone = new Set<number>()
  #pending: Complained<Case>[] = []
  #threshold = REFUSALS
  /** Taken since the threshold was raised. */
  #taken = 0

  constructor(proven: boolean) {
    this.#proven = proven
  }

  /** Nothing is held against the credential, or remembered of devices. */
  get isQuiet(): boolean {
    const none = this.#complaints.size === 0 && this.#refused.size === 0 && this.#alone.size === 0
    return this.#proven && none && this.#trippedBy === null && this.#threshold === REFUSALS
  }

  /** The credential is known to be good. */
  get isProven(): boolean {
    return this.#proven
  }

  /** The credential was known to be good, and only has tokens refused now. */
  get isDoubted(): boolean {
    return this.#trippedBy === 'refusals'
  }

  /** Devices have complained since the last was taken, or complaints are pending. */
  get isDoubtful(): boolean {
    return this.#complaints.size > 0 || this.#pending.length > 0
  }

  /** The next recipient is best from anywhere in the audience: devices that were imported together may fail together. */
  get wantsSamples(): boolean {
    return (
      this.#trippedBy !== null || this.#complaints.size >= MIN_COMPLAINTS / 3 || this.#refused.size >= MIN_COMPLAINTS
    )
  }

  /** Requests that may be in flight: where many tokens were refused in a row, no more than trip the breaker. */
  get allowance(): number {
    return this.#refused.size < MIN_COMPLAINTS
      ? Number.POSITIVE_INFINITY
      : Math.max(this.#maxRefusals - this.#refused.size, 1)
  }

  /** Whether the device alone is known to be at fault: others were taken since it complained. */
  isAlone(device: number): boolean {
    return this.#alone.has(device)
  }

  /** A notification was taken, for `device`; `true` if the credential was not known to be good before. */
  prove(): boolean {
    if (this.#proven) return false
    this.#proven = true
    return true
  }

  /** A notification was taken; gives the pending complaints: those tokens were bad. */
  taken(device: number): readonly Complained<Case>[] {
    for (const device of this.#complaints.keys()) remember(this.#alone, device)
    this.#alone.delete(device)
    if (this.#trippedBy === 'refusals') {
      this.#threshold *= 2
      this.#taken = 0
    } else if (++this.#taken > this.#threshold) this.#threshold = REFUSALS
    this.#trippedBy = null
    this.#refused.clear()
    this.#refusedBefore = 0
    this.#withdraw()
    return this.release()
  }

  /** The credential was taken, and not the token: of the complaints about it nothing is left. */
  recognised(): void {
    for (const device of this.#complaints.keys()) remember(this.#alone, device)
    if (this.#trippedBy === 'complaints') this.#trippedBy = null
    this.#withdraw()
  }

  /** A device complained, and one that was sent to after it was taken before. */
  outrun(device: number): void {
    remember(this.#alone, device)
  }

  /** A device was not taken, for its own reasons. */
  tried(device: number): void {
    if (this.#complaints.size > 0) remember(this.#tried, device)
  }

  /**
   * Records a complaint. `device`: put down to the device, as far as is known. `pending`: kept, and given back later.
   * `trip`: put down to the credential.
   */
  record(complained: Complained<Case>): 'device' | 'pending' | 'trip' {
    const isRefusal = complained.complaint === 'token' || complained.complaint === 'mismatch'
    if (isRefusal && this.#proven) return this.#recordRefusal(complained)
    const { device, complaint, reason, isFirst } = complained
    if (!isRefusal && this.#alone.has(device)) return 'device'
    this.#complaints.set(device, {
      complaint,
      reason,
      isFirst: isFirst || this.#complaints.get(device)?.isFirst === true,
    })
    remember(this.#tried, device)
    if (isRefusal) this.#pending.push(complained)
    if (this.#trippedBy === null && this.#complaints.size < MIN_COMPLAINTS) return isRefusal ? 'pending' : 'device'
    this.#trippedBy ??= 'complaints'
    return 'trip'
  }

  /** Refused tokens beyond those that may be pending: the oldest, which are believed. */
  overflow(): readonly Complained<Case>[] {
    return this.#pending.length > MAX_PENDING ? this.#pending.splice(0, this.#pending.length - MAX_PENDING) : []
  }

  /** Gives the pending complaints, and keeps them no more. */
  release(): readonly Complained<Case>[] {
    return this.#pending.length === 0 ? NONE : this.#pending.splice(0)
  }

  /**
   * Nobody is left to be sent to for now: what few tokens were refused are bad, unless there is more against the
   * credential than that.
   */
  get believesPending(): boolean {
    return !this.isDoubted && [...this.#complaints.values()].every(({ complaint }) => complaint === 'token')
  }

  /** What to warn of when nobody else is left to be sent to; `null` for nothing. */
  get warning(): TripReason | null {
    const said = [...this.#complaints.values()].some(
      ({ complaint, isFirst }) => complaint !== 'token' && (isFirst || !this.#proven),
    )
    return said ? this.#complaintsReason() : null
  }

  /** Why the breaker has tripped. */
  get tripReason(): TripReason {
    return this.#trippedBy === 'refusals' ? this.#refusalsReason() : this.#complaintsReason()
  }

  #recordRefusal(complained: Complained<Case>): 'pending' | 'trip' {
    this.recognised()
    this.#pending.push(complained)
    remember(this.#refused, complained.device, this.#maxRefusals)
    if (this.#refused.size < this.#maxRefusals) return 'pending'
    this.#trippedBy = 'refusals'
    this.#refusedBefore += this.#refused.size
    this.#refused.clear()
    return 'trip'
  }

  /** Refused tokens in a row that trip it. Once it has, those that are tried next may be bad ones by chance. */
  get #maxRefusals(): number {
    return this.isDoubted ? REFUSALS : this.#threshold
  }

  #complaintsReason(): TripReason {
    const counts = new Map<string, number>()
    for (const { reason } of this.#complaints.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const [reason = '', count = 0] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? []
    const misconfigured = [...this.#complaints.values()].some(
      (one) => one.reason === reason && one.complaint !== 'gateway',
    )
    const tried = `${this.#tried.size} ${this.#tried.size === 1 ? 'device' : 'devices'}`
    return { misconfigured, reason: `${reason} for ${count} of ${tried}`, ofRefusals: false }
  }

  #refusalsReason(): TripReason {
    const reasons = [...new Set(this.#pending.map(({ reason }) => reason))].join(', ')
    const reason =
      `the last ${this.#refusedBefore} devices were all refused (${reasons}) and none was taken: is the credential, ` +
      'the topic or the gateway wrong? If so, replace the credential, and bring devices back with bellhop devices restore'
    return { misconfigured: true, reason, ofRefusals: true }
  }

  #withdraw(): void {
    this.#complaints.clear()
    this.#tried.clear()
  }
}

const NONE: readonly never[] = []

/** The oldest go where there are too many. */
function remember(devices: Set<number>, device: number, max = MAX_REMEMBERED): void {
  devices.add(device)
  if (devices.size <= max) return
  for (const oldest of devices) {
    devices.delete(oldest)
    return
  }
}
