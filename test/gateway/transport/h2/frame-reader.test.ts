import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { FrameReader } from '../../../../src/gateway/transport/h2/frame-reader.ts'
import { FrameWriter, writeFrameHead } from '../../../../src/gateway/transport/h2/frame-writer.ts'
import { DATA, frame, PING } from '../../../support/frames.ts'
import type { Frame } from '../../../support/frames.ts'

/** RFC 9113, 4.2. */
const MOST_BYTES = 16_384
const HEAD_BYTES = 9

interface Read {
  readonly frames: readonly Frame[]
  /** Whether each chunk was taken. */
  readonly isGood: boolean
}

/** Reads `chunks`, each of which is overwritten afterwards, as a socket's buffer is. */
function read(chunks: readonly Buffer[], goesOn: (frames: number) => boolean = () => true): Read {
  const frames: Frame[] = []
  const reader = new FrameReader((type, flags, id, bytes, start, end) => {
    frames.push({ type, flags, id, payload: Buffer.from(bytes.subarray(start, end)) })
    return goesOn(frames.length)
  })
  for (const chunk of chunks) {
    const own = Buffer.from(chunk)
    const isGood = reader.read(own)
    own.fill(0xee)
    if (!isGood) return { frames, isGood }
  }
  return { frames, isGood: true }
}

/** Cut before each of these positions. */
function cut(bytes: Buffer, positions: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...positions.filter((at) => at <= bytes.length).toSorted((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, n) => bytes.subarray(cuts[n], end))
}

const written = ({ type, flags, id, payload }: Frame) => frame(type, flags, id, payload)

/** Payloads whose bytes can be told apart. */
const payload = fc
  .oneof(
    { weight: 8, arbitrary: fc.nat(40) },
    { weight: 2, arbitrary: fc.nat(MOST_BYTES) },
    { weight: 1, arbitrary: fc.constantFrom(MOST_BYTES, MOST_BYTES - 1, MOST_BYTES - HEAD_BYTES) },
  )
  .map((length) => Buffer.from(Array.from({ length }, (_, n) => n * 7)))
const anyFrame: fc.Arbitrary<Frame> = fc.record({
  type: fc.nat(255),
  flags: fc.nat(255),
  id: fc.nat(2 ** 31 - 1),
  payload,
})

describe('the frames of a peer', () => {
  test('are the same however they are cut', () => {
    const frames = fc.array(anyFrame, { maxLength: 12 })
    fc.assert(
      fc.property(frames, fc.array(fc.nat(60_000), { maxLength: 40 }), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(written))
        expect(
          read(
            cut(
              bytes,
              cuts.map((at) => at % (bytes.length + 1)),
            ),
          ),
        ).toEqual({ frames: sent, isGood: true })
      }),
      { numRuns: 200 },
    )
  })

  test.each([0, 1, 8, 300])('are the same cut at each byte, with a payload of %i bytes', (length) => {
    const sent = [1, 2, 3].map((n) => ({
      type: n,
      flags: n,
      id: n,
      payload: Buffer.from(Array.from({ length }, (_, at) => at + n)),
    }))
    const bytes = Buffer.concat(sent.map(written))
    for (let at = 0; at <= bytes.length; at++) expect(read(cut(bytes, [at]))).toEqual({ frames: sent, isGood: true })
    const each = Array.from({ length: bytes.length }, (_, at) => at)
    expect(read(cut(bytes, each))).toEqual({ frames: sent, isGood: true })
  })

  test('have no first bit in the number of their stream, whatever the peer sends there', () => {
    expect(read([frame(PING, 0, 0xffff_fffe)]).frames.map(({ id }) => id)).toEqual([0x7fff_fffe])
  })

  test('are not kept waiting for what comes after them', () => {
    const bytes = Buffer.concat([frame(1, 0, 1, Buffer.from('abc')), frame(2, 0, 1, Buffer.from('abc'))])
    expect(read([bytes.subarray(0, -1)]).frames.map(({ type }) => type)).toEqual([1])
    expect(read([bytes.subarray(0, 5), bytes.subarray(5, -1)]).frames.map(({ type }) => type)).toEqual([1])
  })
})

