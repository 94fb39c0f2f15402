import type { ApnsSummary } from '../../application/credential.ts'
import type { Environment } from '../../device/device.ts'
import { capital } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface ApnsSubject {
  readonly application: string
  readonly credential: ApnsSummary
  readonly environment: Environment
}

/** Judges the credential by APNs' answer to a push to an impossible token. */
export function apnsFinding(status: number, reason: string | null, subject: ApnsSubject): Finding {
  if (status === 200) return notApple(`accepted a device token that does not exist`)
  const judge = reason === null ? undefined : JUDGES[reason]
  if (judge !== undefined) return judge(subject)
  if (status >= 500) return busy(reason ?? `HTTP ${status}`)
  if (status === 403) return refused(reason ?? 'HTTP 403', subject)
  return notApple(`answered ${reason ?? `HTTP ${status}`}, which APNs does not`)
}

export function isForOtherEnvironment(reason: string | null): boolean {
  return reason !== null && JUDGES[reason] === otherEnvironment
}

export function limitedTo(other: Environment, subject: ApnsSubject): Finding {
  const lost = other === 'production' ? 'builds run from Xcode' : 'builds from TestFlight and the App Store'
  const { application, credential } = subject
  return warning(
    `${capital(nameOf(credential))} is limited to the ${other} environment: no push reaches ${lost}.`,
    credential.kind === 'key'
      ? `If this is not intended, create a key for both environments at Apple and store it: bellhop app apns ${application}.`
      : `If this is not intended, store a key (.p8) instead: bellhop app apns ${application}.`,
  )
}

type Judge = (subject: ApnsSubject) => Finding

const accepted: Judge = ({ credential, environment }) =>
  ok(`Apple takes ${nameOf(credential)} for ${credential.topic} (${environment}).`)

const otherEnvironment: Judge = ({ application, credential, environment }) =>
  failing(
    `${capital(nameOf(credential))} is not for the ${environment} environment.`,
    `Store it with its --environment, or store a key for both: bellhop app apns ${application}.`,
  )

const closed: Judge = () => warning('Apple closed the connection before it answered.', 'Run doctor again.')

const faulty =
  (reason: string): Judge =>
  () =>
    failing(
      `Apple found a fault in the request itself (${reason}), and none in the credential yet.`,
      'No setting causes this: remove whatever changes requests to *.push.apple.com, or report a bug in Bellhop.',
    )

