import { describe, expect, test } from 'bun:test'
import { DATA, END_STREAM, frame, headerFrames, PADDED, RST_STREAM } from '../../../support/frames.ts'
import { answer, answerHead, CANCEL, openGreeted, PROTOCOL_ERROR } from './client.ts'
import type { Client } from './client.ts'

const fields = (headers: Readonly<Record<string, string>>, end = true): Buffer => headerFrames(1, headers, { end })
const data = (text: string, end = true): Buffer => frame(DATA, end ? END_STREAM : 0, 1, Buffer.from(text))
const head = (headers: Readonly<Record<string, string>> = {}): Buffer => answerHead(1, headers)

/** What becomes of a request whose peer says `frames`; a stream error is followed by an answer on another stream. */
function told(frames: readonly Buffer[], body = '{}') {
  const client = openGreeted()
  const sent = client.send({ body })
  const other = client.send()
  client.output()
  client.receive(...frames)
  const resets = resetsIn(client)
  client.receive(answer(3))
  expect(other.requested).toMatchObject({ kind: 'answer', status: 200 })
  return { requested: sent.requested, resets }
}

function resetsIn(client: Client): number[][] {
  return client
    .output()
    .filter(({ type }) => type === RST_STREAM)
    .map(({ id, payload }) => [id, payload.readUInt32BE()])
}

const GOOD: readonly (readonly [name: string, frames: readonly Buffer[], status: number, body: string])[] = [
  ['HEADERS alone', [fields({ ':status': '410' })], 410, ''],
  [
    'HEADERS in three frames',
    [headerFrames(1, { ':status': '201', 'apns-id': 'a' }, { end: true, pieces: 10 })],
    201,
    '',
  ],
  ['a body', [head(), data('abc')], 200, 'abc'],
  ['a body in pieces', [head(), data('a', false), data('', false), data('bc', false), data('')], 200, 'abc'],
  ['a body with padding', [head(), frame(DATA, PADDED | END_STREAM, 1, Buffer.from([2, 97, 98, 0, 0]))], 200, 'ab'],
  ['HEADERS with padding and a priority', [frame(1, 0x2d, 1, Buffer.from([3, 0, 0, 0, 0, 0, 0x88, 0, 0, 0]))], 200, ''],
  [
    'informational answers first',
    [fields({ ':status': '100' }, false), fields({ ':status': '103' }, false), answer(1)],
    200,
    '',
  ],
  ['trailers', [head(), data('abc', false), fields({ 'some-sum': '1' })], 200, 'abc'],
  ['a header of its own, with a letter beyond ASCII', [fields({ ':status': '200', 'x-1': 'é ü' })], 200, ''],
  ['a header without a value', [fields({ ':status': '200', via: '' })], 200, ''],
  ['trailers without a body', [head(), fields({ 'some-sum': '1' })], 200, ''],
  ['the length that it says', [head({ 'content-length': '3' }), data('a', false), data('bc')], 200, 'abc'],
  [
    'the length that it says, and trailers',
    [head({ 'content-length': '1' }), data('a', false), fields({ sum: '1' })],
    200,
    'a',
  ],
  ['no body, and says so', [fields({ ':status': '200', 'content-length': '0' })], 200, ''],
  [
    'the length that another answer would have, with 304',
    [fields({ ':status': '304', 'content-length': '9' })],
    304,
    '',
  ],
]
test.each(GOOD)('an answer may have %s', (_, frames, status, body) => {
  const { requested, resets } = told(frames)
  expect(requested).toMatchObject({ kind: 'answer', status, body })
  expect(resets).toEqual([])
})

test('an answer has its headers by name, of several with one name a list', () => {
  const block = Buffer.concat(
    ['a', 'b'].map((value) =>
      Buffer.concat([Buffer.from([0, 3]), Buffer.from('via'), Buffer.from([1]), Buffer.from(value)]),
    ),
  )
  const { requested } = told([frame(1, 5, 1, Buffer.concat([Buffer.from([0x88]), block]))])
  if (requested?.kind !== 'answer') throw new Error('no answer')
  expect(requested.header('via')).toBe('a, b')
  expect(requested.header('apns-id')).toBeNull()
})

