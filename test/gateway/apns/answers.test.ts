import { describe, expect, test } from 'bun:test'
import { APNS_ANSWERS, listedAnswer } from '../../../src/gateway/apns/answers.ts'
import type { Meaning } from '../../../src/gateway/apns/answers.ts'
import { findPage } from '../../../src/manual/pages.ts'

/** How the manual tells what follows from a meaning. */
const FOLLOWS: Readonly<Record<Meaning, RegExp>> = {
  taken: /^accepted$/,
  'bad token': /then quarantined$/,
  mismatch: /^quarantined/,
  'bad push': /^failed for this device/,
  gone: /^gone, unless it has registered since/,
  configuration: /^ten devices and none taken: sending pauses; else this device waits$|^the other environment is tried/,
  forbidden: /else three tries, and failed$/,
  'device later': /^this device (again|waits)/,
  'all later': /^a new one, once in 20 minutes/,
  later: /^ten devices and none taken: sending pauses; else this device waits$/,
}

describe('the manual page on what Apple answers', () => {
  const rows = (findPage('apns')?.text ?? '')
    .split('\n')
    .flatMap((line) => (/^\| (\d{3}) /.test(line) ? [line.split('|').map((cell) => cell.trim())] : []))
  const told = rows.flatMap(([, status, reasons = '', blame, follows = '']) =>
    [...reasons.matchAll(/`(\w+)`/g)].map(([, reason = '']) => ({ status: Number(status), reason, blame, follows })),
  )

  test('has each reason once, with its status', () => {
    const listed = told.map(({ reason, status }) => `${reason} ${status}`)
    const known = Object.entries(APNS_ANSWERS).map(([reason, [status]]) => `${reason} ${status}`)
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  test('says what follows from each as the client has it', () => {
    for (const { reason, follows } of told) expect(follows).toMatch(FOLLOWS[listedAnswer(reason)?.[1] ?? 'taken'])
  })
})
