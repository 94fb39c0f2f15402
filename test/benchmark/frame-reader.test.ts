import { expect, test } from 'bun:test'
import { FrameReader } from '../../scripts/benchmark/gateway/frame-reader.ts'
import { frame } from '../support/frames.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const SENT = Buffer.concat([
  PREFACE,
  frame(4, 0, 0),
  frame(6, 0, 0, Buffer.from('12345678')),
  frame(1, 4, 2 ** 31 - 1, Buffer.alloc(300)),
  frame(0, 1, 2 ** 31 - 1, Buffer.alloc(70_000)),
  frame(6, 0, 0, Buffer.from('abcdefgh')),
  frame(3, 0, 7, Buffer.alloc(4)),
])

function headsOf(chunks: readonly Uint8Array[]) {
  const heads: object[] = []
  const reader = new FrameReader()
  for (const chunk of chunks) {
    reader.read(chunk, ({ type, flags, stream, length, ping }) =>
      heads.push({ type, flags, stream, length, ...(type === 6 && { ping: Buffer.from(ping).toString() }) }),
    )
  }
  return heads
}

const EXPECTED = [
  { type: 4, flags: 0, stream: 0, length: 0 },
  { type: 6, flags: 0, stream: 0, length: 8, ping: '12345678' },
  { type: 1, flags: 4, stream: 2 ** 31 - 1, length: 300 },
  { type: 0, flags: 1, stream: 2 ** 31 - 1, length: 70_000 },
  { type: 6, flags: 0, stream: 0, length: 8, ping: 'abcdefgh' },
  { type: 3, flags: 0, stream: 7, length: 4 },
]

test('the heads of frames are found, and their payloads skipped', () => {
  expect(headsOf([SENT])).toEqual(EXPECTED)
})

test('wherever a chunk ends', () => {
  for (const size of [1, 2, 3, 5, 7, 8, 9, 10, 16, 17, 18, 333]) {
    const chunks = []
    for (let from = 0; from < SENT.length; from += size) chunks.push(SENT.subarray(from, from + size))
    expect(headsOf(chunks)).toEqual(EXPECTED)
  }
  for (let cut = 0; cut < 450; cut++) {
    expect(headsOf([SENT.subarray(0, cut), SENT.subarray(cut)])).toEqual(EXPECTED)
  }
})
