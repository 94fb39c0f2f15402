import { describe, expect, test } from 'bun:test'
import type { TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import {
  ACK,
  frame,
  GOAWAY,
  goawayFrame,
  HEADERS,
  INITIAL_WINDOW_SIZE,
  MAX_CONCURRENT_STREAMS,
  PING,
  PREFACE_BYTES,
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
  CANCEL,
  ENHANCE_YOUR_CALM,
  INTERNAL_ERROR,
  NO_ERROR,
  openClient,
  openGreeted,
  PROTOCOL_ERROR,
  REFUSED_STREAM,
  SETTINGS_TIMEOUT,
} from './client.ts'
import type { Client } from './client.ts'

const MAX_ID = 2 ** 31 - 1

function typesIn(client: Client): number[] {
  return client.output().map(({ type }) => type)
}

function ticks(client: Client, count: number): void {
  for (let n = 0; n < count; n++) client.connection.tick()
}

describe('the greeting', () => {
  test('is the preface, SETTINGS and a larger window for the connection', () => {
    const client = openClient()
    const bytes = client.connection.takeOutput() ?? Buffer.alloc(0)
    expect(bytes.toString('latin1', 0, PREFACE_BYTES)).toBe('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const settings = settingsFrame([
      [2, 0],
      [INITIAL_WINDOW_SIZE, 131_072],
      [6, 16_384],
    ])
    expect(bytes.subarray(PREFACE_BYTES)).toEqual(Buffer.concat([settings, windowFrame(0, 1_048_576 - 65_535)]))
  })

  test('of the peer is acknowledged, and tells that there is room', () => {
    const client = openClient()
    client.output()
    expect(client.rooms).toBe(0)
    client.receive(settingsFrame())
    expect(client.rooms).toBe(1)
    expect(client.output()).toEqual([{ type: SETTINGS, flags: ACK, id: 0, payload: Buffer.alloc(0) }])
  })

  test('of the peer may come byte by byte', () => {
    const client = openClient()
    for (const byte of settingsFrame([[MAX_CONCURRENT_STREAMS, 7]])) client.receive(Uint8Array.of(byte))
    expect(client.connection.maxStreams).toBe(7)
  })
})

describe('the limit of streams', () => {
  test('is none until the peer says one', () => {
    expect(openGreeted().connection.maxStreams).toBe(Number.POSITIVE_INFINITY)
  })

  test.each([0, 1, 100, 2 ** 32 - 1])('of %d is the peer’s', (count) => {
    expect(openGreeted([[MAX_CONCURRENT_STREAMS, count]]).connection.maxStreams).toBe(count)
  })

  test('changes with each SETTINGS that names it, and each tells of it', () => {
    const client = openGreeted([[MAX_CONCURRENT_STREAMS, 1]])
    const seen = []
    for (const settings of [
      [[MAX_CONCURRENT_STREAMS, 0]],
      [[INITIAL_WINDOW_SIZE, 9]],
      [[MAX_CONCURRENT_STREAMS, 50]],
    ]) {
      client.receive(settingsFrame(settings as [number, number][]))
      seen.push(client.connection.maxStreams)
    }
    expect(seen).toEqual([0, 0, 50])
    expect(client.rooms).toBe(4)
  })

  test('is the last where one SETTINGS names several', () => {
    const client = openGreeted([
      [MAX_CONCURRENT_STREAMS, 5],
      [MAX_CONCURRENT_STREAMS, 9],
    ])
    expect(client.connection.maxStreams).toBe(9)
  })

  test('that is lowered leaves those in flight alone', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(settingsFrame([[MAX_CONCURRENT_STREAMS, 0]]), answer(1))
    expect(sent.requested).toMatchObject({ kind: 'answer', status: 200 })
  })
})

