/** So many different devices complain of a credential, and none is taken between, before it is accused. */
const WITNESSES = 10

/** So many different tokens in a row are refused with a credential that is known to be good, before it is doubted. */
const REFUSALS = 50

/** Refused tokens set aside at the most: those before them are believed to be bad. */
const MAX_ASIDE = 200

/** Devices remembered at the most of which is known that they complain alone, and as tried. */
const MAX_REMEMBERED = 1000

/**
 * What an answer to one device has against the credential: the gateway will not take the `credential` (401, 403, 404);
 * the `gateway` takes nothing (503, 429 without a project's quota, something that is no gateway); the `token` is refused,
 * or is a `mismatch` of token and credential (see `blame` in `delivery.ts`).
 */
export type CredentialComplaint = 'credential' | 'gateway' | 'token' | 'mismatch'

/** A complaint of one device. `Case` is what is known of it, to be set aside. */
export interface Complained<Case> {
  readonly device: number
  readonly complaint: CredentialComplaint
  /** The gateway's own word. */
  readonly reason: string
  /** Whether it complains for the first time, and no other was just taken: else it may be at fault itself. */
  readonly isFirst: boolean
  readonly subject: Case
}

/** Whom to blame, and how many devices were tried. */
export interface Accusation {
  readonly misconfigured: boolean
  readonly reason: string
  /** Only tokens were refused, with a credential that is known to be good: any device may clear it. */
  readonly ofRefusals: boolean
}

type Witness = Pick<Complained<never>, 'complaint' | 'reason' | 'isFirst'>

/**
 * Whose fault a complaint is: the device's, or the credential's. Nobody's devices are given up because a key was wrong,
 * and no device holds up the others because it alone is refused.
 *
 * quiet → (a device complains) → doubted: each complaint is its device's, refused tokens are set aside → (a device is
 * taken) → quiet: those set aside were bad. doubted → (`WITNESSES` different devices have complained) → accused: so was
 * the credential; each further complaint accuses it again → (a device is taken) → quiet.
 *
 * A credential that has proven itself is not doubted for its refused tokens until `REFUSALS` of them came in a row; then
 * it is accused as well, and again for each `REFUSALS` more. None of them is believed until a device is taken; and then
 * twice as many have to come the next time.
 */
export class CredentialBreaker<Case> {
  #proven: boolean
  #accusedOf: 'complaints' | 'refusals' | null = null
  /** By device; of an unproven credential its refused tokens too. */
  readonly #witnesses = new Map<number, Witness>()
  /** Devices with a refused token, of a proven credential. */
  readonly #refused = new Set<number>()
  /** Those before them, since the last was taken, for whom it was accused. */
  #refusedBefore = 0
  /** Devices answered, and not taken, since the first complaint. */
  readonly #tried = new Set<number>()
  /** Devices that complained while others were taken. */
  readonly #alone = new Set<number>()
  #aside: Complained<Case>[] = []
  #threshold = REFUSALS
  /** Taken since the threshold was raised. */
  #taken = 0

  constructor(proven: boolean) {
    this.#proven = proven
  }

  /** Nothing is held against the credential, or remembered of devices. */
  get isQuiet(): boolean {
    const none = this.#witnesses.size === 0 && this.#refused.size === 0 && this.#alone.size === 0
    return this.#proven && none && this.#accusedOf === null && this.#threshold === REFUSALS
  }

  /** The credential is known to be good. */
  get isProven(): boolean {
    return this.#proven
  }

  /** It was known to be good, and only has tokens refused now. */
  get isDoubted(): boolean {
    return this.#accusedOf === 'refusals'
  }

  /** Devices have complained since the last was taken, or were set aside. */
  get isDoubtful(): boolean {
    return this.#witnesses.size > 0 || this.#aside.length > 0
  }

  /** The next one to be asked is best another one than its neighbours: what was imported together may fail together. */
  get asksAround(): boolean {
    return this.#accusedOf !== null || this.#witnesses.size >= WITNESSES / 3 || this.#refused.size >= WITNESSES
  }

