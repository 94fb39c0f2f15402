import { describe, expect, test } from 'bun:test'
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  GOAWAY,
  goawayFrame,
  headerFrames,
  HEADERS,
  INITIAL_WINDOW_SIZE,
  PADDED,
  PING,
  PRIORITIZED,
  PRIORITY,
  PUSH_PROMISE,
  resetFrame,
  RST_STREAM,
  SETTINGS,
  settingsFrame,
  WINDOW_UPDATE,
  windowFrame,
} from '../../../support/frames.ts'
import {
  answer,
  answerHead,
  COMPRESSION_ERROR,
  ENHANCE_YOUR_CALM,
  FLOW_CONTROL_ERROR,
  FRAME_SIZE_ERROR,
  NO_ERROR,
  openClient,
  openGreeted,
  PROTOCOL_ERROR,
  STREAM_CLOSED,
} from './client.ts'

const NAMES: Readonly<Record<number, string>> = {
  [PROTOCOL_ERROR]: 'HTTP2ProtocolError',
  [FLOW_CONTROL_ERROR]: 'HTTP2FlowControlError',
  [STREAM_CLOSED]: 'HTTP2StreamClosedError',
  [FRAME_SIZE_ERROR]: 'HTTP2FrameSizeError',
  [COMPRESSION_ERROR]: 'HTTP2CompressionError',
  [ENHANCE_YOUR_CALM]: 'HTTP2FloodError',
}

type Fault = readonly [name: string, bytes: Buffer, code: number]

const zeros = (bytes: number): Buffer => Buffer.alloc(bytes)
/** `:status: 200` from the static table of HPACK. */
const OK = Buffer.from([0x88])

