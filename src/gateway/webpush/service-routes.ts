import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { pushServiceMaker, SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../device/webpush/push-services.ts'
import { addressIn, isPublic } from '../../network/special-networks.ts'
import { DEADLINE_MS } from '../transport/transport.ts'
import type { OpenTransport, Transport } from '../transport/transport.ts'

/** All addresses of a host; rejects where it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** Push services with a connection at one time: a stranger's endpoint may name any subdomain of a known one. */
const MAX_ROUTES = 100

/** How long the addresses of a host are believed, in ms. */
const ADDRESSES_MS = 5 * MINUTE_MS

interface ServiceRoutesOptions {
  readonly clock: Clock
  readonly openTransport: OpenTransport
  /** PEM. */
  readonly ca?: string
  readonly resolve: Resolve | null
  readonly relay?: string
}

/** The way to one push service. */
interface OpenRoute {
  readonly kind: 'open'
  readonly transport: Transport
  /** Whose push service it is; `null`: the path of an endpoint says it. */
  readonly maker: PushServiceMaker | null
  pathOf(endpoint: URL): string
}

/** Why there is none now. */
export type FoundRoute = OpenRoute | { readonly kind: 'closed'; readonly reason: string }

/**
 * A transport for each push service, those that were used last. The addresses of a host that strangers may have named
 * are looked at before anything is sent to it, and again every few minutes.
 *
 * unknown → (its addresses are public, or it is named) → open → (5 minutes) → looked at again. Any → (others are used
 * more) → closed, when its requests are over.
 */
export class ServiceRoutes {
  readonly #options: ServiceRoutesOptions
  readonly #routes = new Map<string, OpenRoute>()
  /** By origin: until when its addresses are believed. */
  readonly #believed = new Map<string, number>()

  constructor(options: ServiceRoutesOptions) {
    this.#options = options
  }

  get connections(): number {
    return [...this.#routes.values()].reduce((sum, { transport }) => sum + (transport.connections ?? 0), 0)
  }

  /** The way to the push service of an endpoint. `isNamed`: by the operator, who may send anywhere. */
  find(endpoint: URL, isNamed: boolean): FoundRoute | Promise<FoundRoute> {
    const { resolve, relay, clock } = this.#options
    const { origin } = endpoint
    if (isNamed || relay !== undefined || resolve === null) return this.#open(origin)
    const leftMs = (this.#believed.get(origin) ?? 0) - clock.now()
    if (leftMs > 0 && leftMs <= ADDRESSES_MS) return this.#open(origin)
    return this.#guard(endpoint, resolve)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#routes.values()].map(({ transport }) => transport[Symbol.asyncDispose]()))
  }

  async #guard(endpoint: URL, resolve: Resolve): Promise<FoundRoute> {
    const { origin, hostname } = endpoint
    const literal = addressIn(endpoint)
    const addresses = literal === null ? await resolve(hostname).catch(() => []) : [literal]
    if (addresses.length === 0) return { kind: 'closed', reason: 'no address' }
    if (!addresses.every(isPublic)) return { kind: 'closed', reason: 'private address' }
    this.#believed.set(origin, this.#options.clock.now() + ADDRESSES_MS)
    return this.#open(origin)
  }

  #open(origin: string): OpenRoute {
    const { openTransport, ca, relay } = this.#options
    const known = this.#routes.get(origin)
    if (known !== undefined && this.#routes.size < MAX_ROUTES) return known
    const options = { deadlineMs: DEADLINE_MS, olderWillDo: true, ...(ca === undefined ? undefined : { ca }) }
    const route: OpenRoute = known ?? {
      kind: 'open',
      transport: openTransport(relay ?? origin, options),
      maker: origin === SIMULATED_SERVICE ? null : pushServiceMaker(new URL(origin)),
      // Told apart by the endpoint's host, which a push service finds in its own address.
      pathOf: ({ host, pathname, search }) => `${relay === undefined ? '' : `/relay/${host}`}${pathname}${search}`,
    }
    this.#routes.delete(origin)
    this.#routes.set(origin, route)
    for (const [oldest, { transport }] of this.#routes) {
      if (this.#routes.size <= MAX_ROUTES) break
      this.#routes.delete(oldest)
      this.#believed.delete(oldest)
      void transport[Symbol.asyncDispose]()
    }
    return route
  }
}
