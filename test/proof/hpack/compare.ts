import { connect } from 'node:net'
import { join } from 'node:path'
import { lineReader } from '../../../scripts/benchmark/measure/line-reader.ts'
import { endsWithUs } from '../../../scripts/benchmark/setup/ends-with-us.ts'
import { FrameReader } from '../../../src/gateway/transport/h2/frame-reader.ts'
import { FrameWriter, writeFrameHead } from '../../../src/gateway/transport/h2/frame-writer.ts'
import {
  ErrorCode,
  Flag,
  FRAME_HEAD_BYTES,
  FrameType,
  PREFACE,
  SettingId,
} from '../../../src/gateway/transport/h2/frames.ts'
import { HpackDecoder } from '../../../src/gateway/transport/h2/hpack-decoder.ts'
import { HpackEncoder, maxBlockBytes, writeBlock } from '../../../src/gateway/transport/h2/hpack-encoder.ts'
import { INITIAL_SETTINGS, readPeerSettings } from '../../../src/gateway/transport/h2/peer-settings.ts'
import type { TransportRequest } from '../../../src/gateway/transport/transport.ts'
import { diceOf } from '../../fuzz/dice.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { bundledForNode } from '../peers/child.ts'
import { RequestMaker } from './header-sets.ts'

export interface Comparison {
  /** Header blocks that went to the peer and came back, encoded once by each side. */
  readonly blocks: number
  /** Differences, at most `MOST_FINDINGS`. */
  readonly findings: readonly string[]
  /** Bytes of all blocks by our encoding, and by the peer's. */
  readonly written: number
  readonly read: number
  /** Changes of a table size, by the side that asked for them. */
  readonly peerResizes: number
  readonly ourResizes: number
}

/** Most requests of a connection. Each has its own tables and header sets. */
const REQUESTS_A_CONNECTION = 5000
const IN_FLIGHT = 100
const MOST_FINDINGS = 10

const AUTHORITY = 'gateway.example:2197'

/** Sends `requests` header blocks to nghttp2, which decodes and encodes them, and compares each field. */
export async function compareWithNghttp2(requests: number, seed: number): Promise<Comparison> {
  await using peer = await startEchoPeer()
  const sum = { blocks: 0, findings: [] as string[], written: 0, read: 0, peerResizes: 0, ourResizes: 0 }
  for (let turn = 0; sum.blocks < requests && sum.findings.length === 0; turn++) {
    const count = Math.min(REQUESTS_A_CONNECTION, requests - sum.blocks)
    const { findings, ...counts } = await compareOnOne(peer.port, count, seed, turn)
    sum.findings.push(...findings.map((finding) => `connection ${turn}: ${finding}`))
    for (const name of ['blocks', 'written', 'read', 'peerResizes', 'ourResizes'] as const) sum[name] += counts[name]
  }
  const complaints = await peer.complaints()
  if (complaints !== '') sum.findings.push(`the peer: ${complaints}`)
  return { ...sum, findings: sum.findings.slice(0, MOST_FINDINGS) }
}

