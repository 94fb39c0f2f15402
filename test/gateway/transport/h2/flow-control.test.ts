import { describe, expect, test } from 'bun:test'
import {
  DATA,
  END_STREAM,
  frame,
  HEADERS,
  INITIAL_WINDOW_SIZE,
  PADDED,
  RST_STREAM,
  settingsFrame,
  WINDOW_UPDATE,
  windowFrame,
} from '../../../support/frames.ts'
import type { Frame } from '../../../support/frames.ts'
import { answer, answerHead, CANCEL, FLOW_CONTROL_ERROR, openGreeted, PROTOCOL_ERROR } from './client.ts'

const MAX_WINDOW = 2 ** 31 - 1
const FIRST_WINDOW = 65_535

/** Stream and bytes of each DATA frame; `end` where it is the last. */
function dataIn(frames: readonly Frame[]): unknown[] {
  return frames
    .filter(({ type }) => type === DATA)
    .map(({ id, payload, flags }) => (flags === END_STREAM ? [id, payload.length, 'end'] : [id, payload.length]))
}

/** Stream and number of each RST_STREAM or WINDOW_UPDATE frame. */
function numbersIn(frames: readonly Frame[], wanted: number): unknown[] {
  return frames.filter(({ type }) => type === wanted).map(({ id, payload }) => [id, payload.readUInt32BE()])
}

describe('a body goes out', () => {
  test('behind its headers, the last frame with the end of the stream', () => {
    const client = openGreeted()
    client.send({ body: 'abc' })
    const [head, body, ...more] = client.output()
    expect(head).toMatchObject({ type: HEADERS, id: 1, flags: 4 })
    expect(body).toEqual({ type: DATA, id: 1, flags: END_STREAM, payload: Buffer.from('abc') })
    expect(more).toEqual([])
  })

  test('in frames of no more than 16384 bytes', () => {
    const client = openGreeted()
    client.send({ body: Buffer.alloc(40_000) })
    expect(dataIn(client.output())).toEqual([
      [1, 16_384],
      [1, 16_384],
      [1, 7232, 'end'],
    ])
  })

  test('in one frame where the peer takes a larger one', () => {
    const client = openGreeted([[5, 50_000]])
    client.send({ body: Buffer.alloc(40_000) })
    expect(dataIn(client.output())).toEqual([[1, 40_000, 'end']])
  })

  test('whole and in order, however the peer makes room for it', () => {
    const body = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 251))
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 0]])
    client.send({ body })
    for (let n = 0; n < 500; n++) client.receive(windowFrame(1, 2))
    const frames = client.output().filter(({ type }) => type === DATA)
    expect(frames).toHaveLength(500)
    expect(Buffer.concat(frames.map(({ payload }) => payload))).toEqual(body)
    expect(frames.map(({ flags }) => flags)).toEqual([...Array.from({ length: 499 }, () => 0), END_STREAM])
  })

  test('of text in bytes of UTF-8', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 4]])
    client.send({ body: 'ééé' })
    expect(dataIn(client.output())).toEqual([[1, 4]])
    client.receive(windowFrame(1, 9))
    expect(dataIn(client.output())).toEqual([[1, 2, 'end']])
  })

  test('in HEADERS alone where it is empty, and no window is needed', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 0]])
    client.send({ body: '' })
    const frames = client.output()
    expect(frames).toHaveLength(1)
    expect(frames[0]).toMatchObject({ type: HEADERS, flags: 4 | END_STREAM })
  })
})

