import { createHash } from 'node:crypto'
import { importPKCS8, SignJWT } from 'jose'
import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/** Apple takes a token for an hour; a new one in good time keeps those in flight valid. */
const RENEW_MS = 50 * MINUTE_MS

/** Apple refuses new tokens more often than every 20 minutes (429 TooManyProviderTokenUpdates). */
const MIN_RENEW_MS = 20 * MINUTE_MS

/**
 * A token from further ahead than this was made by a clock that has been put back since: another one is made, as soon as
 * APNs allows it. A smaller step is forgiven: each new token may be one too many.
 */
const MAX_AHEAD_MS = 5 * MINUTE_MS

/** What the header says, since when (ms since the Unix epoch), and with which key. */
interface Issued {
  readonly authorization: string
  readonly at: number
  readonly keyId: string
  readonly teamId: string
  /** Digest of the private key. Absent: made by a version that wrote none. */
  readonly signer?: string
}

/** Keeps texts over restarts, for all who sign on this machine. */
export interface Keep {
  /** Texts of any key, also of other processes. */
  load(): readonly string[]
  save(text: string): void
}

/** By key: a token that is being signed. Whoever else has the same key waits for that one. */
export type Signing = Map<string, Promise<Issued>>

interface SigningKey {
  readonly privateKey: string
  readonly keyId: string
  readonly teamId: string
}

/** The provider token of one signing key, as the value of `authorization`. */
export interface ProviderTokens {
  /** Rejects if the key cannot be used. */
  current(): string | Promise<string>
  /**
   * APNs said that `authorization` has expired: renews it, whatever its age, but no second time within 20 minutes. A
   * machine whose clock is wrong would otherwise sign one after the other, all of them expired.
   */
  expired(authorization: string): void
  /** APNs took `authorization`: it would refuse another one for 20 minutes. */
  taken(authorization: string): void
  /** Whether `authorization` was issued later than at `at`, ms since the Unix epoch, or than it is by this clock. */
  isAhead(authorization: string, at: number | null): boolean
}

/**
 * Signs provider tokens ("Establishing a token-based connection to APNs"): ES256, renewed after 50 minutes, one
 * signature at a time however many ask. With `keep` the one in use survives a restart, and is shared: a token that somebody
 * else has made with the same key is used in place of a new one. `signing`: shared by all in this process.
 */
export function createProviderTokens(
  key: SigningKey,
  clock: Clock,
  keep?: Keep,
  signing: Signing = new Map(),
): ProviderTokens {
  const { keyId, teamId } = key
  const signer = createHash('sha256').update(key.privateKey).digest('base64url')
  const name = `${teamId} ${keyId} ${signer}`
  let issued: Issued | null = null
  let pending: Promise<string> | null = null
  /** The token that APNs called expired last. */
  let refused: string | null = null
  let renewedEarlyAt = Number.NEGATIVE_INFINITY
  /** Since when APNs has taken `issued`, by the monotonic clock; `null`: it has not. */
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

  /** The newest usable token of this key that was kept. */
  function find(): Issued | null {
    const found = (keep?.load() ?? [])
      // The seal vouches for what is inside.
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
    current() {
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
    expired(authorization) {
      if (issued?.authorization !== authorization) return
      takenAt = null
      const now = clock.now()
      if (Math.abs(now - renewedEarlyAt) < MIN_RENEW_MS) return
      renewedEarlyAt = now
      refused = authorization
      issued = null
    },
    taken(authorization) {
      if (takenAt === null && issued?.authorization === authorization) takenAt = clock.monotonic()
    },
    isAhead(authorization, at) {
      if (issued?.authorization !== authorization) return false
      // The times of issue and of an answer are whole seconds.
      return issued.at - SECOND_MS >= Math.min(clock.now(), at ?? Number.POSITIVE_INFINITY)
    },
  }
}
