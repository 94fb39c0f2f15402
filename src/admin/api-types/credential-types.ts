import { anyOf, yesOrNo, listOf, objectSchema, oneOf, orNull, shapeOf, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import type { ProviderName } from '../../platform.ts'

export type { ProviderName }

/** `none`: there is no credential. `ready`: there is one. Else why nothing can be sent: `paused`. */
export const ProviderState = objectSchema('ProviderState', {
  state: oneOf(['none', 'ready', 'paused']),
  reason: orNull(text("Why it is paused, in the gateway's word.")),
  simulated: yesOrNo('Whether it sends to the simulator alone.'),
})
export type ProviderState = AnswerOf<typeof ProviderState>

/** `auto`: production is tried first, then sandbox, device by device. */
export const ApnsEnvironmentName = { title: 'ApnsEnvironmentName', ...oneOf(['auto', 'production', 'sandbox']) }
export type ApnsEnvironmentName = AnswerOf<typeof ApnsEnvironmentName>

const createdAt = time()
const apns = { createdAt, provider: oneOf(['apns']), topic: text(), environment: ApnsEnvironmentName }

/** What may be shown of a credential. */
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

/** `PUT /api/applications/:id/credentials/webpush`. What is left out stays as it is. */
export interface WebPushCredentialRequest {
  /** `mailto:` or `https:`, needed once: where push services reach whoever sends. */
  readonly subject?: string
  /** The text of a private key: PEM, 43 characters of base64url, or the JSON that `web-push` prints. */
  readonly key?: string
  /** Makes another key: every browser must subscribe again. Default false. */
  readonly new?: boolean
}

/** `PUT /api/applications/:id/credentials/fcm` */
export interface FcmCredentialRequest {
  /** The text of the service account's JSON key file. */
  readonly serviceAccount: string
}

/** What a test of a credential found; it takes up to 10 s. */
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
