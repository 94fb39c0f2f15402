import { describe, expect, test } from 'bun:test'
import { HpackDecoder } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import { fieldsIn, fieldsInFirst, hex, indexed, inserted, integer, sizeUpdate, string } from './blocks.ts'
import { bitsOf, EOS, packed } from './huffman-code.ts'

/** The first index of the dynamic table (RFC 7541, 2.3.3). */
const NEWEST = 62

describe('the examples of RFC 7541, appendix C, are decoded', () => {
  test.each([
    ['C.2.1', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', 'custom-key: custom-header', true],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', ':path: /sample/path', false],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password: secret', false],
    ['C.2.4', '82', ':method: GET', false],
  ])('%s', (_, block, field, isInserted) => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, hex(block))).toEqual([field])
    expect(fieldsIn(decoder, indexed(NEWEST))).toEqual(isInserted ? [field] : 'malformed')
  })

  const first = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']
  const requests = [
    first,
    [...first, 'cache-control: no-cache'],
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'],
  ]
  test.each([
    [
      'C.3',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'C.4',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
  ])('%s: three requests on one connection', (_, blocks) => {
    const decoder = new HpackDecoder()
    expect(blocks.map((block) => fieldsIn(decoder, hex(block)))).toEqual(requests)
    expect(fieldsIn(decoder, hex('be bf c0'))).toEqual([
      'custom-key: custom-value',
      'cache-control: no-cache',
      ':authority: www.example.com',
    ])
    expect(fieldsIn(decoder, hex('c1'))).toBe('malformed')
  })

  const date = (second: number) => `date: Mon, 21 Oct 2013 20:13:${second} GMT`
  const [isPrivate, location] = ['cache-control: private', 'location: https://www.example.com']
  const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
  test.each([
    [
      'C.5',
      [
        `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d
         546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
        '4803 3330 37c1 c0bf',
        `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f
         6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b
         2076 6572 7369 6f6e 3d31`,
      ],
    ],
    [
      'C.6',
      [
        `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7
         8f0b 97c8 e9ae 82ae 43d3`,
        '4883 640e ffc1 c0bf',
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
         dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ],
    ],
  ])('%s: three answers, with evictions from a table of 256 bytes', (_, [one = '', two = '', three = '']) => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, Buffer.concat([sizeUpdate(256), hex(one)]))).toEqual([
      ':status: 302',
      isPrivate,
      date(21),
      location,
    ])
    expect(fieldsIn(decoder, hex(two))).toEqual([':status: 307', isPrivate, date(21), location])
    expect(fieldsIn(decoder, hex(three))).toEqual([
      ':status: 200',
      isPrivate,
      date(22),
      location,
      'content-encoding: gzip',
      cookie,
    ])
    expect(fieldsIn(decoder, hex('be bf c0'))).toEqual([cookie, 'content-encoding: gzip', date(22)])
    expect(fieldsIn(decoder, hex('c1'))).toBe('malformed')
  })
})

describe('an integer', () => {
  test.each([
    [10, '2a'],
    [30, '3e'],
    [31, '3f 00'],
    [1337, '3f 9a 0a'],
    [4096, '3f e1 1f'],
  ])('%i with a prefix of 5 bits is the size of a table that holds as much, and not a byte more', (bytes, update) => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, hex(update))).toEqual([])
    const room = bytes - 32 - 'x'.length
    if (room >= 0) {
      expect(fieldsIn(decoder, inserted('x', 'v'.repeat(room)))).toBeArrayOfSize(1)
      expect(fieldsIn(decoder, indexed(NEWEST))).toEqual([`x: ${'v'.repeat(room)}`])
    }
    expect(fieldsIn(decoder, inserted('x', 'v'.repeat(Math.max(0, room + 1))))).toBeArrayOfSize(1)
    expect(fieldsIn(decoder, indexed(NEWEST))).toBe('malformed')
  })

  test.each([
    [126, '7e'],
    [127, '7f 00'],
    [128, '7f 01'],
    [254, '7f 7f'],
    [255, '7f 80 01'],
    [1337, '7f ba 09'],
  ])('%i with a prefix of 7 bits is the length of a string', (length, bytes) => {
    const value = 'v'.repeat(length)
    expect(fieldsInFirst(Buffer.concat([hex('00 01 78'), hex(bytes), Buffer.from(value)]))).toEqual([`x: ${value}`])
  })

  test('may have bytes in its encoding that add nothing', () => {
    expect(fieldsInFirst(hex('7f 80 00 01 76'))).toBe('malformed')
    expect(fieldsInFirst(hex('0f 80 00 01 76'))).toEqual(['accept-charset: v'])
  })

  test.each([
    ['of the static table', 61, 'www-authenticate'],
    ['of a name beyond the prefix of 4 bits', 15, 'accept-charset'],
  ])('is an index %s', (_, index, name) => {
    expect(fieldsInFirst(Buffer.concat([integer(0, 4, index), string('v')]))).toEqual([`${name}: v`])
    expect(fieldsInFirst(Buffer.concat([integer(0x10, 4, index), string('v')]))).toEqual([`${name}: v`])
    expect(fieldsInFirst(Buffer.concat([integer(0x40, 6, index), string('v')]))).toEqual([`${name}: v`])
  })
})

describe('the Huffman code', () => {
  const literal = (huffman: Buffer) => Buffer.concat([hex('00 01 78'), integer(0x80, 7, huffman.length), huffman])
  const every = Array.from({ length: 256 }, (_, byte) => byte)

  test('of each byte is decoded at each position in a byte', () => {
    for (const byte of every) {
      for (let before = 0; before < 8; before++) {
        // The code of "0" has five bits.
        const symbols = [...Array.from({ length: before }, () => 0x30), byte, 0x7a]
        const text = Buffer.from(symbols).toString('latin1')
        expect(fieldsInFirst(literal(packed(bitsOf(symbols))))).toEqual([`x: ${text}`])
      }
    }
  })

  test('of all bytes in turn is decoded, forwards and backwards', () => {
    for (const symbols of [every, every.toReversed()]) {
      expect(fieldsInFirst(literal(packed(bitsOf(symbols))))).toEqual([`x: ${Buffer.from(symbols).toString('latin1')}`])
    }
  })

  test('of a string that is longer than any before is decoded', () => {
    const text = 'a'.repeat(16_000)
    expect(fieldsInFirst(literal(packed(bitsOf(Buffer.from(text)))))).toEqual([`x: ${text}`])
  })

  test('of nothing is the empty string', () => {
    expect(fieldsInFirst(literal(Buffer.alloc(0)))).toEqual(['x: '])
  })

  test.each([
    ['EOS', bitsOf([EOS]), '1'],
    ['EOS after a string', bitsOf([0x61, EOS]), '1'],
    ['EOS before a string', bitsOf([EOS, 0x61, 0x61]), '1'],
    ['8 bits of padding', '11111111', '1'],
    ['8 bits of padding after whole bytes', `${bitsOf(Buffer.from('&&'))}11111111`, '1'],
    ['11 bits of padding', `${bitsOf([0x61])}11111111111`, '1'],
    ['padding with zeros', bitsOf([0x61]), '0'],
    ['padding whose last bit is no one', `${bitsOf([0x61])}110`, '1'],
    ['padding whose first bit is no one', `${bitsOf([0x3a])}0`, '1'],
    ['a long code without its last bit', bitsOf([0x0a]).slice(0, -6), '1'],
    ['a long code without its end', bitsOf([0x5c]).slice(0, -3), '1'],
  ])('is malformed with %s', (_, bits, padding) => {
    expect(fieldsInFirst(literal(packed(bits, padding)))).toBe('malformed')
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('may end with %i bits of padding', (padding) => {
    // "0" has five bits, and "&" eight.
    const zeros = [0, 1, 2, 3, 4, 5, 6, 7].find((count) => (count * 5 + padding) % 8 === 0) ?? 0
    const text = `${'0'.repeat(zeros)}&`
    expect(bitsOf(Buffer.from(text)).length % 8).toBe((8 - padding) % 8)
    expect(fieldsInFirst(literal(packed(bitsOf(Buffer.from(text)))))).toEqual([`x: ${text}`])
  })
})

describe('a block is malformed', () => {
  test.each([
    ['with index 0', '80'],
    ['with an index that no table has', 'be'],
    ['with an index far beyond both tables', 'ff ff 00'],
    ['with the name of an index that no table has', '7e 01 76'],
    ['with an integer that ends the block', 'ff'],
    ['with an integer that goes on past the end', 'ff 80'],
    ['with an integer of 2^28 and more', 'ff ff ff ff ff 01'],
    ['with an integer that never ends', 'ff 80 80 80 80 80 80 80 80 80 80 80 80 00'],
    ['with an integer that would be small modulo 2^32', 'ff 82 ff ff ff 0f'],
    ['with a length that is negative modulo 2^32', '00 01 78 7f ff ff ff ff 0f'],
    ['without the name', '00'],
    ['with a part of the name', '00 02 78'],
    ['without the value', '00 01 78'],
    ['without the value of an indexed name', '44'],
    ['with a part of the value', '00 01 78 02 76'],
    ['with a part of a Huffman value', '00 01 78 82 1f'],
    ['with a length whose integer is cut', '00 01 78 7f'],
    ['with a table larger than 4096 bytes', '3f e2 1f'],
    ['with an update of the size after a field', '82 20'],
    ['with an update of the size at its end', '82 84 3f e1 01'],
  ])('%s', (_, block) => {
    expect(fieldsInFirst(hex(block))).toBe('malformed')
  })

  test('with an index that names an entry no more', () => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, inserted('x', 'v'))).toEqual(['x: v'])
    expect(fieldsIn(decoder, Buffer.concat([sizeUpdate(0), sizeUpdate(4096), indexed(NEWEST)]))).toBe('malformed')
  })
})

describe('the table', () => {
  test('is emptied by an entry that does not fit into it, which is decoded all the same', () => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, inserted('x', 'v'))).toEqual(['x: v'])
    const value = 'v'.repeat(4064)
    expect(fieldsIn(decoder, inserted('y', value))).toEqual([`y: ${value}`])
    expect(fieldsIn(decoder, indexed(NEWEST))).toBe('malformed')
  })

  test('holds as many of the smallest entries as are possible', () => {
    const decoder = new HpackDecoder()
    const names = Array.from({ length: 300 }, (_, n) => String(n))
    for (const name of names) expect(fieldsIn(decoder, inserted('', name))).toEqual([`: ${name}`])
    // 35 bytes each: 117 are left.
    const left = names.slice(-117).toReversed()
    for (const [n, name] of left.entries()) expect(fieldsIn(decoder, indexed(NEWEST + n))).toEqual([`: ${name}`])
    expect(fieldsIn(decoder, indexed(NEWEST + 117))).toBe('malformed')

    const empty = new HpackDecoder()
    for (let n = 0; n < 200; n++) expect(fieldsIn(empty, inserted('', ''))).toEqual([': '])
    expect(fieldsIn(empty, indexed(NEWEST + 127))).toEqual([': '])
    expect(fieldsIn(empty, indexed(NEWEST + 128))).toBe('malformed')
  })

  test('gives the name of an entry that the field itself evicts', () => {
    const decoder = new HpackDecoder()
    const [name, value] = ['n'.repeat(2000), 'v'.repeat(2000)]
    expect(fieldsIn(decoder, inserted(name, value))).toEqual([`${name}: ${value}`])
    const other = 'w'.repeat(2001)
    expect(fieldsIn(decoder, Buffer.concat([integer(0x40, 6, NEWEST), string(other)]))).toEqual([`${name}: ${other}`])
    expect(fieldsIn(decoder, indexed(NEWEST))).toEqual([`${name}: ${other}`])
    expect(fieldsIn(decoder, indexed(NEWEST + 1))).toBe('malformed')
  })

  test('takes several updates of its size before the first field, as an encoder sends them', () => {
    const decoder = new HpackDecoder()
    expect(fieldsIn(decoder, inserted('x', 'v'))).toEqual(['x: v'])
    expect(fieldsIn(decoder, Buffer.concat([sizeUpdate(34), sizeUpdate(100), indexed(NEWEST)]))).toEqual(['x: v'])
    expect(fieldsIn(decoder, Buffer.concat([sizeUpdate(33), sizeUpdate(100), indexed(NEWEST)]))).toBe('malformed')
  })
})

describe('a block is too large', () => {
  const filling = (bytes: number) => Buffer.concat([hex('00'), string('x'), string('v'.repeat(bytes - 33))])

  test('with fields of more than 16,384 bytes, at 32 more than name and value for each', () => {
    expect(fieldsInFirst(filling(16_384))).toBeArrayOfSize(1)
    expect(fieldsInFirst(filling(16_385))).toBe('too large')
    expect(fieldsInFirst(Buffer.concat([filling(16_342), hex('82')]))).toBeArrayOfSize(2)
    expect(fieldsInFirst(Buffer.concat([filling(16_343), hex('82')]))).toBe('too large')
  })

  test('with a large entry that is named many times', () => {
    const decoder = new HpackDecoder()
    // 4,096 bytes: all of the table.
    const entry = inserted('x', 'v'.repeat(4063))
    expect(fieldsIn(decoder, Buffer.concat([entry, hex('be be be')]))).toBeArrayOfSize(4)
    expect(fieldsIn(decoder, hex('be be be be'))).toBeArrayOfSize(4)
    expect(fieldsIn(decoder, hex('be be be be be'))).toBe('too large')
    expect(fieldsIn(new HpackDecoder(), Buffer.concat([entry, Buffer.alloc(16_000, 0xbe)]))).toBe('too large')
  })

  test('with a great many empty fields', () => {
    expect(fieldsInFirst(Buffer.concat(Array.from({ length: 512 }, () => hex('00 00 00'))))).toBeArrayOfSize(512)
    expect(fieldsInFirst(Buffer.concat(Array.from({ length: 513 }, () => hex('00 00 00'))))).toBe('too large')
  })
})
