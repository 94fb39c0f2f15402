import type { ApnsEnvironmentName, CredentialView, ProviderState } from '../../../admin/api-types/credential-types.ts'
import { ago, time } from '../text.ts'

export interface Check {
  readonly at: number
  readonly outcome: keyof typeof OUTCOMES
}

const OUTCOMES = { works: 'Works', refused: 'Refused', unreached: 'Not checked, no connection' } as const

interface Known {
  readonly credential: CredentialView
  readonly state: Pick<ProviderState, 'state' | 'reason'>
  /** `null`: not checked. */
  readonly check: Check | null
  readonly now: number
}

/** `Works: key ABC123DEFG for com.example.shop, production and sandbox. Checked 3 minutes ago.` */
export function credentialSentence({ credential, state: { state, reason }, check, now }: Known): string {
  const word =
    state === 'paused'
      ? `Paused${reason === null ? '' : ` (${reason})`}`
      : check === null
        ? 'Stored'
        : OUTCOMES[check.outcome]
  const when = check === null ? 'Not checked since you opened this page' : `Checked ${ago(check.at, now)}`
  return `${word}: ${what(credential)}. ${when}.`
}

function what(credential: CredentialView): string {
  switch (credential.kind) {
    case 'key':
      return `key ${credential.keyId} for ${credential.topic}, ${ENVIRONMENTS[credential.environment]}`
    case 'certificate':
      return `certificate for ${credential.topic} until ${time(credential.expiresAt)}, ${ENVIRONMENTS[credential.environment]}`
    case 'service-account':
      return `service account of the Firebase project ${credential.projectId}`
    case 'vapid':
      return `key for browsers, with the contact ${credential.subject}`
  }
}

export const ENVIRONMENTS: Readonly<Record<ApnsEnvironmentName, string>> = {
  auto: 'production and sandbox',
  production: 'production only',
  sandbox: 'sandbox only',
}
