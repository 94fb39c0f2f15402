import { mayBeMadeUp, pushServiceMaker, SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../device/webpush/push-services.ts'
import { DEADLINE_MS } from '../transport/transport.ts'
import type { OpenTransport, Transport } from '../transport/transport.ts'
import type { HostAddresses, HostRefusal } from './host-addresses.ts'

/** A stranger's endpoint may name any subdomain of a known host. */
const MAX_ROUTES = 100

export interface ServiceRoutesOptions {
  readonly openTransport: OpenTransport
  readonly ca?: string | undefined
  readonly hosts: HostAddresses | null
  /** The simulator's origin in place of the endpoint's. */
  readonly relay?: (endpoint: string) => string
}

interface OpenRoute {
  readonly kind: 'open'
  readonly transport: Transport
  /** `null`: the endpoint's path says it. */
  readonly maker: PushServiceMaker | null
  readonly scope: FailureScope
  pathOf(endpoint: URL): string
}

interface ClosedRoute {
  readonly kind: 'closed'
  readonly reason: string
  readonly scope: FailureScope
}

/** Who waits for an unreachable host: its push service, or one device if the host may be made up. */
type FailureScope = 'service' | 'device'

export type FoundRoute = OpenRoute | ClosedRoute

/** Of the hosts used last. Hosts that strangers may have named are looked up first, and again every few minutes. */
export class ServiceRoutes {
  readonly #options: ServiceRoutesOptions
  /** By the endpoint's origin and relay. */
  readonly #routes = new Map<string, OpenRoute>()

  constructor(options: ServiceRoutesOptions) {
    this.#options = options
  }

  get connections(): number {
    return [...this.#routes.values()].reduce((sum, { transport }) => sum + (transport.connections ?? 0), 0)
  }

  /** `isNamed`: the operator allows any address. */
  find(endpoint: URL, isNamed: boolean): FoundRoute | Promise<FoundRoute> {
    const { hosts, relay } = this.#options
    const refusal = isNamed || hosts === null || relay !== undefined ? null : hosts.refusal(endpoint)
    if (refusal instanceof Promise) return refusal.then((found) => this.#routeTo(endpoint, found))
    return this.#routeTo(endpoint, refusal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#routes.values()].map(({ transport }) => transport[Symbol.asyncDispose]()))
  }

  #routeTo(endpoint: URL, refusal: HostRefusal | null): FoundRoute {
    if (refusal === null) return this.#open(endpoint)
    return { kind: 'closed', reason: refusal, scope: scopeOf(endpoint) }
  }

  #open(endpoint: URL): OpenRoute {
    const { openTransport, ca, relay } = this.#options
    const { origin } = endpoint
    const relayed = relay?.(endpoint.href)
    const name = relayed === undefined ? origin : `${origin} by ${relayed}`
    const known = this.#routes.get(name)
    if (known !== undefined && this.#routes.size < MAX_ROUTES) return known
    const options = { deadlineMs: DEADLINE_MS, olderWillDo: true, ca }
    const route: OpenRoute = known ?? {
      kind: 'open',
      transport: openTransport(relayed ?? origin, options),
      maker: origin === SIMULATED_SERVICE ? null : pushServiceMaker(endpoint),
      scope: scopeOf(endpoint),
      // The relay tells push services apart by the endpoint's host.
      pathOf: ({ host, pathname, search }) => `${relayed === undefined ? '' : `/relay/${host}`}${pathname}${search}`,
    }
    this.#routes.delete(name)
    this.#routes.set(name, route)
    for (const [oldest, { transport }] of this.#routes) {
      if (this.#routes.size <= MAX_ROUTES) break
      this.#routes.delete(oldest)
      void transport[Symbol.asyncDispose]()
    }
    return route
  }
}

function scopeOf(endpoint: URL): FailureScope {
  return mayBeMadeUp(endpoint) ? 'device' : 'service'
}
