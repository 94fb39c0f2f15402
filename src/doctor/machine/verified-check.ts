import type { Verification } from '../../backup/verified-file.ts'
import { DAY_MS } from '../../clock.ts'
import { counted, longTime } from '../../text/format.ts'
import { failing, ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** A server looks once a day; two looks that were left out are no accident. */
const LATE_MS = 2.5 * DAY_MS

/** What a server has found in the newest backup. */
export function judgeVerified({ good, problem }: Verification, now: number): Finding {
  if (problem !== null) {
    const before = good === null ? '' : ` The last good one was ${good.name}.`
    return failing(
      `${problem.what}${before}`,
      'Make another one now (bellhop backup), and look at the others: bellhop backup verify.',
    )
  }
  if (good === null) {
    return skipped('No backup was opened yet: a running server opens the newest within an hour, and then once a day.')
  }
  const { name, at, devices } = good
  const found = `${name} was opened ${longTime(now - at)} ago: it is whole, with ${counted(devices, 'device')}.`
  if (now - at <= LATE_MS) return ok(found)
  return warning(found, 'A running server opens the newest once a day; its log says why it did not.')
}
