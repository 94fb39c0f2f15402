import type { Trouble } from '../verdict.ts'

/** Devices with a complaint, none accepted in between, that trip the breaker. */
const MIN_ACCUSERS = 10

const MAX_REMEMBERED = 10_000

export interface Accusation {
  readonly device: number
  readonly complaint: Trouble['state']
  readonly reason: string
  /** No other device was accepted shortly before. */
  readonly isFirst: boolean
}

/**
 * Decides whether a complaint is about one device or its whole lane: the credential, or the gateway. One device that is
 * refused holds up nobody; nor do devices that strangers register, since `Lane` lets only devices accuse a proven
 * credential that were accepted with it.
 *
 * quiet → (a device complains) → doubtful → (`MIN_ACCUSERS` devices have complained) → tripped, again by each further
 * complaint. From both: (a device is accepted) → quiet.
 *
 * Refused tokens never trip it. A device that was reached before loses its token on the second refusal, but not while
 * `MIN_ACCUSERS` such tokens are refused and nothing is accepted: the gateway may have an outage.
 */
export class Breaker {
  readonly #credential: { readonly isProven: boolean }
  #isTripped = false
  readonly #accusers = new Map<number, Accusation>()
  /** Devices reached before whose token was refused since one was accepted, with the reason. */
  readonly #refused = new Map<number, string>()
  /** Devices that were answered and not accepted since the first complaint. */
  readonly #tried = new Map<number, unknown>()
  readonly #alone = new Map<number, unknown>()

  constructor(credential: { readonly isProven: boolean }) {
    this.#credential = credential
  }

  get isQuiet(): boolean {
    return this.#accusers.size + this.#refused.size + this.#alone.size === 0 && !this.#isTripped
  }

  get isDoubtful(): boolean {
    return this.#accusers.size > 0 || this.#refused.size >= MIN_ACCUSERS
  }

  /** Whether to pick the next recipient anywhere: devices imported together may fail together. */
  get wantsSamples(): boolean {
    return this.#isTripped || this.#accusers.size >= MIN_ACCUSERS / 3
  }

  isAlone(device: number): boolean {
    return this.#alone.has(device)
  }

  accepted(device: number): void {
    for (const refused of this.#refused.keys()) remember(this.#alone, refused)
    this.#refused.clear()
    this.recognised()
    this.#alone.delete(device)
  }

  /** The gateway accepted the credential, though not the token. */
  recognised(): void {
    for (const device of this.#accusers.keys()) remember(this.#alone, device)
    this.#accusers.clear()
    this.#tried.clear()
    this.#isTripped = false
  }

  outrun(device: number): void {
    remember(this.#alone, device)
  }

  tried(device: number): void {
    if (this.#accusers.size > 0) remember(this.#tried, device)
  }

  accuse(accusation: Accusation): boolean {
    const { device, isFirst } = accusation
    const wasFirst = this.#accusers.get(device)?.isFirst === true
    this.#accusers.set(device, { ...accusation, isFirst: isFirst || wasFirst })
    remember(this.#tried, device)
    this.#isTripped ||= this.#accusers.size >= MIN_ACCUSERS
    return this.#isTripped
  }

  /** For a device that was reached before; returns whether to believe the refusal. */
  refuse(device: number, reason: string): boolean {
    if (this.#alone.has(device)) return true
    const isAgain = this.#refused.has(device)
    remember(this.#refused, device, reason)
    return isAgain && this.#refused.size < MIN_ACCUSERS
  }

  get warning(): Trouble | null {
    const isNews = [...this.#accusers.values()].some(({ isFirst }) => isFirst || !this.#credential.isProven)
    if (isNews) return this.tripReason
    if (this.#refused.size < MIN_ACCUSERS) return null
    const reasons = [...new Set(this.#refused.values())].join(', ')
    const reason =
      `${this.#refused.size} devices that were sent to before are refused now (${reasons}), and none is taken: ` +
      'is the credential, the topic or the environment wrong?'
    return { state: 'misconfigured', reason }
  }

  get tripReason(): Trouble {
    const byReason = Map.groupBy(this.#accusers.values(), ({ reason }) => reason)
    const [answer = '', most = []] = [...byReason].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
    const isRefused = most.some(({ complaint }) => complaint === 'misconfigured')
    return {
      state: isRefused ? 'misconfigured' : 'unreachable',
      reason: `${answer} for ${most.length} of ${this.#tried.size} ${this.#tried.size === 1 ? 'device' : 'devices'}`,
      answer,
    }
  }
}

function remember<Known>(devices: Map<number, Known>, device: number, known?: Known): void {
  devices.set(device, known as Known)
  if (devices.size > MAX_REMEMBERED) devices.delete(devices.keys().next().value ?? 0)
}
