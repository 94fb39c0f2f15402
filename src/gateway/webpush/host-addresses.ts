import { MINUTE_MS, SECOND_MS, within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { mayBeMadeUp, pushServiceOrigin } from '../../device/webpush/push-services.ts'
import { isPublic } from '../../network/special-networks.ts'
import { forgetOldest } from '../../text/forget-oldest.ts'

/** Rejects if the host has no address. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** How long a host's addresses are believed, and how long a possibly made-up host has none. */
const GOOD_MS = 5 * MINUTE_MS
const BAD_MS = 30 * SECOND_MS

/** Timeout of a lookup, and how long a recipient waits for a possibly made-up host. */
const LOOKUP_MS = 5 * SECOND_MS
const PATIENCE_MS = 1 * SECOND_MS

/** Of possibly made-up hosts of one push service. */
const MAX_LOOKUPS = 4

const MAX_HOSTS = 2000

export type HostRefusal = 'no address' | 'private address' | 'its address is being looked up'

interface Found {
  readonly refusal: HostRefusal | null
  readonly from: number
  readonly until: number
}

interface MadeUp {
  lookups: number
  /** A lookup took too long, and none was quick since: nobody waits. */
  isSlow: boolean
  /** Hosts that wait for a lookup, by recipients that asked. */
  readonly wanted: Map<string, number>
}

/**
 * Looks up endpoints' hosts before anything is sent. Strangers can make up hosts of a known push service: few of those
 * are looked up at a time, the most wanted first.
 */
export class HostAddresses {
  readonly #resolve: Resolve
  readonly #clock: Clock
  readonly #found = new Map<string, Found>()
  readonly #pending = new Map<string, Promise<HostRefusal | null>>()
  readonly #madeUp = new Map<string, MadeUp>()

  constructor(resolve: Resolve, clock: Clock) {
    this.#resolve = resolve
    this.#clock = clock
  }

  /** Why nothing may be sent to the endpoint's host now; `null`: it may. */
  refusal(endpoint: URL): HostRefusal | null | Promise<HostRefusal | null> {
    const { hostname } = endpoint
    const found = this.#found.get(hostname)
    const now = this.#clock.now()
    if (found !== undefined && found.from <= now && now < found.until) return found.refusal
    const pending = this.#pending.get(hostname)
    if (!mayBeMadeUp(endpoint)) return pending ?? this.#lookUp(hostname, 0)
    const service = this.#serviceOf(endpoint)
    if (pending === undefined && service.lookups >= MAX_LOOKUPS) {
      const wanted = (service.wanted.get(hostname) ?? 0) + 1
      service.wanted.delete(hostname)
      service.wanted.set(hostname, wanted)
      forgetOldest(service.wanted, MAX_HOSTS)
      return LATER
    }
    const lookup = pending ?? this.#lookUpOne(hostname, service)
    return service.isSlow ? LATER : this.#waitFor(lookup, service)
  }

  async #waitFor(lookup: Promise<HostRefusal | null>, service: MadeUp): Promise<HostRefusal | null> {
    const refusal = await within(this.#clock, PATIENCE_MS, lookup, LATER)
    if (refusal === LATER) service.isSlow = true
    return refusal
  }

  async #lookUpOne(hostname: string, service: MadeUp): Promise<HostRefusal | null> {
    const since = this.#clock.monotonic()
    service.lookups++
    service.wanted.delete(hostname)
    const refusal = await this.#lookUp(hostname, BAD_MS)
    if (this.#clock.monotonic() - since < PATIENCE_MS) service.isSlow = false
    service.lookups--
    const [next] = [...service.wanted].toSorted(([, a], [, b]) => b - a)
    if (next !== undefined && service.lookups < MAX_LOOKUPS) void this.#lookUpOne(next[0], service)
    return refusal
  }

  /** `badMs`: how long a refusal holds. */
  #lookUp(hostname: string, badMs: number): Promise<HostRefusal | null> {
    const lookup = this.#ask(hostname).then((refusal) => {
      const from = this.#clock.now()
      this.#pending.delete(hostname)
      this.#found.delete(hostname)
      this.#found.set(hostname, { refusal, from, until: from + (refusal === null ? GOOD_MS : badMs) })
      forgetOldest(this.#found, MAX_HOSTS)
      return refusal
    })
    this.#pending.set(hostname, lookup)
    return lookup
  }

  async #ask(hostname: string): Promise<HostRefusal | null> {
    const addresses = await within(
      this.#clock,
      LOOKUP_MS,
      this.#resolve(hostname).catch(() => []),
      [],
    )
    if (addresses.length === 0) return 'no address'
    return addresses.every(isPublic) ? null : 'private address'
  }

  #serviceOf(endpoint: URL): MadeUp {
    const origin = pushServiceOrigin(endpoint)
    let service = this.#madeUp.get(origin)
    if (service === undefined) this.#madeUp.set(origin, (service = { lookups: 0, isSlow: false, wanted: new Map() }))
    return service
  }
}

const LATER = 'its address is being looked up'