/** Stream 1 is open and waits for its answer; stream 3 is answered; nobody has used 5. */
const FAULTS: readonly (readonly [section: string, faults: readonly Fault[]])[] = [
  [
    'the size of a frame (4.2)',
    [
      ['a frame of 16385 bytes', frame(DATA, 0, 1, zeros(16_385)), FRAME_SIZE_ERROR],
      ['a frame of an unknown type of 16385 bytes', frame(99, 0, 0, zeros(16_385)), FRAME_SIZE_ERROR],
      ['PRIORITY of 4 bytes', frame(PRIORITY, 0, 1, zeros(4)), FRAME_SIZE_ERROR],
      ['PRIORITY of 6 bytes', frame(PRIORITY, 0, 1, zeros(6)), FRAME_SIZE_ERROR],
      ['RST_STREAM of 3 bytes', frame(RST_STREAM, 0, 1, zeros(3)), FRAME_SIZE_ERROR],
      ['RST_STREAM of 5 bytes', frame(RST_STREAM, 0, 1, zeros(5)), FRAME_SIZE_ERROR],
      ['SETTINGS of 5 bytes', frame(SETTINGS, 0, 0, zeros(5)), FRAME_SIZE_ERROR],
      ['SETTINGS of 7 bytes', frame(SETTINGS, 0, 0, zeros(7)), FRAME_SIZE_ERROR],
      ['an acknowledgement of SETTINGS with a payload', frame(SETTINGS, ACK, 0, zeros(6)), FRAME_SIZE_ERROR],
      ['PING of 7 bytes', frame(PING, 0, 0, zeros(7)), FRAME_SIZE_ERROR],
      ['PING of 9 bytes', frame(PING, 0, 0, zeros(9)), FRAME_SIZE_ERROR],
      ['GOAWAY of 7 bytes', frame(GOAWAY, 0, 0, zeros(7)), FRAME_SIZE_ERROR],
      ['WINDOW_UPDATE of 3 bytes', frame(WINDOW_UPDATE, 0, 1, zeros(3)), FRAME_SIZE_ERROR],
      ['WINDOW_UPDATE of 5 bytes', frame(WINDOW_UPDATE, 0, 0, zeros(5)), FRAME_SIZE_ERROR],
      ['padded DATA without a pad length', frame(DATA, PADDED, 1), FRAME_SIZE_ERROR],
      ['padded HEADERS without a pad length', frame(HEADERS, PADDED | END_HEADERS, 1), FRAME_SIZE_ERROR],
      ['HEADERS with half a priority', frame(HEADERS, PRIORITIZED | END_HEADERS, 1, zeros(4)), FRAME_SIZE_ERROR],
    ],
  ],
  [
    'padding (6.1 and 6.2)',
    [
      ['DATA whose padding is as long as the frame', frame(DATA, PADDED, 1, Buffer.from([3, 0, 0])), PROTOCOL_ERROR],
      [
        'HEADERS whose padding is as long as the frame',
        frame(HEADERS, PADDED | 5, 1, Buffer.from([2, 0x88])),
        PROTOCOL_ERROR,
      ],
      [
        'HEADERS whose padding reaches into the priority',
        frame(HEADERS, PADDED | PRIORITIZED | 5, 1, Buffer.from([2, 0, 0, 0, 0, 0, 0x88])),
        PROTOCOL_ERROR,
      ],
    ],
  ],
  [
    'the stream that a frame is of (6)',
    [
      ['DATA of no stream', frame(DATA, 0, 0), PROTOCOL_ERROR],
      ['HEADERS of no stream', frame(HEADERS, 5, 0, OK), PROTOCOL_ERROR],
      ['PRIORITY of no stream', frame(PRIORITY, 0, 0, zeros(5)), PROTOCOL_ERROR],
      ['RST_STREAM of no stream', resetFrame(0, 0), PROTOCOL_ERROR],
      ['SETTINGS of a stream', frame(SETTINGS, 0, 1), PROTOCOL_ERROR],
      ['an acknowledgement of SETTINGS of a stream', frame(SETTINGS, ACK, 1), PROTOCOL_ERROR],
      ['PING of a stream', frame(PING, 0, 1, zeros(8)), PROTOCOL_ERROR],
      ['GOAWAY of a stream', frame(GOAWAY, 0, 1, zeros(8)), PROTOCOL_ERROR],
    ],
  ],
  [
    'a stream that nobody has opened (5.1)',
    [
      ['DATA', frame(DATA, 0, 5), PROTOCOL_ERROR],
      ['HEADERS', answer(5), PROTOCOL_ERROR],
      ['RST_STREAM', resetFrame(5, 0), PROTOCOL_ERROR],
      ['WINDOW_UPDATE', windowFrame(5, 1), PROTOCOL_ERROR],
      ['HEADERS on a stream with an even id', answer(2), PROTOCOL_ERROR],
      ['DATA on a stream with an even id', frame(DATA, 0, 2), PROTOCOL_ERROR],
      ['WINDOW_UPDATE on a stream with an even id', windowFrame(2, 1), PROTOCOL_ERROR],
      ['PUSH_PROMISE', frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.from([0, 0, 0, 2, 0x82])), PROTOCOL_ERROR],
    ],
  ],
  [
    'a stream that is answered (5.1)',
    [
      ['DATA', frame(DATA, END_STREAM, 3), STREAM_CLOSED],
      ['HEADERS', answer(3), STREAM_CLOSED],
    ],
  ],
  [
    'settings (6.5.2)',
    [
      ['ENABLE_PUSH 1', settingsFrame([[2, 1]]), PROTOCOL_ERROR],
      ['INITIAL_WINDOW_SIZE 2^31', settingsFrame([[INITIAL_WINDOW_SIZE, 2 ** 31]]), FLOW_CONTROL_ERROR],
      ['MAX_FRAME_SIZE 16383', settingsFrame([[5, 16_383]]), PROTOCOL_ERROR],
      ['MAX_FRAME_SIZE 2^24', settingsFrame([[5, 2 ** 24]]), PROTOCOL_ERROR],
      [
        'an error behind a good setting',
        settingsFrame([
          [3, 1],
          [2, 1],
        ]),
        PROTOCOL_ERROR,
      ],
    ],
  ],
  [
    'flow control (6.9)',
    [
      ['an increment of 0 for the connection', windowFrame(0, 0), PROTOCOL_ERROR],
      // Of its first window the two requests have taken 4 bytes.
      ['a window of the connection of 2^31', windowFrame(0, 2 ** 31 - 65_535 + 4), FLOW_CONTROL_ERROR],
      [
        'a window of a stream of 2^31 by SETTINGS',
        Buffer.concat([windowFrame(1, 1000), settingsFrame([[INITIAL_WINDOW_SIZE, 2 ** 31 - 1]])]),
        FLOW_CONTROL_ERROR,
      ],
    ],
  ],
  [
    'a header block (4.3 and 6.10)',
    [
      ['an index that is in no table', frame(HEADERS, 5, 1, Buffer.from([0xff, 0xff, 0x01])), COMPRESSION_ERROR],
      [
        'a block that cannot be decoded, of an answered stream',
        frame(HEADERS, 5, 3, Buffer.from([0x80])),
        COMPRESSION_ERROR,
      ],
      ['CONTINUATION without HEADERS', frame(CONTINUATION, END_HEADERS, 1, OK), PROTOCOL_ERROR],
      ['CONTINUATION of another stream', continued(frame(CONTINUATION, END_HEADERS, 3)), PROTOCOL_ERROR],
      ['DATA before CONTINUATION', continued(frame(DATA, 0, 1)), PROTOCOL_ERROR],
      ['PING before CONTINUATION', continued(frame(PING, 0, 0, zeros(8))), PROTOCOL_ERROR],
      ['SETTINGS before CONTINUATION', continued(settingsFrame()), PROTOCOL_ERROR],
      ['a frame of an unknown type before CONTINUATION', continued(frame(99, 0, 1)), PROTOCOL_ERROR],
      ['HEADERS before CONTINUATION', continued(answer(1)), PROTOCOL_ERROR],
    ],
  ],
  [
    'a flood (10.5)',
    [
      ['a block of 33 KiB', continued(...many(33, frame(CONTINUATION, 0, 1, zeros(1024)))), ENHANCE_YOUR_CALM],
      ['empty CONTINUATION', continued(...flood(frame(CONTINUATION, 0, 1))), ENHANCE_YOUR_CALM],
      [
        'a few bytes that stand for more than 16 KiB of headers',
        frame(
          HEADERS,
          5,
          1,
          Buffer.concat([
            OK,
            Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x17]),
            zeros(3104),
            ...many(6, Buffer.from([0xbe])),
          ]),
        ),
        ENHANCE_YOUR_CALM,
      ],
      ['PING', Buffer.concat(flood(frame(PING, 0, 0, zeros(8)))), ENHANCE_YOUR_CALM],
      ['answers to PING', Buffer.concat(flood(frame(PING, ACK, 0, zeros(8)))), ENHANCE_YOUR_CALM],
      ['SETTINGS', Buffer.concat(flood(settingsFrame())), ENHANCE_YOUR_CALM],
      ['RST_STREAM', Buffer.concat(flood(resetFrame(3, 0))), ENHANCE_YOUR_CALM],
      ['empty DATA', Buffer.concat([answerHead(1), ...flood(frame(DATA, 0, 1))]), ENHANCE_YOUR_CALM],
      [
        'informational answers',
        Buffer.concat(flood(headerFrames(1, { ':status': '103' }, { end: false }))),
        ENHANCE_YOUR_CALM,
      ],
      ['WINDOW_UPDATE', Buffer.concat(flood(windowFrame(0, 1))), ENHANCE_YOUR_CALM],
      ['GOAWAY', Buffer.concat(flood(goawayFrame(3, NO_ERROR))), ENHANCE_YOUR_CALM],
      ['PRIORITY', Buffer.concat(flood(frame(PRIORITY, 0, 1, zeros(5)))), ENHANCE_YOUR_CALM],
      ['frames of an unknown type', Buffer.concat(flood(frame(99, 0, 0))), ENHANCE_YOUR_CALM],
    ],
  ],
]

