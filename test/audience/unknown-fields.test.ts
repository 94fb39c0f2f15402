import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { hintAt, unknownField } from '../../src/audience/unknown-fields.ts'
import { pushBodies } from '../../src/push/push-schema.ts'

const { toAll, toOne } = pushBodies({ compat: false })
const namesOf = ({ schema }: typeof toAll | typeof toOne) => Object.keys(schema['properties'] as object)
const FIELDS = [...new Set([...namesOf(toAll), ...namesOf(toOne)])]

describe('a field that is not known', () => {
  test('is told from each known one by a slip of the hand, or another habit of writing', () => {
    const slips = (field: string) => [
      field.toUpperCase(),
      field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      field.replaceAll('_', '-'),
      `${field}s`,
      field[1] + field[0]! + field.slice(2), // Every name has two letters.
    ]
    for (const field of FIELDS) {
      for (const slip of slips(field)) {
        if (FIELDS.includes(slip)) continue
        const hint = hintAt(slip, FIELDS)
        expect([slip, hint]).toEqual([slip, expect.stringMatching(/^ Did you mean \w+\?$/)])
      }
      expect(hintAt(field.toUpperCase(), FIELDS)).toMatch(new RegExp(` Did you mean ${field}\\?`, 'i'))
    }
  })

  test('is told by what others call it only where that is known', () => {
    expect(hintAt('topic', FIELDS)).toBe(' Did you mean tags?')
    expect(hintAt('topic', ['msg', 'topics_match'])).toBe(' Known are msg, topics_match.')
    expect(hintAt('urls', ['url', 'link'])).toBe(' Did you mean url?')
    expect(hintAt('url', ['links', 'urn'])).toBe(' Did you mean urn?')
  })

  test('is said to be of another call where it is', () => {
    const elsewhere = { tags: 'is for many' }
    expect(unknownField('tags', ['msg'], elsewhere).failure.message).toBe('tags is for many.')
    expect(unknownField('Tag', ['msg'], elsewhere).failure.message).toBe('Tag is not known here. tags is for many.')
  })

  test('is named without what moves a terminal, in whichever way it is repeated', () => {
    const named = (name: string) => unknownField(name, ['msg']).failure.message
    expect(named('a\u009b2J\u007f')).toStartWith(String.raw`A field whose name is "a\x9b2J\x7f" is not known here.`)
    expect(named('a\u202eb\u2028')).toStartWith(String.raw`A field whose name is "a\u202eb\u2028" is not known here.`)
  })

  test('has a sentence that ends, is short and has no line break, whatever its name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const { code, message } = unknownField(name, ['msg', 'tags'], { token: 'is for one' }).failure
        expect(code).toBe('InvalidArgument')
        expect(message).toMatch(/[.?]$/)
        expect(message).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
        expect(message.length).toBeLessThan(300)
      }),
    )
  })
})