describe('the window', () => {
  test('of a stream holds back what it has no room for, and nothing of other streams', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 10]])
    client.send({ body: Buffer.alloc(15) })
    client.send({ body: Buffer.alloc(5) })
    expect(dataIn(client.output())).toEqual([
      [1, 10],
      [3, 5, 'end'],
    ])
    client.receive(windowFrame(1, 3))
    client.receive(windowFrame(1, 100))
    expect(dataIn(client.output())).toEqual([
      [1, 3],
      [1, 2, 'end'],
    ])
  })

  test('of the connection holds back all streams, and the oldest goes on first', () => {
    const client = openGreeted([
      [INITIAL_WINDOW_SIZE, 1_000_000],
      [5, 1_000_000],
    ])
    for (let n = 0; n < 3; n++) client.send({ body: Buffer.alloc(40_000) })
    expect(dataIn(client.output())).toEqual([
      [1, 40_000, 'end'],
      [3, FIRST_WINDOW - 40_000],
    ])
    client.receive(windowFrame(0, 20_000))
    const left = 40_000 - (FIRST_WINDOW - 40_000)
    expect(dataIn(client.output())).toEqual([
      [3, left, 'end'],
      [5, 20_000 - left],
    ])
  })

  test('of the connection is not needed by a stream that was given up', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 1_000_000]])
    client.send({ body: Buffer.alloc(FIRST_WINDOW) })
    const second = client.send({ body: 'abc' })
    client.send({ body: 'de' })
    client.output()
    expect(second.inFlight.cancel()).toBe(false)
    expect(numbersIn(client.output(), RST_STREAM)).toEqual([[3, CANCEL]])
    client.receive(windowFrame(0, 100))
    expect(dataIn(client.output())).toEqual([[5, 2, 'end']])
  })

  test('of new streams and of those open follows INITIAL_WINDOW_SIZE', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 4]])
    client.send({ body: Buffer.alloc(10) })
    client.receive(settingsFrame([[INITIAL_WINDOW_SIZE, 7]]))
    client.send({ body: Buffer.alloc(10) })
    expect(dataIn(client.output())).toEqual([
      [1, 4],
      [1, 3],
      [3, 7],
    ])
  })

  test('of a stream may become negative, and then has to grow above 0 again (6.9.2)', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 10]])
    client.send({ body: Buffer.alloc(20) })
    client.output()
    client.receive(settingsFrame([[INITIAL_WINDOW_SIZE, 2]]))
    client.receive(windowFrame(1, 8))
    expect(dataIn(client.output())).toEqual([])
    client.receive(windowFrame(1, 1))
    expect(dataIn(client.output())).toEqual([[1, 1]])
    client.receive(settingsFrame([[INITIAL_WINDOW_SIZE, 100]]))
    expect(dataIn(client.output())).toEqual([[1, 9, 'end']])
  })

  test.each([
    ['beyond 2^31-1', MAX_WINDOW, FLOW_CONTROL_ERROR, 'HTTP2FlowControlError'],
    ['by 0', 0, PROTOCOL_ERROR, 'HTTP2ProtocolError'],
  ])('of a stream that the peer opens %s is an error of that stream alone', (_, bytes, code, reason) => {
    const client = openGreeted()
    const sent = client.send()
    const other = client.send()
    client.output()
    client.receive(windowFrame(1, bytes))
    expect(numbersIn(client.output(), RST_STREAM)).toEqual([[1, code]])
    expect(sent.requested).toEqual({ kind: 'unknown', reason })
    client.receive(answer(3))
    expect(other.requested).toMatchObject({ kind: 'answer', status: 200 })
  })

  test('of a stream may be as large as can be, and gets back what the body took', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, MAX_WINDOW]])
    const sent = client.send({ body: 'abc' })
    client.output()
    client.receive(windowFrame(1, 3))
    expect(client.output()).toEqual([])
    client.receive(answer(1))
    expect(sent.requested).toMatchObject({ kind: 'answer', status: 200 })
  })

  test('of a stream as large as can be gets back no more than the body took', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, MAX_WINDOW]])
    const sent = client.send({ body: 'b'.repeat(100) })
    client.receive(windowFrame(1, 101))
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2FlowControlError' })
  })

  test('of a stream that got back what the body took may be as large as can be by SETTINGS', () => {
    const client = openGreeted()
    client.send({ body: 'abc' })
    client.output()
    client.receive(windowFrame(1, 3), settingsFrame([[INITIAL_WINDOW_SIZE, MAX_WINDOW]]))
    expect(client.isOver).toBe(false)
  })
})

describe('what the peer sends', () => {
  /** A body of so many bytes in frames, without its end. */
  const piece = (id: number, bytes: number): Buffer => {
    const frames = []
    for (let left = bytes; left > 0; left -= 16_384)
      frames.push(frame(DATA, 0, id, Buffer.alloc(Math.min(left, 16_384))))
    return Buffer.concat(frames)
  }
  const HALF = 524_288

  test('may be 1 MiB of all streams together, which is given back when half of it is used', () => {
    const client = openGreeted()
    for (let id = 1; id <= 17; id += 2) {
      client.send()
      client.receive(answerHead(id), piece(id, 60_000))
    }
    const given = numbersIn(client.output(), WINDOW_UPDATE)
    expect(given).toHaveLength(1)
    const [[id, bytes] = []] = given as number[][]
    expect(id).toBe(0)
    expect(bytes).toBeGreaterThan(HALF)
    expect(bytes).toBeLessThan(HALF + 16_384)
  })

  test('counts with its padding, and for streams that were given up', () => {
    const client = openGreeted()
    client.send().inFlight.cancel()
    client.output()
    const padded = frame(DATA, PADDED, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(16_383)]))
    for (let n = 0; n < 32; n++) client.receive(padded)
    expect(numbersIn(client.output(), WINDOW_UPDATE)).toEqual([])
    client.receive(padded)
    expect(numbersIn(client.output(), WINDOW_UPDATE)).toEqual([[0, 33 * 16_384]])
    expect(client.isOver).toBe(false)
  })

  test('of one stream may be 128 KiB with its padding: more is an error of that stream', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(answerHead(1))
    const padded = frame(DATA, PADDED, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]))
    for (let n = 0; n < 512; n++) client.receive(padded)
    expect(sent.requested).toBeNull()
    client.output()
    client.receive(padded)
    expect(numbersIn(client.output(), RST_STREAM)).toEqual([[1, FLOW_CONTROL_ERROR]])
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2FlowControlError' })
    expect(client.isOver).toBe(false)
  })
})
