import { expect } from 'bun:test'
import type { Finding, State } from '../../src/doctor/finding.ts'

const like = (wanted: string | RegExp) => (typeof wanted === 'string' ? wanted : expect.stringMatching(wanted))

/** A string is the whole sentence, a pattern part of it. */
export function expectFinding(
  finding: Finding | null,
  state: State,
  found?: string | RegExp,
  advice?: string | RegExp | null,
): void {
  expect(finding?.found).toEndWith('.')
  expect(finding).toMatchObject({
    state,
    ...(found !== undefined && { found: like(found) }),
    ...(advice !== undefined && { advice: advice === null ? null : like(advice) }),
  })
}