/** Starts `echo-server.ts` on Node. */
async function startEchoPeer() {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryDirectory('bellhop-hpack')).path
  const command = await bundledForNode(join(import.meta.dir, 'echo-server.ts'), folder)
  const child = endsWithUs(Bun.spawn([...command], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' }))
  opened.defer(async () => {
    await child.stdin.end()
    await child.exited
  })
  const complaints = new Response(child.stderr).text()
  const port = Number(await lineReader(child.stdout)())
  const running = opened.move()
  return {
    port,
    /** Ends it; resolves with its standard error. */
    async complaints(): Promise<string> {
      await running.disposeAsync()
      return complaints
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function compareOnOne(port: number, requests: number, seed: number, turn: number): Promise<Comparison> {
  const dice = diceOf(seed, turn)
  const maker = new RequestMaker(dice)
  const encoder = new HpackEncoder(AUTHORITY)
  const decoder = new HpackDecoder()
  const writer = new FrameWriter()
  const findings: string[] = []
  /** Expected answers by stream. */
  const expected = new Map<number, string>()
  const counts = { blocks: 0, written: 0, read: 0, peerResizes: 0, ourResizes: 0 }
  let peerSettings = INITIAL_SETTINGS
  let nextId = 1

  writer.raw(PREFACE)
  writer.settings([[SettingId.enablePush, 0]])

  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const reader = new FrameReader(onFrame)
    socket.on('connect', flush)
    socket.on('data', (chunk: Buffer) => {
      if (!reader.read(chunk)) socket.destroy()
      else if (expected.size === 0 && nextId > 2 * requests) socket.end()
      flush()
    })
    socket.on('error', ({ message }) => findings.push(message))
    socket.on('close', () => {
      if (expected.size > 0) findings.push(`${expected.size} requests without an answer`)
      resolve({ ...counts, findings })
    })

    function flush(): void {
      const bytes = writer.take()
      if (bytes !== null && socket.writable) socket.write(bytes)
    }
  })

  function onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    const payload = bytes.subarray(start, end)
    if (type === FrameType.settings) {
      if ((flags & Flag.ack) === 0) onSettings(payload)
    } else if (type === FrameType.headers) {
      if ((flags & Flag.endHeaders) === 0 || (flags & (Flag.padded | Flag.priority)) !== 0) findings.push('other flags')
      const fields = decoder.decode(bytes, start, end)
      const told = typeof fields === 'string' ? fields : JSON.stringify(fields.map(({ name, value }) => [name, value]))
      if (told !== expected.get(stream)) findings.push(`${told} in place of ${expected.get(stream)}`)
      expected.delete(stream)
      counts.read += end - start
    } else if (type === FrameType.resetStream) {
      if (payload.readUInt32BE() !== ErrorCode.none) findings.push(`stream ${stream} was reset`)
    } else if (type === FrameType.goaway) {
      findings.push(`GOAWAY with ${payload.readUInt32BE(4)}`)
    }
    sendMore()
    return findings.length === 0
  }

  function onSettings(payload: Buffer): void {
    const settings = readPeerSettings(peerSettings, payload)
    if (typeof settings === 'number') throw new Error(`SETTINGS with error ${settings}`)
    if (settings.headerTableBytes !== peerSettings.headerTableBytes) counts.peerResizes++
    peerSettings = settings
    encoder.resize(settings.headerTableBytes)
    writer.frame(FrameType.settings, Flag.ack, 0, Buffer.alloc(0))
  }

  function sendMore(): void {
    for (; expected.size < IN_FLIGHT && nextId <= 2 * requests; nextId += 2) {
      if (dice.happens(2)) {
        // Our decoder's table has 4096 bytes. The peer's encoder must use less if told.
        writer.settings([[SettingId.headerTableSize, dice.pick([4096, 4096, 0, 50, 300, 1500])]])
        counts.ourResizes++
      }
      const request = maker.next()
      expected.set(nextId, JSON.stringify(echoOf(request)))
      write(nextId, request)
      counts.blocks++
    }
  }

  function write(id: number, request: TransportRequest): void {
    const block = encoder.prepare(request)
    const buffer = writer.reserve(FRAME_HEAD_BYTES + maxBlockBytes(block, request))
    const from = writer.at
    const end = writeBlock(buffer, from + FRAME_HEAD_BYTES, block, request, request.body.length)
    const bytes = end - from - FRAME_HEAD_BYTES
    const flags = Flag.endHeaders | (request.body === '' ? Flag.endStream : 0)
    writeFrameHead(buffer, from, bytes, FrameType.headers, flags, id)
    writer.wrote(end)
    counts.written += bytes
    if (request.body !== '') writer.frame(FrameType.data, Flag.endStream, id, Buffer.from(request.body))
  }
}

/** The answer of `echo-server.ts`. */
function echoOf({ path, headers, own, body }: TransportRequest): readonly (readonly [name: string, value: string])[] {
  return [
    [':status', '200'],
    ['x-method', 'POST'],
    ['x-scheme', 'https'],
    ['x-authority', AUTHORITY],
    ['x-path', path],
    ['x-content-length', String(body.length)],
    ...Object.entries(headers),
    ...(own === undefined ? [] : [own]),
  ]
}