  /** Requests that may be in flight: where many tokens were refused in a row, no more than are needed to accuse it. */
  get allowance(): number {
    return this.#refused.size < WITNESSES ? Number.POSITIVE_INFINITY : Math.max(this.#patience - this.#refused.size, 1)
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

  /** A notification was taken; gives those set aside, which were bad. */
  taken(device: number): readonly Complained<Case>[] {
    for (const witness of this.#witnesses.keys()) remember(this.#alone, witness)
    this.#alone.delete(device)
    if (this.#accusedOf === 'refusals') {
      this.#threshold *= 2
      this.#taken = 0
    } else if (++this.#taken > this.#threshold) this.#threshold = REFUSALS
    this.#accusedOf = null
    this.#refused.clear()
    this.#refusedBefore = 0
    this.#withdraw()
    return this.release()
  }

  /** The credential was taken, and not the token: of the complaints about it nothing is left. */
  recognised(): void {
    for (const witness of this.#witnesses.keys()) remember(this.#alone, witness)
    if (this.#accusedOf === 'complaints') this.#accusedOf = null
    this.#withdraw()
  }

  /** A device complained, and one that was sent to after it was taken before. */
  outrun(device: number): void {
    remember(this.#alone, device)
  }

  /** A device was not taken, for its own reasons. */
  tried(device: number): void {
    if (this.#witnesses.size > 0) remember(this.#tried, device)
  }

  /** `own`: the device's fault, as far as is known. `aside`: it was kept, and comes back later. */
  weigh(complained: Complained<Case>): 'own' | 'aside' | 'accuse' {
    const isRefusal = complained.complaint === 'token' || complained.complaint === 'mismatch'
    if (isRefusal && this.#proven) return this.#weighRefusal(complained)
    const { device, complaint, reason, isFirst } = complained
    if (!isRefusal && this.#alone.has(device)) return 'own'
    this.#witnesses.set(device, {
      complaint,
      reason,
      isFirst: isFirst || this.#witnesses.get(device)?.isFirst === true,
    })
    remember(this.#tried, device)
    if (isRefusal) this.#aside.push(complained)
    if (this.#accusedOf === null && this.#witnesses.size < WITNESSES) return isRefusal ? 'aside' : 'own'
    this.#accusedOf ??= 'complaints'
    return 'accuse'
  }

  /** Refused tokens beyond those that can be set aside: the oldest, which are believed. */
  overflow(): readonly Complained<Case>[] {
    return this.#aside.length > MAX_ASIDE ? this.#aside.splice(0, this.#aside.length - MAX_ASIDE) : []
  }

  /** Those set aside, for good. */
  release(): readonly Complained<Case>[] {
    return this.#aside.length === 0 ? NONE : this.#aside.splice(0)
  }

  /**
   * Nobody is left to be sent to for now: what few tokens were refused are bad, unless there is more against the
   * credential than that.
   */
  get believesAside(): boolean {
    return !this.isDoubted && [...this.#witnesses.values()].every(({ complaint }) => complaint === 'token')
  }

  /** What is to be said of the credential when nobody else is left to be asked; `null` for nothing. */
  get rumour(): Accusation | null {
    const said = [...this.#witnesses.values()].some(
      ({ complaint, isFirst }) => complaint !== 'token' && (isFirst || !this.#proven),
    )
    return said ? this.#accusation() : null
  }

  /** What to say of the credential once it is accused. */
  get accusation(): Accusation {
    return this.#accusedOf === 'refusals' ? this.#doubt() : this.#accusation()
  }

  #weighRefusal(complained: Complained<Case>): 'aside' | 'accuse' {
    this.recognised()
    this.#aside.push(complained)
    remember(this.#refused, complained.device, this.#patience)
    if (this.#refused.size < this.#patience) return 'aside'
    this.#accusedOf = 'refusals'
    this.#refusedBefore += this.#refused.size
    this.#refused.clear()
    return 'accuse'
  }

  /** Refused tokens in a row before it is accused. Once it is, those who are asked next may be bad ones by chance. */
  get #patience(): number {
    return this.isDoubted ? REFUSALS : this.#threshold
  }

  #accusation(): Accusation {
    const counts = new Map<string, number>()
    for (const { reason } of this.#witnesses.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const [reason = '', count = 0] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? []
    const misconfigured = [...this.#witnesses.values()].some(
      (one) => one.reason === reason && one.complaint !== 'gateway',
    )
    const tried = `${this.#tried.size} ${this.#tried.size === 1 ? 'device' : 'devices'}`
    return { misconfigured, reason: `${reason} for ${count} of ${tried}`, ofRefusals: false }
  }

  #doubt(): Accusation {
    const reasons = [...new Set(this.#aside.map(({ reason }) => reason))].join(', ')
    const reason =
      `the last ${this.#refusedBefore} devices were all refused (${reasons}) and none was taken: is the credential, ` +
      'the topic or the gateway wrong? If so, replace the credential, and bring devices back with bellhop devices restore'
    return { misconfigured: true, reason, ofRefusals: true }
  }

  #withdraw(): void {
    this.#witnesses.clear()
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
