import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { coerced } from '../../src/http/compat.ts'
import type { JsonSchema } from '../../src/http/fields.ts'

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }
const NUMBERS = { type: 'array', items: { type: 'number' } }
const WHOLE = { type: 'integer' }
const OBJECT = { type: 'object' }

describe('loosened', () => {
  const readings: readonly (readonly [schema: JsonSchema, given: unknown, read: unknown])[] = [
    [TEXT, 17, '17'],
    [TEXT, 0, '0'],
    [TEXT, 1.5, '1.5'],
    [TEXT, ['a'], 'a'],
    [TEXT, [17], '17'],
    [TEXT, [1, 2], ['1', '2']],
    [TEXT, [['a']], ['a']],
    [TEXT, [null], null],
    [TEXTS, 5, '5'],
    [TEXTS, ['a', 5], ['a', '5']],
    [TEXTS, [5], ['5']],
    [NUMBERS, [5], [5]],
    [WHOLE, ['4'], '4'],
    [WHOLE, 4, 4],
    [OBJECT, { a: 1 }, { a: 1 }],
    [OBJECT, [1], [1]],
    [{}, [1], [1]],
  ]
  test.each(readings)('for %j reads %j as %j', (schema, given, read) => {
    expect(coerced({ field: given }, { field: schema })).toEqual({ field: read })
  })

  test('touches no field that has no schema, not even one that every object has', () => {
    const given = { unknown: [5], constructor: [5], toString: 5 }
    expect(coerced(given, {})).toEqual(given)
  })

  test('leaves alone what is as the schema wants it, and what it has read', () => {
    const body = fc.record({
      text: fc.string(),
      texts: fc.array(fc.string()),
      whole: fc.integer(),
      object: fc.object(),
    })
    const schemas = { text: TEXT, texts: TEXTS, whole: WHOLE, object: OBJECT }
    fc.assert(
      fc.property(body, (given) => {
        expect(coerced(given, schemas)).toEqual(given)
      }),
    )
    const anything = fc.dictionary(
      fc.constantFrom('text', 'texts', 'whole'),
      fc.oneof(fc.double(), fc.string(), fc.array(fc.double())),
    )
    fc.assert(
      fc.property(anything, (given) => {
        const once = coerced(given, schemas)
        expect(coerced(once, schemas)).toEqual(once)
      }),
    )
  })

  test('a number that becomes text is the same number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(), fc.double({ noNaN: true })), (value) => {
        const { text } = coerced({ text: value }, { text: TEXT })
        expect(typeof text === 'string' ? Number(text) : text).toBe(typeof text === 'string' ? value + 0 : value)
      }),
    )
  })
})
