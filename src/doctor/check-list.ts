import { GROUPS, findingOf } from './finding.ts'
import type { DoctorCheck, Finding } from './finding.ts'

/** Where findings go, each with its place and how long it took. */
export interface CheckList {
  look(
    place: Pick<DoctorCheck, 'id' | 'group'> & Partial<Pick<DoctorCheck, 'application'>>,
    check: () => Finding | Promise<Finding>,
  ): Promise<Finding>
  /** In the order of the report; within a group as they were begun. */
  checks(): readonly DoctorCheck[]
}

/** `stopwatch`: ms that never go back. */
export function createCheckList(stopwatch: () => number): CheckList {
  const checks: DoctorCheck[] = []
  let begun = 0
  return {
    async look({ id, group, application = null }, check) {
      const at = begun++
      const started = stopwatch()
      let finding: Finding
      try {
        finding = await check()
      } catch (error) {
        finding = findingOf(error)
      }
      checks[at] = { id, group, application, ...finding, ms: Math.round((stopwatch() - started) * 10) / 10 }
      return finding
    },
    checks: () => {
      const applications = [...new Set(checks.map(({ application }) => application?.id))]
      const rank = ({ group, application }: DoctorCheck): number =>
        GROUPS.indexOf(group) * applications.length + applications.indexOf(application?.id)
      return checks.toSorted((a, b) => rank(a) - rank(b))
    },
  }
}
