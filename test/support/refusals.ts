import { expect } from 'bun:test'
import type { Answer } from './service.ts'

/** A value that is refused, and what the message says of it after the field's name. */
export type BadValue = readonly [value: unknown, problem: string]

/** The answer is this failure, to the letter. */
export function expectFailure(answer: Answer, status: number, code: string, message: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { code, message } })
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
}

/** Each value is 400 InvalidArgument, and the message names the field and what is wrong with it. */
export async function expectInvalid(
  send: (value: unknown) => Promise<Answer>,
  field: string,
  bad: readonly BadValue[],
): Promise<void> {
  for (const [value, problem] of bad) {
    const { status, body } = await send(value)
    const refused = { status: 400, body: { code: 'InvalidArgument', message: `${field} ${problem}.` } }
    expect({ value, status, body }).toEqual({ value, ...refused })
  }
}

/** How many answers there are of each status. */
export function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Left out, `null` and (unless `values` says otherwise) empty are 409 MissingParameter with this message. */
export async function expectRequired(
  send: (value: unknown) => Promise<Answer>,
  message: string,
  values: readonly unknown[] = [undefined, null, ''],
): Promise<void> {
  for (const value of values) {
    const { status, body } = await send(value)
    expect({ value, status, body }).toEqual({ value, status: 409, body: { code: 'MissingParameter', message } })
  }
}

const notAString: readonly BadValue[] = [
  [5, 'must be a string, not 5'],
  [true, 'must be a string, not true'],
  [{ a: 1 }, 'must be a string, not an object'],
]
const LONE_SURROGATES = ['\ud83d', '\ude00', 'a\ud83db', '\ude00\ud83d']
const NOT_WELL_FORMED = 'must be well-formed Unicode, without lone surrogates'

export const BAD_TOKENS: readonly BadValue[] = [
  ...notAString,
  [['a'], 'must be a string, not an array'],
  ...[' ', 'a b', ' a', 'a\n', '\ta', 'a\u00a0b', 'a\u2028b', '\u0000', 'a\u0000b', 'a\u007f'].map(
    (value) => [value, 'must not contain white space or control characters'] as const,
  ),
  ...LONE_SURROGATES.map((value) => [value, NOT_WELL_FORMED] as const),
  ['a'.repeat(4097), 'must be at most 4096 bytes'],
  ['é'.repeat(2049), 'must be at most 4096 bytes'],
]

const shownPlatforms: readonly (readonly [value: unknown, shown: string])[] = [
  [3, '3'],
  [-1, '-1'],
  [0.5, '0.5'],
  [true, 'true'],
  ['3', '"3"'],
  ['00', '"00"'],
  [' 0', '" 0"'],
  ['ios', '"ios"'],
  ['0\u0000', '"0\\u0000"'],
  ['\ud83d', '"\\ud83d"'],
  ['0'.repeat(5000), 'a string of 5000 characters'],
  [['0'], 'an array'],
  [{}, 'an object'],
]

export const BAD_PLATFORMS: readonly BadValue[] = shownPlatforms.map(([value, shown]) => [
  value,
  `must be "0" (iOS), "1" (Android) or "2" (Web), not ${shown}`,
])

const badTexts: readonly BadValue[] = [
  ...['\u0000', 'a\u0000b', 'a\n', '\u007f'].map((value) => [value, 'must not contain control characters'] as const),
  ...LONE_SURROGATES.map((value) => [value, NOT_WELL_FORMED] as const),
  ['a'.repeat(257), 'must be at most 256 characters'],
  ['😀'.repeat(257), 'must be at most 256 characters'],
  ['é'.repeat(255) + 'ਓ', 'must be at most 512 bytes'],
  ['😀'.repeat(129), 'must be at most 512 bytes'],
]

/** For one name: an alias. */
export const BAD_NAMES: readonly BadValue[] = [...notAString, [['a'], 'must be a string, not an array'], ...badTexts]

/** For a field that is an array of names, or one. */
export const BAD_LISTS: readonly BadValue[] = [
  [5, 'must be an array of strings, not 5'],
  [true, 'must be an array of strings, not true'],
  [{ a: 1 }, 'must be an array of strings, not an object'],
  ...badTexts,
]

/** For a member of such an array. */
export const BAD_MEMBERS: readonly BadValue[] = [
  ...notAString,
  [null, 'must be a string, not null'],
  [['a'], 'must be a string, not an array'],
  ['', 'must be 1 to 256 characters, not empty'],
  ...badTexts,
]

/** For `lat` (90) and `lng` (180). */
export function badDegrees(limit: number): readonly BadValue[] {
  const shownValues: readonly (readonly [value: unknown, shown: string])[] = [
    [limit + 0.000_001, String(limit + 0.000_001)],
    [-limit - 1, String(-limit - 1)],
    [`${limit}.0000001`, `"${limit}.0000001"`],
    [`-${limit + 1}`, `"-${limit + 1}"`],
    ['1e1', '"1e1"'],
    ['52,5', '"52,5"'],
    [' 1', '" 1"'],
    ['0x10', '"0x10"'],
    ['.', '"."'],
    ['-', '"-"'],
    ['NaN', '"NaN"'],
    ['Infinity', '"Infinity"'],
    ['north', '"north"'],
    ['1\u0000', '"1\\u0000"'],
    ['\ud83d', '"\\ud83d"'],
    ['1'.repeat(5000), 'a string of 5000 characters'],
    [true, 'true'],
    [[1], 'an array'],
    [{}, 'an object'],
  ]
  return shownValues.map(([value, shown]) => [
    value,
    `must be decimal degrees between -${limit} and ${limit}, not ${shown}`,
  ])
}
