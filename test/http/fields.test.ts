import { describe, expect, test } from 'bun:test'
import { Refused } from '../../src/failure.ts'
import { bodyOf, invalid, missing, optional, required, show } from '../../src/http/fields.ts'
import type { Body, Field } from '../../src/http/fields.ts'

const word: Field<string> = {
  schema: { type: 'string', maxLength: 5 },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
    return value.toUpperCase()
  },
}
const wordOrEmpty: Field<string> = { ...word, emptyIsAbsent: false }
const anything: Field<unknown> = { schema: {}, emptyIsAbsent: true, read: (value) => [value] }

function read<T>(body: Body<T>, value: unknown): T {
  return body['~standard'].validate(value).value
}

/** Code and message of the refusal. */
function refusal(body: Body<unknown>, value: unknown): string {
  try {
    read(body, value)
  } catch (error) {
    if (error instanceof Refused) return `${error.failure.code}: ${error.failure.message}`
    throw error
  }
  return 'read'
}

describe('the log of a wrong field', () => {
  test.each([
    ['tags[0]', 'tags[0] must be a string.'],
    ['schedule[3][12]', 'schedule[3][12] must be a string.'],
    ['where.all[0].secret', 'where.… must be a string.'],
    ['where[0].secret', 'where[0].… must be a string.'],
    ['secret["4242"]', 'secret[… must be a string.'],
    ['payload', 'payload must be a string.'],
  ])('%s has no name and no value that was sent', (name, logged) => {
    expect(invalid(name, 'must be a string, not "secret"').failure).toMatchObject({
      message: `${name} must be a string, not "secret".`,
      logged,
    })
  })
})

describe('a body', () => {
  const body = bodyOf({ token: required(word), sound: required(wordOrEmpty), note: optional(word) })

  test('gives each field as its reader reads it', () => {
    const given: { readonly token: string; readonly sound: string; readonly note?: string } = read(body, {
      token: 'a',
      sound: 'b',
      note: 'c',
    })
    expect(given).toStrictEqual({ token: 'A', sound: 'B', note: 'C' })
  })

  test('has no key for an optional field that is absent, null, or empty where empty says nothing', () => {
    for (const note of [undefined, null, '']) {
      expect(read(body, { token: 'a', sound: 'b', note })).toStrictEqual({ token: 'A', sound: 'B' })
    }
  })

  test('takes an empty string for a value where empty says something', () => {
    expect(read(body, { token: 'a', sound: '' })).toStrictEqual({ token: 'A', sound: '' })
  })

  test('refuses a required field that is absent, null, or empty where empty says nothing', () => {
    for (const token of [undefined, null, '']) {
      expect(refusal(body, { token, sound: 'b' })).toBe('MissingParameter: token is required.')
    }
    for (const sound of [undefined, null]) {
      expect(refusal(body, { token: 'a', sound })).toBe('MissingParameter: sound is required.')
    }
  })

  test('takes 0, false and empty arrays and objects for present', () => {
    for (const value of [0, false, [], {}]) {
      expect(read(bodyOf({ any: required(anything) }), { any: value })).toStrictEqual({ any: [value] })
    }
  })

  test('reports a missing field before a wrong one, whichever comes first', () => {
    expect(refusal(body, { token: 1 })).toBe('MissingParameter: sound is required.')
    expect(refusal(body, { sound: 1 })).toBe('MissingParameter: token is required.')
    expect(refusal(body, { token: 'a', sound: 'b', note: 1 })).toBe('InvalidArgument: note must be a string, not 1.')
  })

  test('reports the first of several missing fields, and of several wrong ones, in the order of its description', () => {
    expect(refusal(body, {})).toBe('MissingParameter: token is required.')
    expect(refusal(body, { note: 2, sound: 1, token: 0 })).toBe('InvalidArgument: token must be a string, not 0.')
  })

  test('ignores unknown fields, names of Object.prototype among them', () => {
    const given: unknown = JSON.parse('{"token":"a","sound":"b","x":1,"constructor":1,"__proto__":{"note":"c"}}')
    expect(read(body, given)).toStrictEqual({ token: 'A', sound: 'B' })
  })

  test('with no fields given is read as one with none, if none is required', () => {
    expect(read(bodyOf({ note: optional(word) }), {})).toStrictEqual({})
  })
})

describe('another spelling of a field', () => {
  const body = bodyOf({ alias: required(word, ['Alias', 'ALIAS']) })

  test('is read where the field itself is absent, null or empty', () => {
    for (const given of [{ Alias: 'a' }, { alias: null, Alias: 'a' }, { alias: '', Alias: 'a' }, { ALIAS: 'a' }]) {
      expect(read(body, given)).toStrictEqual({ alias: 'A' })
    }
  })

  test('is ignored where the field itself is present', () => {
    expect(read(body, { Alias: 'b', alias: 'a' })).toStrictEqual({ alias: 'A' })
    expect(read(body, { ALIAS: 'c', Alias: 'b' })).toStrictEqual({ alias: 'B' })
  })

  test('is held against the same rules, and reported as the caller wrote it', () => {
    expect(refusal(body, { Alias: '' })).toBe('MissingParameter: alias is required.')
    expect(refusal(body, { Alias: 1 })).toBe('InvalidArgument: Alias must be a string, not 1.')
    expect(refusal(body, { alias: 1, Alias: 'a' })).toBe('InvalidArgument: alias must be a string, not 1.')
  })
})

describe('a check of the whole body', () => {
  const body = bodyOf({ lat: optional(word), lng: optional(word) }, ({ lat, lng }) => {
    if (lat !== undefined && lng === undefined) throw missing('lng', ' with lat')
    return [lat, lng]
  })

  test('sees the fields as they were read, and gives what the body is read as', () => {
    expect(read(body, { lat: 'a', lng: 'b' })).toEqual(['A', 'B'])
    expect(read(body, {})).toEqual([undefined, undefined])
  })

  test('refuses with its own words', () => {
    expect(refusal(body, { lat: 'a' })).toBe('MissingParameter: lng is required with lat.')
  })

  test('comes after the fields', () => {
    expect(refusal(body, { lat: 1 })).toBe('InvalidArgument: lat must be a string, not 1.')
  })
})

describe('the description of a body', () => {
  test('has the schema of each field, and names the required ones', () => {
    const { schema } = bodyOf({ token: required(word), note: optional(anything) })
    expect(schema).toEqual({
      type: 'object',
      properties: { token: { type: 'string', maxLength: 5 }, note: {} },
      required: ['token'],
    })
  })

  test('has every spelling of a field, with the same limits', () => {
    expect(bodyOf({ alias: required(word, ['Alias']) }).schema).toEqual({
      type: 'object',
      properties: {
        alias: { type: 'string', maxLength: 5 },
        Alias: { type: 'string', maxLength: 5, description: 'Read where `alias` is absent.' },
      },
      required: ['alias'],
    })
  })

  test('has no list of required fields where none is: OpenAPI 3.0 allows no empty one', () => {
    expect(bodyOf({ note: optional(word) }).schema).not.toHaveProperty('required')
  })
})

test('a value is shown without repeating much of it', () => {
  const shown = ['', 'abc', 'x'.repeat(32), 'x'.repeat(33), 1.5, true, null, [1], { a: 1 }].map(show)
  expect(shown).toEqual([
    '""',
    '"abc"',
    `"${'x'.repeat(32)}"`,
    'a string of 33 characters',
    '1.5',
    'true',
    'null',
    'an array',
    'an object',
  ])
  expect(show('\ud800\u0000')).toBe('"\\ud800\\u0000"')
})
