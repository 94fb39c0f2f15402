import { describe, expect, test } from 'bun:test'
import {
  count,
  exampleOf,
  listOf,
  mapOf,
  objectSchema,
  oneOf,
  orNull,
  shapeOf,
  shownAs,
  text,
} from '../../src/http/answer-schema.ts'
import type { AnswerOf } from '../../src/http/answer-schema.ts'

const THING = objectSchema(
  'Thing',
  {
    name: text('What it is called.', 'bell'),
    state: oneOf(['new', 'old'], undefined, 'new'),
    parts: listOf(shapeOf({ size: count('In millimetres.', 3) })),
    owner: orNull(text('Who has it.'), null),
    colour: text('Absent: not painted.'),
  },
  ['colour'],
)

describe('one description of an answer', () => {
  test('has its schema', () => {
    expect(JSON.parse(JSON.stringify(THING))).toEqual({
      title: 'Thing',
      type: 'object',
      required: ['name', 'state', 'parts', 'owner'],
      properties: {
        name: { type: 'string', description: 'What it is called.' },
        state: { type: 'string', enum: ['new', 'old'] },
        parts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['size'],
            properties: { size: { type: 'integer', minimum: 0, description: 'In millimetres.' } },
          },
        },
        owner: { type: ['string', 'null'], description: 'Who has it.' },
        colour: { type: 'string', description: 'Absent: not painted.' },
      },
    })
  })

  test('has its type', () => {
    const thing: AnswerOf<typeof THING> = { name: 'a', state: 'old', parts: [{ size: 1 }], owner: null }
    // @ts-expect-error: not one of the states
    const strange: AnswerOf<typeof THING> = { ...thing, state: 'lost' }
    // @ts-expect-error: not an object of this shape
    const short: AnswerOf<typeof THING> = { name: 'a' }
    expect([thing, strange, short]).toHaveLength(3)
  })

  test('has an example, made of those of its parts; a part without one is left out where it may be', () => {
    expect(exampleOf(THING)).toEqual({ name: 'bell', state: 'new', parts: [{ size: 3 }], owner: null })
    expect(exampleOf(listOf(THING))?.[0]).toEqual(exampleOf(THING))
  })

  test('has no example where a part that must be there has none', () => {
    expect(exampleOf(shapeOf({ name: text(), size: count('', 1) }))).toBeUndefined()
    expect(exampleOf(shapeOf({ one: shownAs(THING, undefined), size: count('', 1) }))).toBeUndefined()
  })
})

test('what may be null is a second type, or beside a component a second schema', () => {
  expect(orNull(oneOf(['a', 'b']))).toMatchObject({ type: ['string', 'null'], enum: ['a', 'b', null] })
  expect(orNull({ ...THING, description: 'Of the house.' })).toMatchObject({
    description: 'Of the house.',
    anyOf: [{ title: 'Thing' }, { type: 'null' }],
  })
  expect(orNull({ ...THING, description: 'Of the house.' })).not.toHaveProperty('title')
})

test('a map says what its values are', () => {
  const sizes = mapOf(count(), 'By name.', { bell: 3 })
  const given: AnswerOf<typeof sizes> = { bell: 4 }
  expect(given['bell']).toBe(4)
  expect(sizes).toMatchObject({ type: 'object', additionalProperties: { type: 'integer' }, description: 'By name.' })
  expect(exampleOf(sizes)).toEqual({ bell: 3 })
})
