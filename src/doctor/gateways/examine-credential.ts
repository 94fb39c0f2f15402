import { createCheckList } from '../check-list.ts'
import type { DoctorCheck } from '../finding.ts'
import { examineGateways, subjectOf } from './examine-gateways.ts'
import type { Examined, ExamineGateways } from './examine-gateways.ts'

/** What doctor has to say of one credential: the way to its gateways, and whether they take it. Up to ten seconds. */
export async function examineCredential(examined: Examined, options: ExamineGateways): Promise<readonly DoctorCheck[]> {
  const list = createCheckList(options.stopwatch)
  await examineGateways([subjectOf(examined)], list, options)
  return list.checks()
}
