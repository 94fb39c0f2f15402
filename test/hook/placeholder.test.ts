import { describe, expect, test } from 'bun:test'
import { fillPattern, readPattern } from '../../src/hook/placeholder.ts'
import type { Filled, Pattern } from '../../src/hook/placeholder.ts'

const BODY = {
  id: 'evt_1',
  amount: 129_950,
  paid: true,
  note: null,
  names: ['ann', 'bob'],
  none: [],
  at: '2026-11-27T14:05:00Z',
  seconds: 1_795_788_300,
  customer: { name: 'Ann Lee', tags: [{ id: 7 }] },
  constructor: 'own',
}
const event = {
  body: BODY,
  header: (name: string) => (name === 'x-github-event' ? 'push' : null),
}

function patternOf(text: string): Pattern {
  const read = readPattern(text)
  if ('problem' in read) throw new Error(read.problem)
  return read
}

const filled = (text: string): Filled => fillPattern(patternOf(text), event)
const value = (is: string | readonly string[]) => ({ kind: 'filled', value: is }) as const

describe('a placeholder', () => {
  test.each<[string, string | readonly string[]]>([
    ['Hello', 'Hello'],
    ['', ''],
    ['{{ id }}', 'evt_1'],
    ['Order {{id}} of {{ customer.name }}.', 'Order evt_1 of Ann Lee.'],
    ['{{ customer.tags.0.id }}', '7'],
    ['{{ paid }}', 'true'],
    ['{{ @x-github-event }}', 'push'],
    ['{{ constructor }}', 'own'],
    ['{{ names }}', ['ann', 'bob']],
    ['{{ names | upper }}', ['ANN', 'BOB']],
    ['{{ none }}', []],
    ['{{ id | upper | truncate 4 }}', 'EVT…'],
    ['{{ id | truncate 5 }}', 'evt_1'],
    ['{{ customer.name | lower }}', 'ann lee'],
    ['{{ amount | divide 100 | number 2 }} €', '1,299.50 €'],
    ['{{ amount | number }}', '129,950'],
    ['{{ at | date }}', '2026-11-27 14:05'],
    ['{{ at | date Europe/Berlin }}', '2026-11-27 15:05'],
    ['{{ seconds | date }}', '2026-11-27 14:05'],
    ['{{ gone | default "nobody" }}', 'nobody'],
    ['{{ note | default "a | b" }}', 'a | b'],
    ['{{ id | default "nobody" }}', 'evt_1'],
    ['{{ names.1 }}', 'bob'],
  ])('%s is %j', (text, expected) => {
    expect(filled(text)).toEqual(value(expected))
  })

  test.each([
    ['{{ gone }}', 'missing', 'gone', 'is missing'],
    ['{{ note }}', 'missing', 'note', 'is missing'],
    ['{{ id.length }}', 'missing', 'id.length', 'is missing'],
    ['{{ customer.toString }}', 'missing', 'customer.toString', 'is missing'],
    ['{{ customer.__proto__ }}', 'missing', 'customer.__proto__', 'is missing'],
    ['{{ @x-other }}', 'missing', '@x-other', 'is missing'],
    ['{{ customer }}', 'unfit', 'customer', 'is an object, not a text or a number'],
    ['To {{ names }}', 'unfit', 'names', 'is a list, not a text or a number'],
    ['{{ customer.tags }}', 'unfit', 'customer.tags', 'is an object, not a text or a number'],
    ['{{ id | number }}', 'unfit', 'id', 'is not a number, which number needs'],
    ['{{ id | date }}', 'unfit', 'id', 'is not a time: ISO 8601, or seconds or ms since 1970, which date needs'],
  ] as const)('%s is refused: %s', (text, kind, path, problem) => {
    expect(filled(text)).toEqual({ kind, path, problem })
  })

  test.each([
    ['{{ id', 'a placeholder is not closed by }}'],
    ['{{ }}', '"" is not a path such as data.object.id, or a header such as @x-github-event'],
    ['{{ a b }}', '"a b" is not a path such as data.object.id, or a header such as @x-github-event'],
    ['{{ @authorization }}', '@authorization is not for a push'],
    ['{{ @cookie }}', '@cookie is not for a push'],
    [
      '{{ id | uper }}',
      'there is no filter "uper": upper, lower, truncate, number, divide, date, default. Did you mean upper?',
    ],
    ['{{ id | upper 3 }}', 'upper takes no argument'],
    ['{{ id | truncate }}', 'truncate needs a number of characters from 1 to 9999'],
    ['{{ id | number 9 }}', 'number needs a number of decimals from 0 to 6'],
    ['{{ id | divide 0 }}', 'divide needs a whole number above 0'],
    ['{{ at | date Mars/Olympus }}', 'date needs a time zone, such as Europe/Berlin'],
  ])('%s is no pattern', (text, problem) => {
    expect(readPattern(text)).toEqual({ problem })
  })

  test('cuts a text that is as long as a body', () => {
    const long = { body: { id: 'é'.repeat(200_000) }, header: () => null }
    expect(fillPattern(patternOf('{{ id | truncate 3 }}'), long)).toEqual(value('éé…'))
  })

  test('counts characters as people do', () => {
    expect(fillPattern(patternOf('{{ id | truncate 3 }}'), { body: { id: '👨‍👩‍👧👍🏽éx' }, header: () => null })).toEqual(
      value('👨‍👩‍👧👍🏽…'),
    )
  })
})
