import { expect, test } from 'bun:test'
import { progressSentence } from '../../src/dashboard/components/push/progress-sentence.ts'
import type { Progress } from '../../src/dashboard/components/push/progress-sentence.ts'
import { clock } from '../../src/dashboard/components/text.ts'

const HALF: Progress = {
  addressed: 100,
  accepted: 50,
  failed: 0,
  waiting: 50,
  state: 'sending',
  rate: 10,
  reason: null,
  sendAt: null,
  local: null,
}
const sentence = (changed: Partial<Progress>): string => progressSentence({ ...HALF, ...changed })

test('a push that is sent says how far it is, and how long the rest takes while it moves', () => {
  expect(sentence({})).toBe('50 of 100 devices accepted, 10 a second, about 5 s left')
  expect(sentence({ failed: 2, waiting: 48, rate: 0.2 })).toBe('50 of 100 devices accepted, 2 failed')
})

test('a push by local time is told by the clock of each device', () => {
  const local = '2026-12-24T09:00'
  const by = `${clock(local)} by the clock of each device`
  const sendAt = '2026-12-23T19:00:00.000Z'
  expect(sentence({ state: 'scheduled', sendAt, local })).toBe(`Scheduled for ${by}.`)
  expect(sentence({ sendAt, local, rate: 0 })).toBe(`At ${by}: 50 of 100 devices accepted`)
})

test('a hold may end within the minute', () => {
  expect(sentence({ state: 'held', sendAt: '2026-12-23T19:00:05.000Z' })).toMatch(/^On hold until .+:00:05.+\. You can/)
})