describe('a request', () => {
  test('has an odd id, each two above the one before', () => {
    const client = openGreeted()
    for (let n = 0; n < 3; n++) client.send()
    const ids = client.output().filter(({ type }) => type === HEADERS)
    expect(ids.map(({ id }) => id)).toEqual([1, 3, 5])
  })

  test('is cancelled by RST_STREAM, once, and nobody hears more of it', () => {
    const client = openGreeted()
    const sent = client.send()
    client.output()
    expect(sent.inFlight.cancel()).toBe(true)
    expect(sent.inFlight.cancel()).toBe(true)
    expect(client.output()).toEqual([{ type: RST_STREAM, flags: 0, id: 1, payload: Buffer.from([0, 0, 0, CANCEL]) }])
    client.connection.close()
    expect(sent.requested).toBeNull()
  })

  test('that is answered cannot be cancelled', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(answer(1))
    client.output()
    expect(sent.inFlight.cancel()).toBe(true)
    expect(client.output()).toEqual([])
  })

  test('whose stream is refused may be sent again (8.7)', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(resetFrame(1, REFUSED_STREAM))
    expect(sent.requested).toEqual({ kind: 'unprocessed', reason: 'HTTP2RefusedStream' })
    expect(client.ends).toEqual([])
  })

  test('whose stream is refused after its answer began may have been acted on', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(answerHead(1), resetFrame(1, REFUSED_STREAM))
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2StreamReset' })
  })

  test.each([NO_ERROR, INTERNAL_ERROR, CANCEL])('that is reset with code %d may have been acted on', (code) => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 1_000_000]])
    const sent = client.send({ body: Buffer.alloc(100_000) })
    client.output()
    client.receive(resetFrame(1, code), windowFrame(0, 100_000))
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2StreamReset' })
    expect(client.output()).toEqual([])
  })
})

const REFUSED: readonly (readonly [name: string, request: Partial<TransportRequest>, reason: string])[] = [
  ['a name in capitals', { headers: { 'Apns-Topic': 'a' } }, 'HTTP2InvalidHeader'],
  ['a name with a space', { headers: { 'apns topic': 'a' } }, 'HTTP2InvalidHeader'],
  ['no name', { headers: { '': 'a' } }, 'HTTP2InvalidHeader'],
  ['a name with a colon', { headers: { ':path': '/' } }, 'HTTP2InvalidHeader'],
  ['a name beyond ASCII', { headers: { é: 'a' } }, 'HTTP2InvalidHeader'],
  ['a header of the connection (8.2.2)', { headers: { connection: 'close' } }, 'HTTP2InvalidHeader'],
  ['TRANSFER-ENCODING', { headers: { 'transfer-encoding': 'chunked' } }, 'HTTP2InvalidHeader'],
  ['a length of its own', { headers: { 'content-length': '1' } }, 'HTTP2InvalidHeader'],
  ['a value with a line feed', { headers: { 'apns-topic': 'a\nb' } }, 'HTTP2InvalidHeader'],
  ['a value with a carriage return', { headers: { 'apns-topic': 'a\r' } }, 'HTTP2InvalidHeader'],
  ['a value with NUL', { headers: { 'apns-topic': 'a\0' } }, 'HTTP2InvalidHeader'],
  ['a value beyond Latin-1', { headers: { 'apns-topic': '€' } }, 'HTTP2InvalidHeader'],
  ['a bad name of its own', { own: ['Apns-Id', 'a'] }, 'HTTP2InvalidHeader'],
  ['a bad value of its own', { own: ['apns-id', 'a\n'] }, 'HTTP2InvalidHeader'],
  ['a path with a space', { path: '/a b' }, 'HTTP2InvalidPath'],
  ['a path with a line feed', { path: '/a\n' }, 'HTTP2InvalidPath'],
  ['a path beyond ASCII', { path: '/é' }, 'HTTP2InvalidPath'],
  ['a path without a slash', { path: 'a' }, 'HTTP2InvalidPath'],
  ['no path', { path: '' }, 'HTTP2InvalidPath'],
  ['16 KiB of path', { path: `/${'a'.repeat(16_384)}` }, 'HTTP2HeadersTooLarge'],
  ['16 KiB of headers', { headers: { 'apns-topic': 'a'.repeat(16_384) } }, 'HTTP2HeadersTooLarge'],
  ['16 KiB of a header of its own', { own: ['apns-id', 'a'.repeat(16_384)] }, 'HTTP2HeadersTooLarge'],
]
test.each(REFUSED)('a request with %s is refused, and takes no stream', (_, request, reason) => {
  const client = openGreeted()
  expect(client.send(request).requested).toEqual({ kind: 'refused', reason })
  expect(client.output()).toEqual([])
  client.send()
  expect(client.output()[0]).toMatchObject({ type: HEADERS, id: 1 })
})