test('trailers are no headers of the answer', () => {
  const { requested } = told([head({ 'apns-id': 'a' }), fields({ 'apns-unique-id': 'b' })])
  if (requested?.kind !== 'answer') throw new Error('no answer')
  expect(requested.header('apns-id')).toBe('a')
  expect(requested.header('apns-unique-id')).toBeNull()
})

/** `code`: of our RST_STREAM; `null` where the peer has ended the stream, and none is needed. */
const MALFORMED: readonly (readonly [name: string, frames: readonly Buffer[], code: number | null])[] = [
  ['no status', [fields({ 'apns-id': 'a' }, false)], PROTOCOL_ERROR],
  ['no status, and its end', [fields({ 'apns-id': 'a' })], null],
  ['no headers at all', [frame(1, 4, 1)], PROTOCOL_ERROR],
  ['a status behind another header', [fields({ 'apns-id': 'a', ':status': '200' }, false)], PROTOCOL_ERROR],
  ['a second pseudo-header field', [fields({ ':status': '200', ':path': '/' }, false)], PROTOCOL_ERROR],
  ['a status of two digits', [fields({ ':status': '99' }, false)], PROTOCOL_ERROR],
  ['a status that is no number', [fields({ ':status': '2xx' }, false)], PROTOCOL_ERROR],
  ['status 101 (8.6)', [fields({ ':status': '101' }, false)], PROTOCOL_ERROR],
  ['an informational status, and its end', [fields({ ':status': '103' })], null],
  ['a body without headers', [data('abc', false)], PROTOCOL_ERROR],
  ['a body after an informational answer', [fields({ ':status': '103' }, false), data('abc')], null],
  ['an end without headers', [data('')], null],
  ['a capital letter in a name (8.2.1)', [fields({ ':status': '200', 'Apns-id': 'a' }, false)], PROTOCOL_ERROR],
  ['a space in a name', [fields({ ':status': '200', 'apns id': 'a' }, false)], PROTOCOL_ERROR],
  ['a colon in a name', [fields({ ':status': '200', 'apns:id': 'a' }, false)], PROTOCOL_ERROR],
  ['a letter beyond ASCII in a name', [fields({ ':status': '200', 'apns-íd': 'a' }, false)], PROTOCOL_ERROR],
  ['an empty name', [fields({ ':status': '200', '': 'a' }, false)], PROTOCOL_ERROR],
  ['a line break in a value', [fields({ ':status': '200', via: 'a\r\nb: c' }, false)], PROTOCOL_ERROR],
  ['NUL in a value', [fields({ ':status': '200', via: 'a\0' }, false)], PROTOCOL_ERROR],
  ['a space before a value', [fields({ ':status': '200', via: ' a' }, false)], PROTOCOL_ERROR],
  ['a tab after a value', [fields({ ':status': '200', via: 'a\t' }, false)], PROTOCOL_ERROR],
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map(
    (name) => [`${name} (8.2.2)`, [fields({ ':status': '200', [name]: 'close' }, false)], PROTOCOL_ERROR] as const,
  ),
  ['a capital letter in its trailers', [head(), fields({ Sum: '1' })], null],
  ['connection in its trailers', [head(), fields({ connection: 'close' })], null],
  ['trailers that are not its end', [head(), fields({ sum: '1' }, false)], PROTOCOL_ERROR],
  ['a pseudo-header field in its trailers', [head(), fields({ ':status': '200' })], null],
]
test.each(MALFORMED)('an answer with %s is none', (_, frames, code) => {
  const { requested, resets } = told(frames)
  expect(requested).toEqual({ kind: 'unknown', reason: 'HTTP2ProtocolError' })
  expect(resets).toEqual(code === null ? [] : [[1, code]])
})

const WRONG_LENGTHS: readonly (readonly [name: string, frames: readonly Buffer[], code: number | null])[] = [
  ['shorter', [head({ 'content-length': '4' }), data('abc')], null],
  ['shorter by all of it', [head({ 'content-length': '4' }), data('')], null],
  ['shorter, with trailers', [head({ 'content-length': '4' }), data('abc', false), fields({ sum: '1' })], null],
  ['absent with its end in HEADERS, and shorter', [fields({ ':status': '200', 'content-length': '4' })], null],
  ['longer', [head({ 'content-length': '2' }), data('abc', false)], PROTOCOL_ERROR],
  ['longer at its end', [head({ 'content-length': '2' }), data('abc')], null],
]
test.each(WRONG_LENGTHS)('an answer whose body is %s than it says is none', (_, frames, code) => {
  const { requested, resets } = told(frames)
  expect(requested).toEqual({ kind: 'unknown', reason: 'HTTP2ContentLengthMismatch' })
  expect(resets).toEqual(code === null ? [] : [[1, code]])
})

