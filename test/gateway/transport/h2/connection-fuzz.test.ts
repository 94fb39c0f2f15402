import { describe, expect, test } from 'bun:test'
import { HpackDecoder, MAX_LIST_BYTES } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import { diceOf } from '../../../fuzz/dice.ts'
import {
  DATA,
  END_HEADERS,
  frame,
  HEADERS,
  PING,
  RST_STREAM,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../../../support/frames.ts'
import { hex } from './blocks.ts'
import { damaged, heardOf, inChunks, live, readConversations, requestOf } from './connection-fuzz.ts'
import { framesOf, openConnection } from './peer.ts'

const conversations = await readConversations()
const lawful = conversations.slice(0, -1)
const SEED = 1

test.each(lawful.map(({ name, frames }) => [name, frames] as const))('in order: %s', (_, frames) => {
  const { connection, send, ends, isOver } = openConnection()
  const [settings = Buffer.alloc(0), ...rest] = frames
  connection.receive(settings)
  const requests = [0, 1, 2, 3].map((n) => send(requestOf(n)).heard)
  for (const bytes of rest) connection.receive(bytes)
  expect(isOver()).toBe(false)
  expect(ends.filter(({ kind }) => kind === 'protocol')).toEqual([])
  for (const heard of requests) expect(heard).toBeArrayOfSize(1)
})

describe('whatever a peer says', () => {
  test('nothing is thrown, each request ends once, and no more is written than follows from it', () => {
    for (let turn = 0; turn < 3000; turn++) {
      const dice = diceOf(SEED, turn)
      const wrong = live(dice, inChunks(dice, damaged(dice, conversations)))
      if (wrong !== null) throw new Error(`turn ${turn}: ${wrong}`)
    }
  })

  test('bytes at random instead of frames are borne too', () => {
    const settings = Buffer.from('000000040000000000', 'hex')
    for (let turn = 0; turn < 1000; turn++) {
      const dice = diceOf(SEED + 1, turn)
      const noise = Buffer.from(dice.bytes(dice.whole(0, 300)))
      // Mostly a frame that is not longer than we take.
      if (noise.length > 2 && dice.happens(80)) noise.fill(0, 0, 2)
      const wrong = live(dice, inChunks(dice, dice.happens(90) ? [settings, noise] : [noise]))
      if (wrong !== null) throw new Error(`turn ${turn}: ${wrong}`)
    }
  })

  test('it means the same however it is cut', () => {
    let compared = 0
    for (let turn = 0; turn < 2000; turn++) {
      const dice = diceOf(SEED + 2, turn)
      const [settings = Buffer.alloc(0), ...rest] = damaged(dice, conversations)
      const [whole, cut] = [heardOf(settings, [Buffer.concat(rest)]), heardOf(settings, inChunks(dice, rest))]
      // After GOAWAY with an error what came with it still counts, and what comes later does not.
      if (JSON.stringify([whole.heard, cut.heard]).includes('GoAway')) continue
      expect({ turn, heard: cut.heard }).toEqual({ turn, heard: whole.heard })
      // What waits to be written when a connection ends is not written any more.
      if (!whole.isOver) expect({ turn, output: cut.output }).toEqual({ turn, output: whole.output })
      compared++
    }
    expect(compared).toBeGreaterThan(500)
  })
})

describe('whatever a header block is', () => {
  const blocks = conversations.flatMap(({ frames }) =>
    frames.filter((bytes) => bytes[3] === 1 || bytes[3] === 9).map((bytes) => bytes.subarray(9)),
  )

  test('it is decoded within its bytes and within the limit, or is said to be wrong', () => {
    for (let turn = 0; turn < 4000; turn++) {
      const dice = diceOf(SEED + 3, turn)
      // The same block with other bytes around it.
      const [one, other] = [new HpackDecoder(), new HpackDecoder()]
      for (let n = 0; n < 6; n++) {
        const block = Buffer.from(dice.happens(70) ? dice.pick(blocks) : dice.bytes(dice.whole(0, 100)))
        for (let times = dice.whole(0, 3); times > 0 && block.length > 0; times--) {
          block[dice.whole(0, block.length - 1)] = dice.whole(0, 255)
        }
        const around = (fill: number) => Buffer.concat([Buffer.alloc(5, fill), block, Buffer.alloc(40, fill)])
        const fields = one.decode(around(0x00), 5, 5 + block.length)
        expect(other.decode(around(0xff), 5, 5 + block.length)).toEqual(fields)
        if (typeof fields === 'string') break
        const bytes = fields.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0)
        expect(bytes).toBeLessThanOrEqual(MAX_LIST_BYTES)
      }
    }
  })
})

