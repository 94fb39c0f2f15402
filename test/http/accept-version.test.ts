import { describe, expect, test } from 'bun:test'
import { satisfies } from '../../src/http/accept-version.ts'

describe('Accept-Version', () => {
  test.each([
    '1',
    '1.0',
    '1.0.0',
    '~1',
    '~1.0',
    '~1.0.0',
    '^1',
    '^1.0',
    '1.x',
    '1.0.x',
    'x',
    'X',
    '*',
    '>=1',
    '>= 1',
    '>=1.0.0 <2',
    '<=1.0.0',
    '0.9.0 || 1',
    '0.9.0||1',
    '1.0.0 - 2',
    'v1',
    'v1.0.0',
    '=1.0.0',
    ' 1 ',
  ])('%p is satisfied', (range) => {
    expect(satisfies(range)).toBe(true)
  })

  test.each([
    '2',
    '~2',
    '1.0.1',
    '1.1.0',
    '~1.1',
    '^1.0.1',
    '>1',
    '<1',
    '>1.0.0',
    '0.x',
    '0.9.0 || 2',
    '1.0.0-beta',
    'abc',
    'latest',
    '1, 2',
    '1,2',
    '01.0.0',
    '01',
    '1.0.0.0',
    '1 abc',
    'abc || 1',
    '>',
    '-1',
    'NaN',
    '',
    '  ',
  ])('%p is not', (range) => {
    expect(satisfies(range)).toBe(false)
  })

  test('stays right after more ranges than it remembers', () => {
    for (let patch = 0; patch < 1000; patch += 1) expect(satisfies(`1.0.${patch}`)).toBe(patch === 0)
    expect(satisfies('1.0.0')).toBe(true)
    expect(satisfies('1.0.1')).toBe(false)
  })

  test('more than 64 characters are no range', () => {
    expect(satisfies('1'.padEnd(64, ' '))).toBe(true)
    expect(satisfies('1'.padEnd(65, ' '))).toBe(false)
  })

  test('more than 4 comparators are no range', () => {
    expect(satisfies(Array.from({ length: 4 }, () => '>=1').join(' '))).toBe(true)
    expect(satisfies(Array.from({ length: 5 }, () => '>=1').join(' '))).toBe(false)
    expect(satisfies(Array.from({ length: 5 }, () => '1').join('||'))).toBe(false)
  })
})