describe.each(FAULTS)('a fault in %s ends the connection:', (_, faults) => {
  test.each(faults)('%s', (_, bytes, code) => {
    const client = openGreeted()
    const waiting = client.send()
    client.send()
    client.receive(answer(3))
    client.output()
    client.receive(bytes)
    const reason = NAMES[code] ?? ''
    // And nothing else: what a flood would have had for an answer is not written.
    expect(client.output().map(({ type, payload }) => [type, payload.readUInt32BE(4)])).toEqual([[GOAWAY, code]])
    expect(client.ends.at(-1)).toEqual({ reason, kind: 'protocol' })
    expect(client.isOver).toBe(true)
    expect(waiting.requested).toEqual({ kind: 'unknown', reason })
  })
})

const NO_GREETINGS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['PING', frame(PING, 0, 0, zeros(8))],
  ['GOAWAY', goawayFrame(0, NO_ERROR)],
  ['WINDOW_UPDATE', windowFrame(0, 1)],
  ['an acknowledgement of our SETTINGS', frame(SETTINGS, ACK, 0)],
  ['a frame of an unknown type', frame(99, 0, 0)],
]
test.each(NO_GREETINGS)('a peer that greets with %s in place of SETTINGS is not spoken to (3.4)', (_, bytes) => {
  const client = openClient()
  client.output()
  client.receive(bytes)
  expect(client.rooms).toBe(0)
  expect(client.farewell()).toEqual([PROTOCOL_ERROR])
  expect(client.ends).toEqual([{ reason: 'HTTP2ProtocolError', kind: 'protocol' }])
})

