/*
 * Bun keeps 64 idle connections for each TLS configuration of all its sessions together: one more closes the one that
 * was idle longest. Of 60 configurations in use it drops the oldest with all its connections (both measured, 1.4.5: of
 * 300 credentials with one configuration each push had a new connection).
 */

/** Credentials that share a pool of 64: each keeps one connection at rest, and some need more at times. */
const MEMBERS = 32

/** With the certificates fewer than 60, for whatever else has a configuration of its own. */
const MAX_POOLS = 32
const MAX_CERTIFICATES = 24

/** A credential's place among the idle connections. */
export interface IdlePlace {
  /** What tells its pool's TLS configuration from the others: bits of `secureOptions` that BoringSSL gives no meaning. */
  readonly secureOptions: number
  leave(): void
}

/** Spreads credentials over pools of idle connections, so that each keeps its connection however many there are. */
export class IdlePools {
  readonly #members: number[] = []
  /** How many places each TLS client certificate has taken. Each is a configuration, and so a pool, of its own. */
  readonly #certificates = new Map<string, number>()

  /** `null`: there are more certificates than can have pools. */
  take({ cert }: { readonly cert?: string }): IdlePlace | null {
    return cert === undefined ? this.#shared() : this.#ofCertificate(cert)
  }

  #shared(): IdlePlace {
    const fewest = Math.min(...this.#members)
    const full = fewest >= MEMBERS && this.#members.length < MAX_POOLS
    const pool = full ? this.#members.length : this.#members.indexOf(fewest)
    this.#members[pool] = (this.#members[pool] ?? 0) + 1
    return {
      secureOptions: pool,
      leave: () => {
        this.#members[pool] = (this.#members[pool] ?? 1) - 1
      },
    }
  }

  #ofCertificate(cert: string): IdlePlace | null {
    const places = this.#certificates.get(cert) ?? 0
    if (places === 0 && this.#certificates.size >= MAX_CERTIFICATES) return null
    this.#certificates.set(cert, places + 1)
    return {
      secureOptions: 0,
      leave: () => {
        const left = (this.#certificates.get(cert) ?? 1) - 1
        if (left === 0) this.#certificates.delete(cert)
        else this.#certificates.set(cert, left)
      },
    }
  }
}