/** From Apple's "Handling notification responses from APNs", and from what its servers send in addition. */
const JUDGES: Readonly<Record<string, Judge>> = {
  // APNs checks the token last, so the credential is valid.
  BadDeviceToken: accepted,
  Unregistered: accepted,
  ExpiredToken: accepted,
  DeviceTokenNotForTopic: ({ credential }) =>
    warning(
      `Apple takes ${nameOf(credential)}, but says of a device token that no phone has that it is not for ${credential.topic}.`,
      'Check that the topic is the bundle id of the app, as Xcode shows it.',
    ),
  BadTopic: ({ application, credential }) =>
    failing(
      `Apple does not take the topic ${credential.topic}.`,
      `The topic is the bundle id of the app, as Xcode shows it: store the credential again with the right --topic (bellhop app apns ${application}).`,
    ),
  MissingTopic: ({ application, credential }) =>
    failing(
      `Apple cannot tell which app ${nameOf(credential)} is used for.`,
      `Store the credential again with --topic, the bundle id of the app: bellhop app apns ${application}.`,
    ),
  TopicDisallowed: ({ application, credential }) =>
    failing(
      `Apple does not let ${nameOf(credential)} send for the topic ${credential.topic}.`,
      credential.kind === 'key'
        ? `Check at developer.apple.com that the app is one of team ${credential.teamId} and that the key is not limited to other topics; then bellhop app apns ${application}.`
        : `Store the certificate of this app, or the right --topic: bellhop app apns ${application}.`,
    ),
  BadCertificate: ({ application }) =>
    failing(
      'Apple does not take the certificate: it is revoked, or not one for push.',
      `Create a new one at developer.apple.com, or better a key (.p8), which does not expire, and store it: bellhop app apns ${application}.`,
    ),
  BadCertificateEnvironment: otherEnvironment,
  BadEnvironmentKeyIdInToken: otherEnvironment,
  BadEnvironmentKeyInToken: otherEnvironment,
  ExpiredProviderToken: ({ application, credential }) =>
    failing(
      `Apple says that the signature by ${nameOf(credential)} is more than an hour old.`,
      `Set the clock of this machine (timedatectl set-ntp true); if it is right, store the key again: bellhop app apns ${application}.`,
    ),
  Forbidden: ({ application, credential }) =>
    failing(
      `Apple refuses ${nameOf(credential)} (Forbidden).`,
      `Check at developer.apple.com that the membership is paid, its agreements are accepted and the key is not revoked; then bellhop app apns ${application}.`,
    ),
  InvalidProviderToken: ({ application, credential }) =>
    credential.kind === 'key'
      ? failing(
          `Apple does not take a signature of key ${credential.keyId} for team ${credential.teamId}.`,
          `Check at developer.apple.com that the key is not revoked, that its file is AuthKey_${credential.keyId}.p8 and that the team is ${credential.teamId}; then bellhop app apns ${application}.`,
        )
      : refused('InvalidProviderToken', { application, credential }),
  MissingProviderToken: ({ credential }) =>
    failing(
      credential.kind === 'key'
        ? 'The signature did not reach Apple.'
        : 'Apple saw no client certificate on the connection.',
      'Something in between removes it: let connections to *.push.apple.com pass unchanged.',
    ),
  UnrelatedKeyIdInToken: ({ application, credential }) =>
    failing(
      `Apple says that ${nameOf(credential)} is not related to the other keys used on this connection.`,
      `A proxy must not put several applications on one connection to Apple; without one, check key id and team id: bellhop app apns ${application}.`,
    ),
  TooManyProviderTokenUpdates: ({ credential }) =>
    warning(
      `Apple has been shown too many new signatures by ${nameOf(credential)} in the last 20 minutes, and says nothing else now.`,
      'Wait 20 minutes before doctor is run again; if it comes back, another program signs with the same key.',
    ),
  TooManyRequests: ({ credential }) =>
    warning(`Apple takes ${nameOf(credential)}, but has been asked too often.`, 'Run doctor again in a few minutes.'),
  IdleTimeout: closed,
  Shutdown: closed,
  InternalServerError: () => busy('InternalServerError'),
  ServiceUnavailable: () => busy('ServiceUnavailable'),
  ...Object.fromEntries(
    [
      'BadCollapseId',
      'BadExpirationDate',
      'BadMessageId',
      'BadPath',
      'BadPriority',
      'DuplicateHeaders',
      'InvalidPushType',
      'MethodNotAllowed',
      'MissingDeviceToken',
      'PayloadEmpty',
      'PayloadTooLarge',
    ].map((reason) => [reason, faulty(reason)]),
  ),
}

function refused(reason: string, { application, credential }: Omit<ApnsSubject, 'environment'>): Finding {
  return failing(
    `Apple refuses ${nameOf(credential)} (${reason}).`,
    `Check it at developer.apple.com, and store it again: bellhop app apns ${application}.`,
  )
}

function busy(reason: string): Finding {
  return warning(
    `Apple has trouble of its own (${reason}), and says nothing of the credential.`,
    'Run doctor again in a few minutes; developer.apple.com/system-status lists failures.',
  )
}

function notApple(did: string): Finding {
  return warning(
    `What answered ${did}: it is a simulator or stands in for Apple.`,
    'If this is not intended, check --apns-url, --apns-sandbox-url and what is in between.',
  )
}

function nameOf(credential: ApnsSummary): string {
  return credential.kind === 'key' ? `key ${credential.keyId} of team ${credential.teamId}` : 'the certificate'
}