describe('of a long body', () => {
  const chunk = (end = false): Buffer => data('y'.repeat(16_384), end)

  test('64 KiB are kept, and the rest is given up', () => {
    const client = openGreeted()
    const sent = client.send()
    client.output()
    client.receive(head({ 'content-length': '1048576' }), ...Array.from({ length: 4 }, () => chunk()))
    expect(sent.requested).toBeNull()
    client.receive(chunk())
    expect(sent.requested).toMatchObject({ kind: 'answer', status: 200, body: 'y'.repeat(65_536) })
    expect(resetsIn(client)).toEqual([[1, CANCEL]])
    // The rest of the megabyte was under way.
    client.receive(...Array.from({ length: 58 }, () => chunk()), chunk(true))
    expect(resetsIn(client)).toEqual([])
    expect(client.isOver).toBe(false)
  })

  test('64 KiB are kept to the byte, wherever its frames are cut', () => {
    const piece = data('y'.repeat(10_000), false)
    const { requested } = told([head(), ...Array.from({ length: 7 }, () => piece)])
    expect(requested).toMatchObject({ kind: 'answer', body: 'y'.repeat(65_536) })
  })

  test('64 KiB are all where it has no more', () => {
    const { requested, resets } = told([head(), chunk(), chunk(), chunk(), chunk(), data('')])
    expect(requested).toMatchObject({ kind: 'answer', body: 'y'.repeat(65_536) })
    expect(resets).toEqual([])
  })

  test('64 KiB are kept, and nothing is given up where the rest came with its end', () => {
    const { requested, resets } = told([head(), chunk(), chunk(), chunk(), chunk(), data('z')])
    expect(requested).toMatchObject({ kind: 'answer', body: 'y'.repeat(65_536) })
    expect(resets).toEqual([])
  })
})

describe('an answer before the body is sent', () => {
  test('counts, and the rest of the body is given up (8.1)', () => {
    const client = openGreeted()
    const sent = client.send({ body: Buffer.alloc(100_000) })
    client.output()
    client.receive(fields({ ':status': '413' }))
    expect(sent.requested).toMatchObject({ kind: 'answer', status: 413 })
    expect(resetsIn(client)).toEqual([[1, CANCEL]])
    client.receive(frame(8, 0, 0, Buffer.from([0, 15, 0, 0])))
    expect(client.output().filter(({ type }) => type === DATA)).toEqual([])
  })

  test('that is malformed gives the rest of the body up too', () => {
    const { requested, resets } = told([fields({ 'apns-id': 'a' })], 'y'.repeat(65_536))
    expect(requested).toMatchObject({ kind: 'unknown' })
    expect(resets).toEqual([[1, CANCEL]])
  })
})

test('what comes on a stream after its reset is borne, and changes the tables of HPACK (5.1 and 4.3)', () => {
  const client = openGreeted()
  const sent = client.send()
  const next = client.send()
  expect(sent.inFlight.cancel()).toBe(true)
  client.output()
  // The field goes into the table with the first answer, and is index 62 in the second.
  const via = Buffer.concat([Buffer.from([0x40, 3]), Buffer.from('via'), Buffer.from([1, 97])])
  client.receive(
    frame(1, 4, 1, Buffer.concat([Buffer.from([0x88]), via])),
    frame(DATA, END_STREAM, 1, Buffer.alloc(10)),
  )
  client.receive(frame(1, 5, 3, Buffer.from([0x88, 0xbe])))
  expect(sent.requested).toBeNull()
  if (next.requested?.kind !== 'answer') throw new Error('no answer')
  expect(next.requested.header('via')).toBe('a')
  expect(client.output()).toEqual([])
})

test('a body is copied: the bytes that it came in may be used again', () => {
  const client = openGreeted()
  const sent = client.send()
  const bytes = Buffer.concat([head(), data('abc', false)])
  client.connection.receive(bytes)
  bytes.fill(0)
  client.receive(data(''))
  expect(sent.requested).toMatchObject({ kind: 'answer', body: 'abc' })
})
