import { mayBeMadeUp, pushServiceMaker, SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../device/webpush/push-services.ts'
import { DEADLINE_MS } from '../transport/transport.ts'
import type { OpenTransport, Transport } from '../transport/transport.ts'
import type { HostAddresses, HostRefusal } from './host-addresses.ts'

/** Hosts with a connection at one time: a stranger's endpoint may name any subdomain of a known one. */
const MAX_ROUTES = 100

interface ServiceRoutesOptions {
  readonly openTransport: OpenTransport
  /** PEM. */
  readonly ca?: string
  readonly hosts: HostAddresses | null
  readonly relay?: (endpoint: string) => string
}

/** The way to one host of a push service. */
interface OpenRoute {
  readonly kind: 'open'
  readonly transport: Transport
  /** Whose push service it is; `null`: the path of an endpoint says it. */
  readonly maker: PushServiceMaker | null
  readonly scope: FailureScope
  pathOf(endpoint: URL): string
}

/** Why there is none now. */
interface ClosedRoute {
  readonly kind: 'closed'
  readonly reason: string
  readonly scope: FailureScope
}

/** Who waits where a host cannot be reached: everybody of its push service, or one device, since the host may be made up. */
type FailureScope = 'service' | 'device'

export type FoundRoute = OpenRoute | ClosedRoute

/**
 * A transport for each host of a push service, those that were used last. The addresses of a host that strangers may
 * have named are looked at before anything is sent to it, and again every few minutes.
 */
export class ServiceRoutes {
  readonly #options: ServiceRoutesOptions
  /** By the origin of the endpoint, and where it is relayed to. */
  readonly #routes = new Map<string, OpenRoute>()

  constructor(options: ServiceRoutesOptions) {
    this.#options = options
  }

  get connections(): number {
    return [...this.#routes.values()].reduce((sum, { transport }) => sum + (transport.connections ?? 0), 0)
  }

  /** The way to the push service of an endpoint. `isNamed`: by the operator, who may send anywhere. */
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
    const options = { deadlineMs: DEADLINE_MS, olderWillDo: true, ...(ca === undefined ? undefined : { ca }) }
    const route: OpenRoute = known ?? {
      kind: 'open',
      transport: openTransport(relayed ?? origin, options),
      maker: origin === SIMULATED_SERVICE ? null : pushServiceMaker(endpoint),
      scope: scopeOf(endpoint),
      // Told apart by the endpoint's host, which a push service finds in its own address.
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
