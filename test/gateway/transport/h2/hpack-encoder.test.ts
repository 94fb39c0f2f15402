import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { HpackDecoder } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import { HpackEncoder, maxBlockBytes, writeBlock } from '../../../../src/gateway/transport/h2/hpack-encoder.ts'
import type { TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import { fieldsIn, hex, indexed, integer, sizeUpdate, string } from './blocks.ts'

const AUTHORITY = 'api.push.apple.com'

const HEADERS = {
  authorization: 'bearer one',
  'apns-topic': 'com.example.app',
  'apns-push-type': 'alert',
}

function request(more: Partial<TransportRequest> = {}): TransportRequest {
  return { path: '/3/device/ab', headers: HEADERS, own: ['apns-id', 'id-1'], body: '', ...more }
}

/** The header block of a request whose body has `bodyBytes`; default 42. */
function blockOf(encoder: HpackEncoder, asked: TransportRequest, bodyBytes = 42): Buffer {
  const prepared = encoder.prepare(asked)
  const most = maxBlockBytes(prepared, asked)
  const buffer = Buffer.alloc(most + 100, 0xee)
  const end = writeBlock(buffer, 7, prepared, asked, bodyBytes)
  expect(end - 7).toBeLessThanOrEqual(most)
  return buffer.subarray(7, end)
}

function told({ path, headers, own }: TransportRequest, bodyBytes = 42): readonly string[] {
  return [
    ':method: POST',
    ':scheme: https',
    `:authority: ${AUTHORITY}`,
    `:path: ${path}`,
    `content-length: ${bodyBytes}`,
    ...[...Object.entries(headers), ...(own === undefined ? [] : [own])].map(([name, value]) => `${name}: ${value}`),
  ]
}

/** 6.2.2: a literal without indexing, with the name of an index. */
const literal = (index: number, value: string) => Buffer.concat([integer(0, 4, index), string(value)])
/** 6.2.1: a literal that goes into the table, with a new name. */
const insertedNew = (name: string, value: string) => Buffer.concat([hex('40'), string(name), string(value)])

const [METHOD_POST, SCHEME_HTTPS, PATH, AUTHORIZATION, CONTENT_LENGTH] = [3, 7, 4, 23, 28]

describe('the blocks of one connection', () => {
  const fixed = [literal(PATH, '/3/device/ab'), literal(CONTENT_LENGTH, '42'), literal(AUTHORIZATION, 'bearer one')]

  test('the first has all names, and puts into the table what other requests have too', () => {
    expect(blockOf(new HpackEncoder(AUTHORITY), request())).toEqual(
      Buffer.concat([
        indexed(METHOD_POST),
        indexed(SCHEME_HTTPS),
        Buffer.concat([integer(0x40, 6, 1), string(AUTHORITY)]),
        ...fixed,
        insertedNew('apns-topic', 'com.example.app'),
        insertedNew('apns-push-type', 'alert'),
        insertedNew('apns-id', 'id-1'),
      ]),
    )
  })

  test('the second says a byte for each of them, and of apns-id the name', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    blockOf(encoder, request())
    const second = Buffer.concat([
      indexed(METHOD_POST),
      indexed(SCHEME_HTTPS),
      indexed(65),
      ...fixed,
      indexed(64),
      indexed(63),
      literal(62, 'id-2'),
    ])
    expect(blockOf(encoder, request({ own: ['apns-id', 'id-2'] }))).toEqual(second)
    expect(blockOf(encoder, request({ own: ['apns-id', 'id-2'] }))).toEqual(second)
  })

  test('authorization, :path and content-length never go into the table', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    for (let n = 0; n < 20; n++) {
      const headers = { ...HEADERS, authorization: `bearer ${n}` }
      fieldsIn(decoder, blockOf(encoder, request({ headers, path: `/3/device/${n}` }), n))
    }
    const entries = fieldsIn(decoder, Buffer.from([0xbe, 0xbf, 0xc0, 0xc1]))
    expect(entries).toEqual([
      'apns-id: id-1',
      'apns-push-type: alert',
      'apns-topic: com.example.app',
      `:authority: ${AUTHORITY}`,
    ])
    expect(fieldsIn(decoder, indexed(66))).toBe('malformed')
  })

  test('authorization is a byte after its first time where that is allowed, and a new one takes its place', () => {
    const encoder = new HpackEncoder(AUTHORITY, { indexesAuthorization: true })
    const decoder = new HpackDecoder()
    const token = (digit: string) => `Bearer ${digit.repeat(1024)}`
    const lengths = ['1', '1', '1', '2', '2', '3', '4', '5', '5'].map((digit) => {
      const asked = request({ headers: { authorization: token(digit), 'content-type': 'application/json' } })
      const block = blockOf(encoder, asked)
      expect(fieldsIn(decoder, block)).toEqual(told(asked))
      return block.length > 1024
    })
    expect(lengths).toEqual([true, false, false, true, false, true, true, true, false])
  })

  test('authorization is a literal where the table has no room for it', () => {
    const encoder = new HpackEncoder(AUTHORITY, { indexesAuthorization: true })
    const decoder = new HpackDecoder()
    encoder.resize(512)
    const asked = request({ headers: { authorization: `Bearer ${'1'.repeat(1024)}` } })
    for (let n = 0; n < 3; n++) expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
    expect(fieldsIn(decoder, indexed(62))).toEqual(['apns-id: id-1'])
  })

  test.each(['apns-id', 'apns-expiration', 'apns-collapse-id', 'ttl', 'topic'])(
    'the name %s goes into the table once, and none of its other values does',
    (name) => {
      for (const isOwn of [true, false]) {
        const encoder = new HpackEncoder(AUTHORITY)
        const decoder = new HpackDecoder()
        const sent = (value: string) =>
          isOwn
            ? request({ headers: HEADERS, own: [name, value] })
            : { path: '/x', headers: { ...HEADERS, [name]: value }, body: '' }
        for (let n = 0; n < 20; n++) {
          const asked = sent(`value ${n}`)
          expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
        }
        expect(fieldsIn(decoder, indexed(62))).toEqual([`${name}: value 0`])
        expect(fieldsIn(decoder, indexed(66))).toBe('malformed')
      }
    },
  )

  test('a field of its own that is of no known kind goes into the table once', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    for (const value of ['a', 'b', 'c', 'a']) {
      const asked = request({ own: ['x-own', value] })
      expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
    }
    expect(fieldsIn(decoder, indexed(62))).toEqual(['x-own: a'])
    expect(fieldsIn(decoder, indexed(63))).toEqual(['apns-push-type: alert'])
  })

  test('a new provider token is a new block: no request has the old one, or none', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    const rotated = { ...HEADERS, authorization: 'bearer two' }
    for (const headers of [HEADERS, HEADERS, rotated, HEADERS, rotated, rotated, { ...rotated }]) {
      const asked = request({ headers })
      expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
    }
  })

  test('the same headers may come with another own field, and without one', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    const owns = [['apns-id', '1'], undefined, ['topic', 't'], ['apns-id', '2'], undefined, ['topic', 'u']] as const
    for (const own of [...owns, ...owns]) {
      const asked = { path: '/p', headers: HEADERS, body: '', ...(own !== undefined && { own }) }
      expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
    }
  })
})