describe('a frame that is too long', () => {
  const long = frame(0, 0, 1, Buffer.alloc(MOST_BYTES + 1))
  const before = frame(PING, 0, 0, Buffer.alloc(8))

  test('ends the reading with its head, before any of its payload, wherever it is cut', () => {
    const head = long.subarray(0, HEAD_BYTES)
    for (let at = 0; at <= before.length + HEAD_BYTES; at++) {
      const { frames, isGood } = read(cut(Buffer.concat([before, head]), [at]))
      expect({ types: frames.map(({ type }) => type), isGood }).toEqual({ types: [PING], isGood: false })
    }
  })

  test('is one of more than 16,384 bytes', () => {
    expect(read([long.subarray(0, 20)])).toEqual({ frames: [], isGood: false })
    expect(read([Buffer.from('ffffff000000000001', 'hex')])).toEqual({ frames: [], isGood: false })
    const largest = frame(0, 0, 1, Buffer.alloc(MOST_BYTES))
    expect(read([largest]).frames).toBeArrayOfSize(1)
    expect(read([largest.subarray(0, 20), largest.subarray(20)]).frames).toBeArrayOfSize(1)
  })
})

test('nothing is read after a frame at which its listener stops, wherever it is cut', () => {
  const bytes = Buffer.concat([frame(1, 0, 1, Buffer.from('abc')), frame(2, 0, 1), frame(3, 0, 1)])
  for (let at = 0; at <= bytes.length; at++) {
    const { frames, isGood } = read(cut(bytes, [at]), (count) => count < 2)
    expect({ types: frames.map(({ type }) => type), isGood }).toEqual({ types: [1, 2], isGood: false })
  }
})

describe('what is written', () => {
  test('is read as the same frames', () => {
    const writer = new FrameWriter()
    writer.settings([
      [1, 2],
      [0xfffe, 0xffff_fffe],
    ])
    writer.frame(PING, 1, 0, Buffer.from('12345678'))
    writer.resetStream(0x7fff_ffff, 8)
    writer.goaway(11)
    writer.goaway(0, 5, Buffer.from('bye'))
    writer.windowUpdate(0, 0x7fff_ffff)
    writer.frame(DATA, 1, 3, Buffer.alloc(0))
    const { frames } = read([writer.take() ?? Buffer.alloc(0)])
    expect(frames.map(({ type, flags, id, payload }) => [type, flags, id, payload.toString('hex')])).toEqual([
      [4, 0, 0, '000100000002fffefffffffe'],
      [6, 1, 0, '3132333435363738'],
      [3, 0, 0x7fff_ffff, '00000008'],
      [7, 0, 0, '000000000000000b'],
      [7, 0, 0, '0000000500000000627965'],
      [8, 0, 0, '7fffffff'],
      [0, 1, 3, ''],
    ])
  })

  test('is the same frames in however many pieces it is taken and given back', () => {
    const taking = fc.array(fc.tuple(anyFrame, fc.constantFrom('keep', 'take', 'take and give back')), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(taking, (steps) => {
        const writer = new FrameWriter()
        const taken: Buffer[] = []
        const take = (givesBack: boolean) => {
          const bytes = writer.take()
          if (bytes === null) return
          taken.push(Buffer.from(bytes))
          if (givesBack) writer.giveBack(bytes)
        }
        for (const [{ type, flags, id, payload }, then] of steps) {
          const buffer = writer.reserve(HEAD_BYTES + payload.length)
          const at = writeFrameHead(buffer, writer.at, payload.length, type, flags, id)
          buffer.set(payload, at)
          writer.wrote(at + payload.length)
          if (then !== 'keep') take(then === 'take and give back')
        }
        take(false)
        const bytes = Buffer.concat(taken)
        expect(read([bytes])).toEqual({ frames: steps.map(([sent]) => sent), isGood: true })
        expect([writer.written, writer.taken]).toEqual([bytes.length, bytes.length])
      }),
      { numRuns: 200 },
    )
  })

  test('is the same frames where they are more than a buffer holds', () => {
    const writer = new FrameWriter()
    const bodies = Array.from({ length: 40 }, (_, n) => Buffer.alloc(MOST_BYTES, n))
    for (const body of bodies) writer.frame(DATA, 0, 1, body)
    expect(read([writer.take() ?? Buffer.alloc(0)]).frames.map(({ payload }) => payload)).toEqual(bodies)
  })

  test('is left as it is while its taker has it', () => {
    const writer = new FrameWriter()
    writer.frame(PING, 0, 0, Buffer.from('11111111'))
    const taken = writer.take() ?? Buffer.alloc(0)
    const before = Buffer.from(taken)
    writer.frame(PING, 0, 0, Buffer.from('22222222'))
    expect(taken).toEqual(before)
  })
})