test('a peer that speaks HTTP/1.1 is told FRAME_SIZE_ERROR', () => {
  const client = openClient()
  client.output()
  client.receive(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect(client.farewell()).toEqual([FRAME_SIZE_ERROR])
  expect(client.ends).toEqual([{ reason: 'HTTP2FrameSizeError', kind: 'protocol' }])
})

/** What a peer may do. */
const BORNE: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a frame of an unknown type', frame(99, 255, 1, zeros(100))],
  ['an unknown setting', settingsFrame([[99, 7]])],
  ['the largest window of the connection', windowFrame(0, 2 ** 31 - 1 - 65_535 + 4)],
  ['a window of the answered stream', windowFrame(3, 2 ** 31 - 1)],
  ['RST_STREAM of the answered stream', resetFrame(3, 0)],
  ['PRIORITY of a stream that nobody has opened', frame(PRIORITY, 0, 9, zeros(5))],
  ['a second acknowledgement of our SETTINGS', frame(SETTINGS, ACK, 0)],
  [
    'HEADERS and DATA of padding and nothing else',
    Buffer.concat([answerHead(1), frame(DATA, PADDED, 1, Buffer.from([2, 0, 0]))]),
  ],
  ['a reserved bit in a stream id', frame(PING, 0, 2 ** 31, zeros(8))],
  ['ten thousand frames without an answer', Buffer.concat(many(10_000, windowFrame(0, 1)))],
]
test.each(BORNE)('%s is borne', (_, bytes) => {
  const client = openGreeted()
  const waiting = client.send()
  client.send()
  client.receive(answer(3))
  client.output()
  client.receive(bytes)
  expect(client.farewell()).toEqual([])
  expect(client.isOver).toBe(false)
  expect(waiting.requested).toBeNull()
})

test('what counts as a flood begins anew with each answer', () => {
  const client = openGreeted()
  for (let n = 0; n < 3; n++) {
    const sent = client.send()
    client.receive(...many(9000, windowFrame(0, 1)), answer(1 + 2 * n))
    expect(sent.requested).toMatchObject({ kind: 'answer' })
  }
  expect(client.isOver).toBe(false)
})

test('nothing is read after a fault', () => {
  const client = openGreeted()
  const waiting = client.send()
  client.output()
  client.receive(frame(DATA, 0, 0), answer(1))
  client.receive(answer(1))
  expect(waiting.requested).toEqual({ kind: 'unknown', reason: 'HTTP2ProtocolError' })
  expect(client.farewell()).toEqual([PROTOCOL_ERROR])
})

/** HEADERS of stream 1 that do not end their block, and `frames`. */
function continued(...frames: readonly Buffer[]): Buffer {
  return Buffer.concat([frame(HEADERS, 0, 1, OK), ...frames])
}

/** More frames than are borne without an answer. */
function flood(bytes: Buffer): Buffer[] {
  return many(10_001, bytes)
}

function many(count: number, bytes: Buffer): Buffer[] {
  return Array.from({ length: count }, () => bytes)
}
