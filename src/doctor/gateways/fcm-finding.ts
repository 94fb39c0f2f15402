import type { FcmSummary } from '../../application/credential.ts'
import { judgeFcm } from '../../gateway/fcm/protocol.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import { capital } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface FcmSubject {
  readonly application: string
  readonly credential: FcmSummary
}

/** Judges FCM's answer to an impossible installation ID. `ofToken`: the finding for an impossible token. */
export function fidFinding(status: number, body: string, { credential, ofToken }: FidSubject): Finding {
  const outcome = judgeFcm(status, body, null)
  if (ofToken.state !== 'ok' || outcome.kind !== 'rejected' || outcome.blame !== 'push') return ofToken
  return warning(
    `Google lets ${credential.clientEmail} send for project ${credential.projectId}, but what answered knows no Firebase Installation IDs (${outcome.reason}).`,
    'Apps that register an installation ID in place of a token get nothing: look at --fcm-url and what the network puts in between.',
  )
}

interface FidSubject {
  readonly credential: FcmSummary
  readonly ofToken: Finding
}

/** Judges the service account by FCM's answer to a push to an impossible token. */
export function fcmFinding(status: number, body: string, subject: FcmSubject): Finding {
  const { application, credential } = subject
  const { projectId, clientEmail } = credential
  const outcome = judgeFcm(status, body, null)
  switch (outcome.kind) {
    case 'accepted':
      return notGoogle('accepted a token that does not exist')
    case 'unregistered':
      return taken(credential)
    case 'rejected':
      if (outcome.blame !== 'push') return taken(credential)
      return failing(
        `Google found a fault in the request itself (${outcome.reason}), and none in the service account yet.`,
        'No setting causes this: remove whatever changes requests to fcm.googleapis.com, or report a bug in Bellhop.',
      )
    case 'deferred':
      return outcome.reason.startsWith('THIRD_PARTY_AUTH_ERROR') ? lacksKey(credential) : busy(outcome.reason)
    case 'misconfigured':
      break
  }
  if (status === 401) {
    return failing(
      `FCM refuses the access token that Google has just issued to ${clientEmail}.`,
      'Set the clock of this machine; if it is right, --fcm-url and --fcm-token-url do not belong together.',
    )
  }
  if (status === 404) {
    return failing(
      `Google knows no project ${projectId}, or it has no Firebase.`,
      `Check the project in the Firebase console, and store a key of one of its service accounts: bellhop app fcm ${application}.`,
    )
  }
  return denied(errorInfoOf(body), subject)
}

/** Prefix of token endpoint errors (`gateway/fcm/token.ts`). */
const TOKEN_ENDPOINT = 'access token: '

/** Whether the token endpoint refused, as opposed to a failed connection. */
export function isRefusal(outcome: Outcome): boolean {
  return outcome.kind === 'misconfigured' || ('reason' in outcome && outcome.reason.startsWith(TOKEN_ENDPOINT))
}

export function grantFinding(outcome: Outcome, { application, credential }: FcmSubject): Finding {
  const { clientEmail, privateKeyId } = credential
  const said = 'reason' in outcome ? outcome.reason : ''
  const again = `create a new key in the Firebase console (Project settings, Service accounts) and store it: bellhop app fcm ${application}.`
  if (outcome.kind === 'deferred') return busy(wordOf(said))
  if (!said.startsWith(TOKEN_ENDPOINT)) {
    return failing(`The private key of ${clientEmail} cannot be used.`, capital(again))
  }
  if (/invalid_grant.*(short-lived|timeframe|\biat\b|\bexp\b)/i.test(said)) {
    return failing(
      `Google says that the signature of ${clientEmail} is from another time.`,
      'Set the clock of this machine: timedatectl set-ntp true.',
    )
  }
  if (/invalid_grant.*signature/i.test(said)) {
    return failing(`Google does not take key ${privateKeyId} of ${clientEmail}: it was deleted.`, capital(again))
  }
  if (/not found/i.test(said)) return failing(`Google knows no service account ${clientEmail}.`, capital(again))
  if (/disabled/i.test(said)) {
    return failing(
      `The service account ${clientEmail} is disabled.`,
      `Enable it in the Google Cloud console (IAM, Service accounts), or ${again}`,
    )
  }
  if (/invalid_grant/.test(said)) {
    return failing(
      `Google does not take a signature of ${clientEmail} (invalid_grant).`,
      `Set the clock of this machine; if it is right, the key was deleted: ${again}`,
    )
  }
  return failing(`Google gives ${clientEmail} no access token (${wordOf(said)}).`, capital(again))
}

function denied(info: string | null, { application, credential }: FcmSubject): Finding {
  const { projectId, clientEmail } = credential
  if (info === 'SERVICE_DISABLED') {
    return failing(
      `The Firebase Cloud Messaging API (V1) is not enabled for project ${projectId}.`,
      `Enable it, and wait a few minutes: https://console.cloud.google.com/apis/library/fcm.googleapis.com?project=${projectId}`,
    )
  }
  if (info === 'CONSUMER_SUSPENDED' || info === 'CONSUMER_INVALID') {
    return failing(
      `Google has suspended or deleted project ${projectId}.`,
      `Check the Google Cloud console, or store a key of another project: bellhop app fcm ${application}.`,
    )
  }
  const role = `Give it the role "Firebase Cloud Messaging API Admin" in project ${projectId} (Google Cloud console, IAM)`
  return info === 'IAM_PERMISSION_DENIED'
    ? failing(`${clientEmail} may not send for project ${projectId}.`, `${role}, and wait a few minutes.`)
    : failing(
        `FCM refuses ${clientEmail} for project ${projectId} (${info ?? 'PERMISSION_DENIED'}).`,
        `${role}, and enable the Firebase Cloud Messaging API (V1) there.`,
      )
}

function taken({ clientEmail, projectId }: FcmSummary): Finding {
  return ok(`Google lets ${clientEmail} send for project ${projectId}.`)
}

function lacksKey({ clientEmail }: FcmSummary): Finding {
  return warning(
    `Google takes ${clientEmail}, but not the APNs key that is stored in Firebase.`,
    'Bellhop sends to Apple itself and does not need that key: remove or replace it in the Firebase console.',
  )
}

function busy(reason: string): Finding {
  return warning(
    `Google has trouble of its own (${reason}), and says nothing of the service account.`,
    'Run doctor again in a few minutes; status.firebase.google.com lists failures.',
  )
}

function notGoogle(did: string): Finding {
  return warning(
    `What answered ${did}: it is a simulator or stands in for Google.`,
    'If this is not intended, check --fcm-url, --fcm-token-url and what is in between.',
  )
}

/** The reason in google.rpc.ErrorInfo, such as `SERVICE_DISABLED` ("Google API error model"). */
function errorInfoOf(body: string): string | null {
  return /"reason"\s*:\s*"(\w{1,64})"/.exec(body)?.[1] ?? null
}

/** Only the first word: an error's description is untrusted text. */
function wordOf(reason: string): string {
  return /^(?:access token: )?(HTTP \d{3}|[\w-]{1,64})/.exec(reason)?.[1] ?? 'no reason given'
}