test('a value may have a tab, and what Latin-1 has above ASCII', () => {
  expect(openGreeted().send({ headers: { 'apns-topic': 'a\tÿ' } }).requested).toBeNull()
})

test('a request whose headers are more than MAX_HEADER_LIST_SIZE of the peer is refused, as that changes', () => {
  const client = openGreeted([[6, 1000]])
  const headers = { 'apns-topic': 'a'.repeat(1000) }
  expect(client.send({ headers }).requested).toEqual({ kind: 'refused', reason: 'HTTP2HeadersTooLarge' })
  expect(client.send().requested).toBeNull()
  client.receive(settingsFrame([[6, 2000]]))
  expect(client.send({ headers }).requested).toBeNull()
})

describe('GOAWAY', () => {
  test('in two steps lets all that was sent be answered but what came too late (6.8)', () => {
    const client = openGreeted()
    const [first, second] = [client.send(), client.send()]
    client.receive(goawayFrame(MAX_ID, NO_ERROR))
    expect(client.ends).toEqual([{ reason: 'HTTP2GoAway', kind: 'parting' }])
    expect([first.requested, second.requested]).toEqual([null, null])
    client.receive(goawayFrame(1, NO_ERROR))
    expect(second.requested).toEqual({ kind: 'unprocessed', reason: 'HTTP2GoAway' })
    expect(first.requested).toBeNull()
    client.receive(answer(1))
    expect(first.requested).toMatchObject({ kind: 'answer', status: 200 })
    expect(client.isOver).toBe(false)
  })

  test('gives up what it says was not processed, and takes no more', () => {
    const client = openGreeted()
    client.send()
    client.output()
    client.receive(goawayFrame(1, NO_ERROR))
    expect(client.send().requested).toEqual({ kind: 'unprocessed', reason: 'closed' })
    expect(client.output()).toEqual([])
  })

  test('stops the body of what was not processed', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 1_000_000]])
    const sent = client.send({ body: Buffer.alloc(100_000) })
    client.output()
    client.receive(goawayFrame(0, NO_ERROR), windowFrame(0, 100_000))
    expect(sent.requested).toEqual({ kind: 'unprocessed', reason: 'HTTP2GoAway' })
    expect(client.output()).toEqual([])
  })

  test('may be followed by frames of what was not processed, which are borne', () => {
    const client = openGreeted()
    client.send()
    client.receive(goawayFrame(0, NO_ERROR), answer(1))
    expect(client.isOver).toBe(false)
  })

  test('that raises its last stream id is a fault', () => {
    const client = openGreeted()
    const sent = client.send()
    client.output()
    client.receive(goawayFrame(1, NO_ERROR), goawayFrame(3, NO_ERROR))
    expect(client.farewell()).toEqual([PROTOCOL_ERROR])
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2ProtocolError' })
  })

  test('with an error ends the connection, and loses no answer in the same read', () => {
    const client = openGreeted()
    const [before, after, never, late] = [client.send(), client.send(), client.send(), client.send()]
    client.output()
    client.receive(answer(1), goawayFrame(5, ENHANCE_YOUR_CALM), answer(3))
    expect(before.requested).toMatchObject({ kind: 'answer', status: 200 })
    expect(after.requested).toMatchObject({ kind: 'answer', status: 200 })
    expect(never.requested).toEqual({ kind: 'unknown', reason: 'HTTP2GoAway' })
    expect(late.requested).toEqual({ kind: 'unprocessed', reason: 'HTTP2GoAway' })
    expect(client.ends[0]).toEqual({ reason: 'HTTP2GoAway', kind: 'protocol' })
    expect(client.isOver).toBe(true)
    // The peer has said its last word: there is nobody to tell.
    expect(client.output()).toEqual([])
  })

  test('tells the reason in its debug data, as APNs does', () => {
    const client = openGreeted()
    const sent = client.send()
    client.receive(goawayFrame(0, NO_ERROR, '{"reason":"BadCertificateEnvironment"}'))
    const said = { reason: 'HTTP2GoAway: BadCertificateEnvironment', word: 'BadCertificateEnvironment' }
    expect(client.ends).toEqual([{ ...said, kind: 'lost' }])
    expect(sent.requested).toEqual({ ...said, kind: 'unprocessed' })
  })

  test('tells a reason beside an error code too', () => {
    const client = openGreeted()
    client.receive(goawayFrame(0, PROTOCOL_ERROR, '{ "reason" : "Shutdown", "timestamp": 1 }'))
    expect(client.ends[0]).toEqual({ reason: 'HTTP2GoAway: Shutdown', kind: 'protocol', word: 'Shutdown' })
  })

  test.each([
    'graceful shutdown',
    '{"reason":"two words"}',
    '{"reason":"\r\n"}',
    `{"reason":"${'a'.repeat(65)}"}`,
    '{"reason":""}',
  ])('passes nothing of %j on, which is no name', (debugData) => {
    const client = openGreeted()
    client.receive(goawayFrame(0, NO_ERROR, debugData))
    expect(client.ends).toEqual([{ reason: 'HTTP2GoAway', kind: 'parting' }])
  })
})

