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
}

/** Keeps a text over restarts. */
export interface Keep {
  load(): string | null
  save(text: string): void
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
 * signature at a time however many ask. With `keep` the one in use survives a restart.
 */
export function createProviderTokens(
  key: { readonly privateKey: string; readonly keyId: string; readonly teamId: string },
  clock: Clock,
  keep?: Keep,
): ProviderTokens {
  const { keyId, teamId } = key
  let issued = kept(keep, keyId, teamId)
  let pending: Promise<string> | null = null
  let renewedEarlyAt = Number.NEGATIVE_INFINITY
  /** Since when APNs has taken `issued`, by the monotonic clock; `null`: it has not. */
  let takenAt: number | null = null

  async function sign(): Promise<string> {
    const at = clock.now()
    const jwt = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(at / 1000))
      .sign(await importPKCS8(key.privateKey, 'ES256'))
    issued = { authorization: `bearer ${jwt}`, at, keyId, teamId }
    takenAt = null
    keep?.save(JSON.stringify(issued))
    return issued.authorization
  }

  function isUsable({ at }: Issued): boolean {
    const ageMs = clock.now() - at
    if (ageMs >= -MAX_AHEAD_MS) return ageMs < RENEW_MS
    return takenAt !== null && clock.monotonic() - takenAt < MIN_RENEW_MS
  }

  return {
    current() {
      if (issued !== null && isUsable(issued)) return issued.authorization
      pending ??= sign().finally(() => (pending = null))
      return pending
    },
    expired(authorization) {
      if (issued?.authorization !== authorization) return
      takenAt = null
      const now = clock.now()
      if (Math.abs(now - renewedEarlyAt) < MIN_RENEW_MS) return
      renewedEarlyAt = now
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

/** The token of an earlier run, if it was made with this key. */
function kept(keep: Keep | undefined, keyId: string, teamId: string): Issued | null {
  const text = keep?.load() ?? null
  if (text === null) return null
  // The seal vouches for what is inside.
  const issued = JSON.parse(text) as Issued
  return issued.keyId === keyId && issued.teamId === teamId ? issued : null
}
