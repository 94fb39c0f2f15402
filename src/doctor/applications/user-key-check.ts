import type { VerifyingApplication } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Whether an application that verifies its users can. `application`: `Application.id`. */
export function judgeUserKey({ hasUserKey }: Pick<VerifyingApplication, 'hasUserKey'>, application: string): Finding {
  if (hasUserKey === 1) return ok('Its users are verified, and it has a user key.')
  return warning(
    'Its users are verified, but it has no user key: no app can say whose its device is.',
    `Make one: bellhop app user-key ${application}.`,
  )
}
