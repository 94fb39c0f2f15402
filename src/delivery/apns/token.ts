import { importPKCS8, SignJWT } from 'jose'
import type { Clock } from '../../clock.ts'

/** Apple takes a token for an hour; a new one in good time keeps those in flight valid. */
const RENEW_MS = 50 * 60_000

/** Apple refuses new tokens more often than every 20 minutes (429 TooManyProviderTokenUpdates). */
const MIN_RENEW_MS = 20 * 60_000

/** Milliseconds since the Unix epoch, and what the header says. */
interface Issued {
  readonly authorization: string
  readonly at: number
}

/** The provider token of one signing key, as the value of `authorization`. */
export interface ProviderTokens {
  /** Rejects if the key cannot be used. */
  current(): string | Promise<string>
  /** APNs said that `authorization` has expired: renews it, unless it is younger than 20 minutes. */
  expired(authorization: string): void
}

/**
 * Signs provider tokens ("Establishing a token-based connection to APNs"): ES256, renewed after 50 minutes, one
 * signature at a time however many ask.
 */
export function createProviderTokens(
  key: { readonly privateKey: string; readonly keyId: string; readonly teamId: string },
  clock: Clock,
): ProviderTokens {
  let issued: Issued | null = null
  let pending: Promise<string> | null = null

  async function sign(): Promise<string> {
    const at = clock.now()
    const jwt = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: key.keyId })
      .setIssuer(key.teamId)
      .setIssuedAt(Math.floor(at / 1000))
      .sign(await importPKCS8(key.privateKey, 'ES256'))
    issued = { authorization: `bearer ${jwt}`, at }
    return issued.authorization
  }

  return {
    current() {
      // A clock put back must not keep a token for longer than an hour.
      if (issued !== null && Math.abs(clock.now() - issued.at) < RENEW_MS) return issued.authorization
      pending ??= sign().finally(() => (pending = null))
      return pending
    },
    expired(authorization) {
      if (issued?.authorization !== authorization) return
      if (Math.abs(clock.now() - issued.at) >= MIN_RENEW_MS) issued = null
    },
  }
}