describe('at the end of the connection', () => {
  test('what was written may have been acted on, what was not never is, and is not written any more', () => {
    const client = openGreeted()
    const written = client.send()
    client.output()
    const unwritten = client.send()
    client.connection.end({ reason: 'ECONNRESET', kind: 'lost' })
    expect(written.requested).toEqual({ kind: 'unknown', reason: 'ECONNRESET' })
    expect(unwritten.requested).toEqual({ kind: 'unprocessed', reason: 'ECONNRESET' })
    expect(client.output()).toEqual([])
    expect(client.ends).toEqual([{ reason: 'ECONNRESET', kind: 'lost' }])
  })

  test('what was not written is not written before GOAWAY either', () => {
    const client = openGreeted()
    const unwritten = client.send()
    client.receive(frame(0, 0, 0))
    expect(unwritten.requested).toEqual({ kind: 'unprocessed', reason: 'HTTP2ProtocolError' })
    expect(typesIn(client)).toEqual([GOAWAY])
  })

  test('what was written but for its body may have been acted on', () => {
    const client = openGreeted([[INITIAL_WINDOW_SIZE, 0]])
    const sent = client.send()
    client.output()
    client.connection.end({ reason: 'ECONNRESET', kind: 'lost' })
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'ECONNRESET' })
  })

  test('in order the peer is told NO_ERROR', () => {
    const client = openGreeted()
    client.connection.close()
    expect(client.farewell()).toEqual([NO_ERROR])
    expect(client.ends).toEqual([{ reason: 'closed', kind: 'parting' }])
    expect(client.isOver).toBe(true)
  })

  test('nothing more is sent, received, counted or ended', () => {
    const client = openGreeted()
    const sent = client.send()
    client.output()
    client.connection.close()
    client.output()
    client.receive(answer(1), frame(PING, 0, 0, Buffer.alloc(8)))
    client.receive(frame(PING, 0, 0, Buffer.alloc(8)))
    ticks(client, 20)
    client.connection.end({ reason: 'ECONNRESET', kind: 'lost' })
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'closed' })
    expect(client.send().requested).toEqual({ kind: 'unprocessed', reason: 'closed' })
    expect(client.output()).toEqual([])
    expect(client.ends).toHaveLength(1)
  })

  test('a listener that sends at once is told that it is late', () => {
    const client = openGreeted()
    let again: unknown = null
    client.connection.send({ path: '/', headers: {}, body: '' }, { onOver: () => (again = client.send().requested) })
    client.connection.close()
    expect(again).toEqual({ kind: 'unprocessed', reason: 'closed' })
  })
})

