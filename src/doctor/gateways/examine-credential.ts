import type { ApnsCredential, FcmCredential } from '../../application/credential.ts'
import { createCheckList } from '../check-list.ts'
import type { DoctorCheck } from '../finding.ts'
import { examineGateways } from './examine-gateways.ts'
import type { ExamineGateways } from './examine-gateways.ts'

interface Examined {
  readonly application: { readonly id: string; readonly name: string }
  readonly credential: ApnsCredential | FcmCredential
  /** The provider token for APNs that is in use; `null`: there is none. */
  readonly storedToken: () => string | null
}

/** What doctor has to say of one credential: the way to its gateways, and whether they take it. Up to ten seconds. */
export async function examineCredential(
  { application, credential, storedToken }: Examined,
  options: ExamineGateways,
): Promise<readonly DoctorCheck[]> {
  const list = createCheckList(options.stopwatch)
  const subject =
    credential.kind === 'service-account'
      ? ({ kind: 'fcm', application, credential } as const)
      : ({ kind: 'apns', application, credential, storedToken } as const)
  await examineGateways([subject], list, options)
  return list.checks()
}