describe('a flood', () => {
  const settings = frame(SETTINGS, 0, 0)

  /** Sends `flood` again and again after four requests; after how many the connection has ended, and as what. */
  function endedAfter(flood: Buffer, first: Buffer): { times: number; reason: string | undefined; written: number } {
    const { connection, send, ends, isOver } = openConnection()
    connection.receive(settings)
    for (let n = 0; n < 4; n++) send(requestOf(n))
    connection.takeOutput()
    connection.receive(first)
    let times = 0
    // Nothing that it writes is taken meanwhile.
    while (!isOver() && times < 50_000) {
      connection.receive(flood)
      times++
    }
    return { times, reason: ends.at(-1)?.reason, written: connection.takeOutput()?.length ?? 0 }
  }

  const goawayBytes = 17
  const nothing = Buffer.alloc(0)
  test.each([
    ['of pings', frame(PING, 0, 0, Buffer.alloc(8)), nothing],
    ['of settings', settings, nothing],
    ['of frames of unknown types', frame(200, 0, 0), nothing],
    ['of empty DATA', frame(DATA, 0, 1), frame(HEADERS, END_HEADERS, 1, Buffer.from([0x88]))],
    ['of answers that are only to come', frame(HEADERS, END_HEADERS, 1, hex('48 03 313033')), nothing],
    ['of windows', frame(WINDOW_UPDATE, 0, 1, uint32(1)), nothing],
  ])('%s ends the connection after 10,000 frames that bring no answer', (_, flood, first) => {
    const { times, ...end } = endedAfter(flood, first)
    expect(end).toEqual({ reason: 'HTTP2FloodError', written: goawayBytes })
    // The first SETTINGS is one of them, and perhaps the beginning of an answer.
    expect(times).toBe(first.length === 0 ? 10_000 : 9999)
  })

  const block = frame(HEADERS, 0, 1, Buffer.alloc(16_384, 0x82))
  test.each([
    ['of CONTINUATION', frame(9, 0, 1, Buffer.alloc(16_384, 0x82)), 2],
    ['of CONTINUATION with a byte each', frame(9, 0, 1, Buffer.alloc(1, 0x82)), 10_000 - 1],
  ])('%s ends the connection', (_, flood, expected) => {
    const { times, ...end } = endedAfter(flood, block)
    expect(end).toEqual({ reason: 'HTTP2FloodError', written: goawayBytes })
    expect(times).toBe(expected)
  })

  test('of answer keeps 64 KiB of it and gives up the rest', () => {
    const { connection, send } = openConnection()
    connection.receive(settings)
    const { heard } = send(requestOf(0))
    connection.takeOutput()
    connection.receive(frame(HEADERS, END_HEADERS, 1, Buffer.from([0x88])))
    for (let n = 0; n < 7; n++) connection.receive(frame(DATA, 0, 1, Buffer.alloc(10_000, 'x')))
    expect(heard).toMatchObject([{ kind: 'answer', status: 200, body: 'x'.repeat(65_536) }])
    expect(framesOf(connection.takeOutput() ?? Buffer.alloc(0))).toEqual([
      { type: RST_STREAM, flags: 0, id: 1, payload: Buffer.from(uint32(8)) },
    ])
  })
})