describe('the size of the table', () => {
  const prefixOf = (encoder: HpackEncoder) => blockOf(encoder, request()).subarray(0, 8)
  const startsWith = (...updates: readonly number[]) =>
    Buffer.concat([...updates.map(sizeUpdate), indexed(METHOD_POST), indexed(SCHEME_HTTPS)])

  test.each([
    ['nothing where it stays', [4096], []],
    ['nothing where the peer would have a larger one', [65_536], []],
    ['a smaller one', [100], [100]],
    ['none at all', [0], [0]],
    ['the last of several that fall', [1000, 500, 100], [100]],
    ['the smallest and the last', [1000, 100, 500], [100, 500]],
    ['that it was empty in between', [0, 4096], [0, 4096]],
    ['that it was small in between, and is as large as we use', [50, 8192], [50, 4096]],
  ])('the next block says first: %s', (_, sizes, said) => {
    const encoder = new HpackEncoder(AUTHORITY)
    for (const size of sizes) encoder.resize(size)
    const expected = startsWith(...said)
    expect(prefixOf(encoder).subarray(0, expected.length)).toEqual(expected)
    // Once: the block after it says nothing of it.
    expect(prefixOf(encoder).subarray(0, 2)).toEqual(startsWith())
  })

  test('0: each field is a literal, in each block', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    encoder.resize(0)
    const block = Buffer.concat([
      indexed(METHOD_POST),
      indexed(SCHEME_HTTPS),
      literal(1, AUTHORITY),
      literal(PATH, '/3/device/ab'),
      literal(CONTENT_LENGTH, '42'),
      literal(AUTHORIZATION, 'bearer one'),
      ...Object.entries({ ...HEADERS, authorization: '', 'apns-id': 'id-1' })
        .filter(([name]) => name !== 'authorization')
        .map(([name, value]) => Buffer.concat([hex('00'), string(name), string(value)])),
    ])
    expect(blockOf(encoder, request())).toEqual(Buffer.concat([sizeUpdate(0), block]))
    expect(blockOf(encoder, request())).toEqual(block)
    expect(blockOf(encoder, request())).toEqual(block)
  })

  test('a block that was prepared for another table is not used', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    for (const size of [null, null, 200, null, 0, null, 4096, null, 60]) {
      if (size !== null) encoder.resize(size)
      expect(fieldsIn(decoder, blockOf(encoder, request()))).toEqual(told(request()))
    }
  })

  test('more header sets than fit into the table are all right, in any order', () => {
    const encoder = new HpackEncoder(AUTHORITY)
    const decoder = new HpackDecoder()
    const sets = Array.from({ length: 60 }, (_, n) => ({ ...HEADERS, 'apns-topic': `com.example.app${'x'.repeat(n)}` }))
    for (let n = 0; n < 600; n++) {
      const asked = request({ headers: sets[(n * n + Math.floor(n / 7)) % 60] ?? HEADERS, own: ['apns-id', `id-${n}`] })
      expect(fieldsIn(decoder, blockOf(encoder, asked))).toEqual(told(asked))
    }
  })
})

