import { anyOf, yesOrNo, listOf, objectSchema, oneOf, orNull, shapeOf, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import type { ProviderName } from '../../platform.ts'

export type { ProviderName }

/** `none`: no credential. `paused`: `reason` says why nothing can be sent. */
export const ProviderState = objectSchema('ProviderState', {
  state: oneOf(['none', 'ready', 'paused']),
  reason: orNull(text("Why it is paused, in the gateway's word.")),
  simulated: yesOrNo('Whether it sends to the simulator alone.'),
})
export type ProviderState = AnswerOf<typeof ProviderState>

/** `auto`: tries production, then sandbox, for each device. */
export const ApnsEnvironmentName = { title: 'ApnsEnvironmentName', ...oneOf(['auto', 'production', 'sandbox']) }
export type ApnsEnvironmentName = AnswerOf<typeof ApnsEnvironmentName>

const createdAt = time()
const apns = { createdAt, provider: oneOf(['apns']), topic: text(), environment: ApnsEnvironmentName }

export const CredentialView = anyOf(
  shapeOf({ ...apns, kind: oneOf(['key']), keyId: text(), teamId: text() }),
  shapeOf({ ...apns, kind: oneOf(['certificate']), expiresAt: time() }),
  shapeOf({
    createdAt,
    provider: oneOf(['fcm']),
    kind: oneOf(['service-account']),
    projectId: text(),
    clientEmail: text(),
    privateKeyId: text(),
  }),
  shapeOf({
    createdAt,
    provider: oneOf(['webpush']),
    kind: oneOf(['vapid']),
    publicKey: text(),
    subject: text(),
  }),
)
export type CredentialView = AnswerOf<typeof CredentialView>

/** `PUT /api/applications/:id/credentials/apns`. `environment`: default `auto`. */
export type ApnsCredentialRequest =
  | {
      readonly key: string
      readonly keyId: string
      readonly teamId: string
      readonly topic: string
      readonly environment?: ApnsEnvironmentName
    }
  | {
      /** The .p12, .pfx or .pem file in base64. */
      readonly certificate: string
      readonly password?: string
      /** Default: from the certificate. */
      readonly topic?: string
      readonly environment?: ApnsEnvironmentName
    }

/** `PUT /api/applications/:id/credentials/webpush`. Omitted fields stay unchanged. */
export interface WebPushCredentialRequest {
  /** `mailto:` or `https:`, where push services reach the sender. Required once. */
  readonly subject?: string
  /** A private key: PEM, 43 characters of base64url, or the JSON that `web-push` prints. */
  readonly key?: string
  /** Replaces the key: every browser must subscribe again. Default false. */
  readonly new?: boolean
}

/** `PUT /api/applications/:id/credentials/fcm` */
export interface FcmCredentialRequest {
  readonly serviceAccount: string
}

/** Takes up to 10 s. */
export const CredentialTestAnswer = objectSchema('CredentialTestAnswer', {
  findings: listOf(
    shapeOf({
      state: oneOf(['ok', 'warning', 'failed', 'skipped'], '`skipped`: the gateway was not contacted.'),
      text: text(),
      fix: orNull(text()),
    }),
  ),
})
export type CredentialTestAnswer = AnswerOf<typeof CredentialTestAnswer>
