import { createHash } from 'node:crypto'
import { importPKCS8, SignJWT } from 'jose'
import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/** Apple takes a token for an hour; renewing earlier keeps those in flight valid. */
const RENEW_MS = 50 * MINUTE_MS

/** Apple refuses new tokens more often than every 20 minutes (429 TooManyProviderTokenUpdates). */
const MIN_RENEW_MS = 20 * MINUTE_MS

/**
 * A token from further in the future was made before the clock was set back: it is replaced as soon as APNs allows. A
 * smaller step is ignored, since each new token may be one too many.
 */
const MAX_AHEAD_MS = 5 * MINUTE_MS

interface Issued {
  readonly authorization: string
  readonly at: number
  readonly keyId: string
  readonly teamId: string
  /** Digest of the private key. Absent in tokens of older versions. */
  readonly signer?: string
}

/** Keeps texts across restarts, for everything on this machine that signs. */
export interface Keep {
  load(): readonly string[]
  save(text: string): void
}

/** Tokens being signed, by key: others with the same key wait for that one. */
export type Signing = Map<string, Promise<Issued>>

interface SigningKey {
  readonly privateKey: string
  readonly keyId: string
  readonly teamId: string
}

/** The provider token of one signing key, as the value of `authorization`. */
export type ProviderTokens = ReturnType<typeof createProviderTokens>

/**
 * Signs provider tokens ("Establishing a token-based connection to APNs"): ES256, renewed after 50 minutes. `keep`: the
 * token in use survives a restart and is shared with other processes that sign with the key. `signing`: shared by all
 * in this process.
 */
export function createProviderTokens(key: SigningKey, clock: Clock, keep?: Keep, signing: Signing = new Map()) {
  const { keyId, teamId } = key
  const signer = createHash('sha256').update(key.privateKey).digest('base64url')
  const name = `${teamId} ${keyId} ${signer}`
  let issued: Issued | null = null
  let pending: Promise<string> | null = null
  let refused: string | null = null
  let renewedEarlyAt = Number.NEGATIVE_INFINITY
  /** When APNs first took `issued`, by the monotonic clock; `null`: not yet. */
  let takenAt: number | null = null

  async function sign(): Promise<Issued> {
    const at = clock.now()
    const jwt = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(at / 1000))
      .sign(await importPKCS8(key.privateKey, 'ES256'))
    const signed = { authorization: `bearer ${jwt}`, at, keyId, teamId, signer }
    keep?.save(JSON.stringify(signed))
    return signed
  }

  async function renew(): Promise<string> {
    const under = signing.get(name) ?? sign().finally(() => signing.delete(name))
    signing.set(name, under)
    issued = await under
    takenAt = null
    return issued.authorization
  }

  function find(): Issued | null {
    const found = (keep?.load() ?? [])
      // The seal vouches for the content.
      .map((text) => JSON.parse(text) as Issued)
      .filter((one) => one.keyId === keyId && one.teamId === teamId && (one.signer ?? signer) === signer)
      .filter((one) => one.authorization !== refused && isFresh(one))
    return found.toSorted((a, b) => b.at - a.at)[0] ?? null
  }

  function isFresh({ at }: Issued): boolean {
    const ageMs = clock.now() - at
    return ageMs >= -MAX_AHEAD_MS && ageMs < RENEW_MS
  }

  function isUsable(one: Issued): boolean {
    if (clock.now() - one.at >= -MAX_AHEAD_MS) return isFresh(one)
    return takenAt !== null && clock.monotonic() - takenAt < MIN_RENEW_MS
  }

  return {
    /** Rejects if the key cannot be used. */
    current(): string | Promise<string> {
      if (issued !== null && isUsable(issued)) return issued.authorization
      if (pending !== null) return pending
      const found = find()
      if (found !== null) {
        issued = found
        takenAt = null
        return found.authorization
      }
      pending = renew().finally(() => (pending = null))
      return pending
    },
    /**
     * APNs says that `authorization` has expired: it is renewed, but only once in 20 minutes. Otherwise a machine with a
     * wrong clock would sign one after the other.
     */
    expired(authorization: string): void {
      if (issued?.authorization !== authorization) return
      takenAt = null
      const now = clock.now()
      if (Math.abs(now - renewedEarlyAt) < MIN_RENEW_MS) return
      renewedEarlyAt = now
      refused = authorization
      issued = null
    },
    /** APNs took `authorization`, and refuses another one for 20 minutes. */
    taken(authorization: string): void {
      if (takenAt === null && issued?.authorization === authorization) takenAt = clock.monotonic()
    },
    /** Whether `authorization` was issued after `at` (ms since the Unix epoch), or after the clock's time. */
    isAhead(authorization: string, at: number | null): boolean {
      if (issued?.authorization !== authorization) return false
      // The times of issue and of an answer are whole seconds.
      return issued.at - SECOND_MS >= Math.min(clock.now(), at ?? Number.POSITIVE_INFINITY)
    },
  }
}
