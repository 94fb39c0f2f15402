// A stand-in for a gateway with next to no cost, since it shares two cores with the sender. It decodes no headers, and
// accepts every complete request. Arguments: key file, certificate file, delay in ms, streams at once on a connection,
// kind of answer. Prints its port, then a line of JSON (`GatewayReport`) for each line on standard input, `report` or
// `reset`.
import type { Socket } from 'bun'
import {
  ACK,
  DATA,
  END_STREAM,
  HEADERS,
  MAX_CONCURRENT_STREAMS,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
  uint32,
} from '../../../test/support/frames.ts'
import { acceptingAnswer } from './accepting-answer.ts'
import { FrameReader } from './frame-reader.ts'
import type { FrameHead } from './frame-reader.ts'
import { FrameWriter } from './frame-writer.ts'
import type { GatewayReport } from './gateway.ts'

const [key = '', cert = '', delay = '0', maxStreams = '1000', kind = 'apns'] = process.argv.slice(2)
const delayMs = Number(delay)
const accepting = acceptingAnswer(kind === 'fcm' ? 'fcm' : 'apns')

const NOTHING = new Uint8Array()

/** Initial window, and what a client may send beyond acknowledged bytes. */
const FIRST_WINDOW_BYTES = 65_535
const WINDOW_BYTES = 1 << 24

interface Connection {
  readonly reader: FrameReader
  readonly writer: FrameWriter
  readonly onFrame: (head: FrameHead) => void
  readonly write: (bytes: Uint8Array) => number
  /** Unanswered streams. */
  open: number
  /** Bytes of DATA since the last WINDOW_UPDATE. */
  unread: number
}

interface Due {
  readonly socket: Socket<Connection>
  readonly stream: number
  readonly at: number
}

const report: { -readonly [K in keyof GatewayReport]: GatewayReport[K] } = {
  requests: 0,
  sessions: 0,
  resets: 0,
  peak: 0,
  firstMs: null,
  lastMs: null,
}
let open = 0
/** All have the same delay, so the first is due first. */
let due: Due[] = []
let timer: Timer | null = null

const server = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  // In wire format: Bun 1.4.5 does not add the length byte.
  tls: { key: Bun.file(key), cert: Bun.file(cert), ALPNProtocols: Buffer.from('\x02h2') },
  socket: {
    binaryType: 'uint8array',
    open(socket) {
      socket.data = {
        reader: new FrameReader(),
        writer: new FrameWriter(accepting),
        onFrame: (head) => receive(socket, head),
        write: (bytes) => socket.write(bytes),
        open: 0,
        unread: 0,
      }
    },
    handshake(socket) {
      report.sessions++
      const { writer, write } = socket.data
      writer.frame(
        SETTINGS,
        0,
        0,
        Buffer.concat([Buffer.from([0, MAX_CONCURRENT_STREAMS]), uint32(Number(maxStreams))]),
      )
      writer.frame(WINDOW_UPDATE, 0, 0, uint32(WINDOW_BYTES - FIRST_WINDOW_BYTES))
      writer.flush(write)
    },
    data(socket, chunk) {
      const { reader, writer, onFrame, write } = socket.data
      const before = report.requests
      reader.read(chunk, onFrame)
      if (report.requests > before) {
        report.lastMs = performance.timeOrigin + performance.now()
        report.firstMs ??= report.lastMs
      }
      writer.flush(write)
    },
    drain(socket) {
      socket.data.writer.flush(socket.data.write)
    },
    close(socket) {
      open -= socket.data.open
      due = due.filter((one) => one.socket !== socket)
    },
    error(_socket, error) {
      throw error
    },
  },
})
console.log(server.port)

for await (const line of console) {
  if (line === 'reset')
    Object.assign(report, { requests: 0, sessions: 0, resets: 0, peak: open, firstMs: null, lastMs: null })
  console.log(JSON.stringify(report))
}
process.exit(0)

function receive(socket: Socket<Connection>, { type, flags, stream, length, ping }: FrameHead): void {
  const connection = socket.data
  switch (type) {
    case HEADERS:
      connection.open++
      open++
      report.peak = Math.max(report.peak, open)
      break
    case DATA:
      connection.unread += length
      if (connection.unread < WINDOW_BYTES / 2) break
      connection.writer.frame(WINDOW_UPDATE, 0, 0, uint32(connection.unread))
      connection.unread = 0
      break
    case RST_STREAM:
      report.resets++
      return
    case SETTINGS:
    case PING:
      if ((flags & ACK) === 0) connection.writer.frame(type, ACK, 0, type === PING ? ping : NOTHING)
      return
    default:
      return
  }
  if ((flags & END_STREAM) === 0) return
  report.requests++
  if (delayMs === 0) answer(connection, stream)
  else {
    due.push({ socket, stream, at: performance.now() + delayMs })
    timer ??= setTimeout(answerDue, delayMs)
  }
}

function answer(connection: Connection, stream: number): void {
  connection.open--
  open--
  connection.writer.accept(stream)
}

function answerDue(): void {
  const now = performance.now()
  const waiting = due.findIndex(({ at }) => at > now)
  const ready = due.splice(0, waiting === -1 ? due.length : waiting)
  for (const { socket, stream } of ready) answer(socket.data, stream)
  for (const socket of new Set(ready.map((one) => one.socket))) socket.data.writer.flush(socket.data.write)
  const next = due[0]
  timer = next === undefined ? null : setTimeout(answerDue, Math.max(1, Math.ceil(next.at - performance.now())))
}
