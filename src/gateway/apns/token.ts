import { createHash } from 'node:crypto'
import { importPKCS8, SignJWT } from 'jose'
import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/** Apple accepts a token for an hour. Renewing early keeps requests in flight valid. */
const RENEW_MS = 50 * MINUTE_MS

/** Apple refuses a new token within 20 minutes (429 TooManyProviderTokenUpdates). */
const MIN_RENEW_MS = 20 * MINUTE_MS

/**
 * A token from further ahead was signed before the clock was set back, and is replaced as soon as APNs allows. Smaller
 * steps are ignored: every new token may be one too many.
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

/** Storage across restarts, shared by all signers on this machine. */
export interface Keep {
  load(): readonly string[]
  save(text: string): void
}

/** Tokens being signed, by key. Other signers with that key wait. */
export type Signing = Map<string, Promise<Issued>>

interface SigningKey {
  readonly privateKey: string
  readonly keyId: string
  readonly teamId: string
}

export type ProviderTokens = ReturnType<typeof createProviderTokens>

/**
 * Signs values of `authorization` ("Establishing a token-based connection to APNs"): ES256, renewed after 50 minutes.
 * `keep`: shares them across restarts and processes. `signing`: shared within this process.
 */
export function createProviderTokens(key: SigningKey, clock: Clock, keep?: Keep, signing: Signing = new Map()) {
  const { keyId, teamId } = key
  const signer = createHash('sha256').update(key.privateKey).digest('base64url')
  const name = `${teamId} ${keyId} ${signer}`
  let issued: Issued | null = null
  let pending: Promise<string> | null = null
  let refused: string | null = null
  let renewedEarlyAt = Number.NEGATIVE_INFINITY
  /** Monotonic; `null`: not accepted yet. */
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
    /** Renews at most every 20 minutes, or a wrong clock would sign one token after another. */
    expired(authorization: string): void {
      if (issued?.authorization !== authorization) return
      takenAt = null
      const now = clock.now()
      if (Math.abs(now - renewedEarlyAt) < MIN_RENEW_MS) return
      renewedEarlyAt = now
      refused = authorization
      issued = null
    },
    /** APNs accepted `authorization`, and refuses another for 20 minutes. */
    taken(authorization: string): void {
      if (takenAt === null && issued?.authorization === authorization) takenAt = clock.monotonic()
    },
    /** Whether it was issued after now or after `at`. */
    isAhead(authorization: string, at: number | null): boolean {
      if (issued?.authorization !== authorization) return false
      // `iat` and `date` are whole seconds.
      return issued.at - SECOND_MS >= Math.min(clock.now(), at ?? Number.POSITIVE_INFINITY)
    },
  }
}
