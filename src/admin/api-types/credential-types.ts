import type { ProviderName } from '../../platform.ts'

export type { ProviderName }

/** `none`: there is no credential. `ready`: there is one. Else why nothing can be sent: `paused`. */
export interface ProviderState {
  readonly state: 'none' | 'ready' | 'paused'
  /** Why it is paused, in the gateway's word. */
  readonly reason: string | null
  /** Whether it sends to the simulator alone. */
  readonly simulated: boolean
}

/** What may be shown of a credential. */
export type CredentialView = { readonly createdAt: string } & (
  | {
      readonly provider: 'apns'
      readonly kind: 'key'
      readonly keyId: string
      readonly teamId: string
      readonly topic: string
      readonly environment: ApnsEnvironmentName
    }
  | {
      readonly provider: 'apns'
      readonly kind: 'certificate'
      readonly topic: string
      readonly environment: ApnsEnvironmentName
      readonly expiresAt: string
    }
  | {
      readonly provider: 'fcm'
      readonly kind: 'service-account'
      readonly projectId: string
      readonly clientEmail: string
      readonly privateKeyId: string
    }
  | {
      readonly provider: 'webpush'
      readonly kind: 'vapid'
      readonly publicKey: string
      readonly subject: string
    }
)

/** `auto`: production is tried first, then sandbox, device by device. */
export type ApnsEnvironmentName = 'auto' | 'production' | 'sandbox'

/** `PUT /api/applications/:id/credentials/apns`: a key, or a certificate. `environment`: default `auto`. */
export type ApnsCredentialRequest =
  | {
      /** The text of the .p8 file. */
      readonly key: string
      readonly keyId: string
      readonly teamId: string
      /** The bundle id. */
      readonly topic: string
      readonly environment?: ApnsEnvironmentName
    }
  | {
      /** The file (.p12, .pfx or .pem) in base64. */
      readonly certificate: string
      readonly password?: string
      /** Default: the one that the certificate names. */
      readonly topic?: string
      readonly environment?: ApnsEnvironmentName
    }

/**
 * `PUT /api/applications/:id/credentials/webpush`. The key that is there stays, unless one is imported or another is asked
 * for.
 */
export interface WebPushCredentialRequest {
  /** `mailto:` or `https:`, needed once: where push services reach whoever sends. */
  readonly subject?: string
  /** The text of a private key: PEM, 43 characters of base64url, or the JSON that `web-push` prints. */
  readonly key?: string
  /** Makes another key: every browser must subscribe again. Default false. */
  readonly new?: boolean
}

/** `PUT /api/applications/:id/credentials/fcm`. `DELETE …/credentials/:provider` takes any of them away. */
export interface FcmCredentialRequest {
  /** The text of the service account's JSON key file. */
  readonly serviceAccount: string
}

/** `POST /api/applications/:id/credentials/:provider/test`: takes up to 10 s. */
export interface CredentialTestAnswer {
  readonly findings: readonly {
    /** `skipped`: the gateway was not asked. */
    readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
    readonly text: string
    readonly fix: string | null
  }[]
}