describe('any requests on a connection whose table changes', () => {
  const value = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '\t', '~', '\u00ff', '\u0080'), maxLength: 20 }),
    fc.nat(400).map((length) => 'v'.repeat(length)),
    fc.constantFrom(126, 127, 128, 254, 255, 256, 4000, 4063, 4064).map((length) => 'w'.repeat(length)),
  )
  const name = fc.constantFrom(
    'authorization',
    'apns-topic',
    'apns-id',
    'apns-expiration',
    'apns-collapse-id',
    'ttl',
    'topic',
    'content-type',
    'accept',
    'user-agent',
    'x-a',
    'x-b',
    'n'.repeat(200),
  )
  const set = fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true })
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ set: fc.nat(4), own: fc.option(fc.tuple(name, value)), path: value }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 31, 32, 33, 64, 100, 500, 4095, 4096, 10_000) },
  )

  test('are decoded as they were asked', () => {
    fc.assert(
      fc.property(fc.array(set, { minLength: 5, maxLength: 5 }), fc.array(step, { maxLength: 40 }), (sets, steps) => {
        const encoder = new HpackEncoder(AUTHORITY)
        const decoder = new HpackDecoder()
        for (const each of steps) {
          if (typeof each === 'number') {
            encoder.resize(each)
            continue
          }
          const headers = sets[each.set] ?? {}
          const own = each.own === null || each.own[0] in headers ? {} : { own: each.own }
          const asked = { path: `/${each.path}`, headers, body: '', ...own }
          const fields = fieldsIn(decoder, blockOf(encoder, asked))
          // What is larger is never sent: see request-fault.ts.
          if (fields === 'too large') return
          expect(fields).toEqual(told(asked))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('never take more bytes than were reserved for them, whatever the lengths', () => {
    const long = request({ path: `/${'p'.repeat(16_000)}`, own: ['apns-id', 'v'.repeat(16_000)] })
    const encoder = new HpackEncoder(AUTHORITY)
    for (const bodyBytes of [0, 9, 99_999, 1_000_000, 2 ** 31, 2 ** 53 - 1]) blockOf(encoder, long, bodyBytes)
    // Once more with the own field's name from the table.
    blockOf(encoder, request())
    for (const bodyBytes of [0, 9, 99_999, 1_000_000, 2 ** 31, 2 ** 53 - 1]) blockOf(encoder, long, bodyBytes)
  })
})