// A peer that names the last stream it takes uses up the ids sooner than 2^30 requests do, by the same comparison.
test('the last stream id is used and told of, and no other one after it', () => {
  const client = openGreeted()
  client.receive(goawayFrame(3, NO_ERROR))
  const [first, second, third] = [client.send(), client.send(), client.send()]
  expect(client.ends).toEqual([
    { reason: 'HTTP2GoAway', kind: 'parting' },
    { reason: 'HTTP2StreamIdsUsedUp', kind: 'parting' },
  ])
  expect(third.requested).toEqual({ kind: 'unprocessed', reason: 'closed' })
  client.receive(answer(1), answer(3))
  for (const { requested } of [first, second]) expect(requested).toMatchObject({ kind: 'answer', status: 200 })
})

describe('PING', () => {
  test('of the peer is answered with its payload', () => {
    const client = openGreeted()
    client.receive(frame(PING, 0, 0, Buffer.from('12345678')))
    expect(client.output()).toEqual([{ type: PING, flags: ACK, id: 0, payload: Buffer.from('12345678') }])
  })

  test.each([
    ['two ticks with a request in flight', 2, true],
    ['ten ticks without one', 10, false],
  ])('goes to a peer that is silent for %s', (_, most, isBusy) => {
    const client = openGreeted()
    if (isBusy) client.send()
    client.output()
    ticks(client, most - 1)
    expect(typesIn(client)).toEqual([])
    ticks(client, 1)
    expect(typesIn(client)).toEqual([PING])
  })

  test('does not go to a peer that says anything at all', () => {
    const client = openGreeted()
    client.send()
    client.output()
    for (const byte of windowFrame(0, 1)) {
      ticks(client, 1)
      client.receive(Uint8Array.of(byte))
    }
    expect(typesIn(client)).toEqual([])
    expect(client.isOver).toBe(false)
  })

  test('that is not answered in two ticks ends the connection with the third', () => {
    const client = openGreeted()
    const sent = client.send()
    client.output()
    ticks(client, 4)
    expect(client.isOver).toBe(false)
    ticks(client, 1)
    expect(client.ends).toEqual([{ reason: 'HTTP2PingTimeout', kind: 'lost' }])
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2PingTimeout' })
  })

  test('that is answered is forgotten, and asked again after as long a silence', () => {
    const client = openGreeted()
    client.send()
    client.output()
    for (let n = 0; n < 3; n++) {
      ticks(client, 2)
      const [ping] = client.output()
      expect(ping).toMatchObject({ type: PING, flags: 0 })
      ticks(client, 2)
      client.receive(frame(PING, ACK, 0, ping?.payload))
    }
    expect(client.isOver).toBe(false)
  })

  test('is not answered by an acknowledgement of another one', () => {
    const client = openGreeted()
    client.send()
    ticks(client, 2)
    client.receive(frame(PING, ACK, 0, Buffer.from('12345678')))
    ticks(client, 3)
    expect(client.ends).toEqual([{ reason: 'HTTP2PingTimeout', kind: 'lost' }])
  })
})

describe('SETTINGS of ours', () => {
  test('that are not acknowledged in four ticks end the connection with the fifth', () => {
    const client = openClient()
    client.receive(settingsFrame())
    const sent = client.send()
    client.output()
    for (let n = 0; n < 4; n++) {
      ticks(client, 1)
      client.receive(frame(WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 0, 1])))
    }
    expect(client.isOver).toBe(false)
    ticks(client, 1)
    expect(client.farewell()).toEqual([SETTINGS_TIMEOUT])
    expect(client.ends).toEqual([{ reason: 'HTTP2SettingsTimeout', kind: 'protocol' }])
    expect(sent.requested).toEqual({ kind: 'unknown', reason: 'HTTP2SettingsTimeout' })
  })

  test('that are acknowledged at the last moment do not', () => {
    const client = openClient()
    client.receive(settingsFrame())
    ticks(client, 4)
    client.receive(frame(SETTINGS, ACK, 0))
    ticks(client, 1)
    expect(client.isOver).toBe(false)
  })
})
