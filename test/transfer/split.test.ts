import { describe, expect, test } from 'bun:test'
import { splitJson } from '../../src/transfer/split-json.ts'
import { splitLines } from '../../src/transfer/split-lines.ts'
import { BEGINNING } from '../../src/transfer/split.ts'
import type { Piece, FilePlace, Split } from '../../src/transfer/split.ts'

const csv = splitLines({ quoted: true })
const lines = splitLines({ quoted: false })

/** All pieces of a text that comes in parts of so many bytes. */
function split(how: Split, text: string, size = Number.POSITIVE_INFINITY, from: FilePlace = BEGINNING): Piece[] {
  const bytes = new TextEncoder().encode(text).subarray(from.offset)
  const splitter = how(from)
  const pieces: Piece[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(...splitter.push(bytes.slice(at, at + size)))
  pieces.push(...splitter.end())
  return pieces
}

function texts(how: Split, text: string): string[] {
  return split(how, text).map((piece) => piece.text)
}

const CSV = 'token,tag\n\nä1,"x\r\ny, ""z"""\r\nb2,5" wide\n"c3",""\nd4'
const JSON_LINES = '{"a":1}\n\n{"b":"}{\\""}\r\n{"c":[{}]}'
const DOCUMENT = '{"count":[1,{"no":1}],\n"results":[{"a":"]"},\n {"b":{"c":[]}},3,"x\\\\"],"more":{"no":2}}'
const KEYED = '{"users":{"u1":{"token":"t1"},"ü\\"2":{"token":{"deep":[1]}}},\n"others":{"u3":true}}'

const CASES: readonly [name: string, how: Split, text: string, pieces: readonly string[]][] = [
  ['a CSV', csv, CSV, ['token,tag', 'ä1,"x\r\ny, ""z"""', 'b2,5" wide', '"c3",""', 'd4']],
  ['lines', lines, JSON_LINES, ['{"a":1}', '{"b":"}{\\""}', '{"c":[{}]}']],
  [
    'a list under a key',
    splitJson({ depth: 2, under: 'results' }),
    DOCUMENT,
    ['{"a":"]"}', '{"b":{"c":[]}}', '3', '"x\\\\"'],
  ],
  [
    'what stands under keys',
    splitJson({ depth: 2, under: null }),
    KEYED,
    ['{"token":"t1"}', '{"token":{"deep":[1]}}', 'true'],
  ],
  ['one after the other', splitJson({ depth: 0, under: null }), '{\n"a":1\n}\n{"b":2}', ['{\n"a":1\n}', '{"b":2}']],
  ['a list', splitJson({ depth: 1, under: null }), '\uFEFF[1, {"a":[2]} ,"b"]', ['1', '{"a":[2]}', '"b"']],
]

describe('a file is taken apart', () => {
  for (const [name, how, text, pieces] of CASES) {
    test(`${name}: into its records`, () => {
      expect(texts(how, text)).toEqual([...pieces])
    })

    test(`${name}: into the same ones, wherever a read of it ends`, () => {
      const whole = split(how, text)
      for (let size = 1; size < text.length; size++) expect(split(how, text, size)).toEqual(whole)
    })

    test(`${name}: and each record says where to go on after it`, () => {
      const whole = split(how, text)
      for (const [at, { next }] of whole.entries()) expect(split(how, text, 3, next)).toEqual(whole.slice(at + 1))
    })
  }

  test('each record knows its line', () => {
    expect(split(csv, CSV).map(({ line }) => line)).toEqual([1, 3, 5, 6, 7])
    expect(split(splitJson({ depth: 2, under: 'results' }), DOCUMENT).map(({ line }) => line)).toEqual([2, 3, 3, 3])
  })

  test('a value knows the key under which it stands', () => {
    const pieces = split(splitJson({ depth: 2, under: null }), KEYED)
    expect(pieces.map(({ key }) => key)).toEqual(['u1', 'ü"2', 'u3'])
  })

  test('a quotation mark that is never closed costs its own line, and no other', () => {
    const text = 'a,"b\nc,d\n"e",f\n'
    // The mark before e closes the cell, as far as one can see; then the line ends as it should.
    expect(split(csv, text).map(({ text: each, broken }) => [each, broken])).toEqual([['a,"b\nc,d\n"e",f', false]])
    const open = split(csv, 'a,"b\nc,d\ne,f\n')
    expect(open.map(({ text: each, broken }) => [each, broken])).toEqual([
      ['a,"b', true],
      ['c,d', false],
      ['e,f', false],
    ])
    const long = split(csv, `a,"b\n${'c,d\n'.repeat(50_000)}`, 10_000)
    expect(long.filter(({ broken }) => broken).map(({ line }) => line)).toEqual([1])
    expect(long).toHaveLength(50_001)
  })

  test('what has no end is not taken for whole', () => {
    for (const text of ['[{"a":1},{"b":', '[{"a":1}', '[{"a":1},"b']) {
      const splitter = splitJson({ depth: 1, under: null })(BEGINNING)
      expect([...splitter.push(new TextEncoder().encode(text)), ...splitter.end()].map((piece) => piece.text)).toEqual([
        '{"a":1}',
      ])
      expect(splitter.pending()).toBeGreaterThan(0)
    }
  })
})
