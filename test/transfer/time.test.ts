import { describe, expect, test } from 'bun:test'
import { readTime } from '../../src/transfer/time.ts'

const MOMENT = Date.UTC(2025, 8, 2, 10, 11, 12)

describe('a time is read as exports write it', () => {
  const forms: readonly unknown[] = [
    '2025-09-02T10:11:12Z',
    '2025-09-02T10:11:12.000Z',
    '2025-09-02 10:11:12',
    '2025-09-02 10:11:12 UTC',
    '2025-09-02 10:11:12+00',
    '2025-09-02 12:11:12 +0200',
    '2025-09-02T12:11:12+02:00',
    MOMENT,
    MOMENT / 1000,
    String(MOMENT),
    String(MOMENT / 1000),
    { $date: '2025-09-02T10:11:12Z' },
    { $date: { $numberLong: String(MOMENT) } },
    { __type: 'Date', iso: '2025-09-02T10:11:12.000Z' },
    { _seconds: MOMENT / 1000, _nanoseconds: 0 },
    { seconds: MOMENT / 1000, nanoseconds: 0 },
    { __datatype__: 'timestamp', value: { _seconds: MOMENT / 1000, _nanoseconds: 0 } },
    { __time__: '2025-09-02T10:11:12Z' },
  ]
  for (const form of forms) {
    test(JSON.stringify(form), () => {
      expect(readTime(form)).toBe(MOMENT)
    })
  }

  test('a date is its midnight, UTC', () => {
    expect(readTime('2025-09-02')).toBe(Date.UTC(2025, 8, 2))
  })

  for (const none of [
    '',
    'yesterday',
    '2025-13-01',
    '02.09.2025',
    -1,
    0,
    Number.NaN,
    null,
    true,
    {},
    [],
    { seconds: 'x' },
  ]) {
    test(`${JSON.stringify(none)} is none`, () => {
      expect(readTime(none)).toBeNull()
    })
  }
})
