import { join } from 'node:path'
import type { TransportRequest } from '../../../../src/gateway/transport/transport.ts'
import type { Dice } from '../../../fuzz/dice.ts'
import { DATA, frame } from '../../../support/frames.ts'
import { openClient } from './client.ts'
import type { Sent } from './client.ts'

export interface Conversation {
  readonly name: string
  /** What the peer sends; its SETTINGS first. */
  readonly frames: readonly Buffer[]
}

/** Those of `conversations.txt`; the last of them breaks rules. */
export async function readConversations(): Promise<readonly Conversation[]> {
  const text = await Bun.file(join(import.meta.dir, 'conversations.txt')).text()
  return text
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.trim().split('\n')
      return { name, frames: lines.map((line) => Buffer.from(line, 'hex')) }
    })
}

/** A request whose body is of the length `bytes`. */
export function requestOf(n: number, bytes = 20): TransportRequest {
  return { path: `/3/device/${n}`, headers: HEADERS, own: ['apns-id', `id-${n}`], body: 'b'.repeat(bytes) }
}
const HEADERS = { authorization: 'bearer t', 'apns-topic': 'com.example.app' }

/** A conversation with some frames changed, left out, said twice, in another order or taken from another one. */
export function damaged(dice: Dice, all: readonly Conversation[]): readonly Buffer[] {
  const frames = [...dice.pick(all).frames]
  for (let times = dice.pick([0, 1, 1, 2, 3, 8]); times > 0 && frames.length > 1; times--) {
    const at = dice.whole(1, frames.length - 1)
    const here = frames[at] ?? EMPTY
    switch (dice.whole(0, 7)) {
      case 0:
        frames.splice(at, 1)
        break
      case 1:
        frames.splice(at, 0, here)
        break
      case 2:
        frames.splice(at, 0, dice.pick(dice.pick(all).frames))
        break
      case 3:
        frames.push(...frames.splice(at, 1))
        break
      case 4:
        frames.splice(at, 0, anyFrame(dice))
        break
      case 5:
        frames[at] = here.subarray(0, dice.whole(0, here.length))
        break
      default:
        frames[at] = withAnotherByte(dice, here)
    }
  }
  return frames
}

/** Of any type, with a length that is right. */
function anyFrame(dice: Dice): Buffer {
  const length = dice.pick([0, 1, 4, 5, 6, 8, dice.whole(0, 60)])
  return frame(dice.whole(0, 10), dice.whole(0, 255) & dice.whole(0, 255), dice.whole(0, 9), dice.bytes(length))
}

/** A bit of it is another, or a byte; mostly in its payload. */
function withAnotherByte(dice: Dice, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  if (bytes.length === 0) return changed
  const at = dice.whole(bytes.length > 9 && dice.happens(60) ? 9 : 0, bytes.length - 1)
  changed[at] = dice.happens(50) ? (changed[at] ?? 0) ^ (1 << dice.whole(0, 7)) : dice.whole(0, 255)
  return changed
}

/** Cut anywhere. */
export function inChunks(dice: Dice, frames: readonly Buffer[]): readonly Buffer[] {
  const bytes = Buffer.concat(frames)
  const most = dice.pick([5, 50, 500, 20_000])
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunks.at(-1)?.length ?? 1) {
    chunks.push(bytes.subarray(at, at + dice.whole(1, most)))
  }
  return chunks
}

/** For each byte that comes at most so many go back, bodies left out: 13 for a DATA frame of 9. And GOAWAY at the end. */
const OUTPUT_FACTOR = 2
const MORE_OUTPUT_BYTES = 17
const MOST_REQUESTS = 40
/** A request's frames, without its body. */
const REQUEST_BYTES = 300

/**
 * A client on a connection whose peer says `chunks`: it sends, cancels and lets time pass at random. Returns what is wrong
 * with what it saw, `null` for nothing; an exception is a finding too.
 */
export function live(dice: Dice, chunks: readonly Buffer[]): string | null {
  const client = openClient()
  const { connection } = client
  const requests: { readonly sent: Sent; isHeard: boolean }[] = []
  // The greeting goes out in any case.
  client.output()
  let allowedOutput = 0
  let output = 0
  let bodyBytesOut = 0
  let bodyBytesIn = 0
  let sent = 0

  const take = () => {
    for (const { type, payload } of client.output()) {
      if (type !== DATA) output += 9 + payload.length
      else bodyBytesOut += payload.length
    }
  }
  const send = () => {
    const bodyBytes = dice.pick([0, 20, 20, 20, 70_000])
    allowedOutput += REQUEST_BYTES
    bodyBytesIn += bodyBytes
    const request = { sent: client.send(requestOf(sent++, bodyBytes)), isHeard: true }
    requests.push(request)
    return () => {
      // One that is cancelled hears no more than it has.
      request.isHeard &&= request.sent.requested !== null
      request.sent.inFlight.cancel()
      allowedOutput += 13
    }
  }
  const cancels: (() => void)[] = []

  for (const [n, chunk] of chunks.entries()) {
    if (client.rooms > 0 && (n < 3 || dice.happens(10)))
      for (let k = Math.min(4, MOST_REQUESTS - sent); k > 0; k--) cancels.push(send())
    if (cancels.length > 0 && dice.happens(3)) dice.pick(cancels)()
    if (dice.happens(2)) connection.tick()
    if (dice.happens(60)) take()
    connection.receive(chunk)
    allowedOutput += OUTPUT_FACTOR * chunk.length
    if (client.isOver && dice.happens(50)) break
  }
  take()
  const wasOver = client.isOver
  if (wasOver && connection.takeOutput() !== null) return 'it writes after it is over'
  if (dice.happens(50)) connection.close()
  else connection.end({ reason: 'ECONNRESET', kind: 'lost' })
  connection.end({ reason: 'twice', kind: 'lost' })
  take()
  cancels.push(send())
  for (const cancel of cancels) if (dice.happens(20)) cancel()
  connection.tick()
  if (connection.takeOutput() !== null) return 'it writes after it has ended'
  if (output > allowedOutput + MORE_OUTPUT_BYTES) return `it wrote ${output} bytes where ${allowedOutput} are enough`
  if (bodyBytesOut > bodyBytesIn) return `it wrote ${bodyBytesOut} bytes of bodies of ${bodyBytesIn}`
  if (!client.isOver) return 'it is not over after its end'
  if (client.ends.length === 0) return 'its end was not told'
  for (const { sent, isHeard } of requests)
    if ((sent.requested !== null) !== isHeard) return `a request was told ${JSON.stringify(sent.requested)}`
  return null
}

/** What four requests and the connection hear where `chunks` come after the peer's first SETTINGS. */
export function heardOf(
  settings: Buffer,
  chunks: readonly Buffer[],
): { readonly heard: unknown; readonly output: string; readonly isOver: boolean } {
  const client = openClient()
  const { connection } = client
  connection.receive(settings)
  const sent = [0, 1, 2, 3].map((n) => client.send(requestOf(n)))
  const takeAll = () => connection.takeOutput() ?? EMPTY
  const output = [takeAll()]
  for (const chunk of chunks) {
    const own = Buffer.from(chunk)
    connection.receive(own)
    // As a socket does with its buffer.
    own.fill(0xee)
    output.push(takeAll())
  }
  const heard = sent.map(({ requested }) => requested)
  const isOver = client.isOver
  return {
    heard: JSON.parse(JSON.stringify([heard, client.ends])),
    output: Buffer.concat(output).toString('hex'),
    isOver,
  }
}

const EMPTY = Buffer.alloc(0)
