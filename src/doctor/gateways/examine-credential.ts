import type { Credential } from '../../application/credential.ts'
import { createCheckList } from '../check-list.ts'
import type { DoctorCheck } from '../finding.ts'
import { examineGateways } from './examine-gateways.ts'
import type { ExamineGateways, Subject } from './examine-gateways.ts'

interface Examined {
  readonly application: { readonly id: string; readonly name: string }
  readonly credential: Credential
  /** The provider token for APNs that is in use; `null`: there is none. */
  readonly storedToken: () => string | null
}

/** What doctor has to say of one credential: the way to its gateways, and whether they take it. Up to ten seconds. */
export async function examineCredential(
  { application, credential, storedToken }: Examined,
  options: ExamineGateways,
): Promise<readonly DoctorCheck[]> {
  const list = createCheckList(options.stopwatch)
  await examineGateways([subjectOf({ application, credential, storedToken })], list, options)
  return list.checks()
}

function subjectOf({ application, credential, storedToken }: Examined): Subject {
  if (credential.kind === 'vapid') return { kind: 'webpush', application, credential }
  if (credential.kind === 'service-account') return { kind: 'fcm', application, credential }
  return { kind: 'apns', application, credential, storedToken }
}
