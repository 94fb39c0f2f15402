import { describe, expect, test } from 'bun:test'
import { HpackDecoder, MAX_LIST_BYTES } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import { diceOf } from '../../../fuzz/dice.ts'
import { damaged, heardOf, inChunks, live, readConversations, requestOf } from './connection-fuzz.ts'
import { openClient } from './client.ts'

const conversations = await readConversations()
const lawful = conversations.slice(0, -1)
const SEED = 1

test.each(lawful.map(({ name, frames }) => [name, frames] as const))('in order: %s', (_, frames) => {
  const client = openClient()
  const [settings = Buffer.alloc(0), ...rest] = frames
  client.receive(settings)
  const requests = [0, 1, 2, 3].map((n) => client.send(requestOf(n)))
  for (const bytes of rest) client.receive(bytes)
  expect(client.isOver).toBe(false)
  expect(client.ends.filter(({ kind }) => kind === 'protocol')).toEqual([])
  for (const { requested } of requests) expect(requested).not.toBeNull()
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
