// The second machine of scripts/failover: keeps a copy of the volume and serves it over NBD
// (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md: fixed newstyle, without structured replies).
//
//   bun second-machine.ts IMAGE    prints its port
//
// On standard input `cut after N keep KIND seed S`: the first machine dies at the Nth write from now on. Nothing is answered
// any more, and the copy has `all` writes, a `prefix` of those since the last flush, or `some` of them, as after a power cut
// here, too. Prints `cut`, the number of writes since the last flush, and how many are left.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { chance } from '../support/chance.ts'

const OPTION = 0x49484156454f5054n // "IHAVEOPT"
const OPTION_REPLY = 0x3e889045565a9n
const REQUEST = 0x25609513
const REPLY = 0x67446698
const [EXPORT_NAME, ABORT, INFO, GO] = [1, 2, 6, 7]
const [READ, WRITE, DISCONNECT, FLUSH] = [0, 1, 2, 3]
/** HAS_FLAGS and SEND_FLUSH: clients flush what has to be durable. */
const FLAGS = 0b101
/** Writes are atomic within a sector. */
const SECTOR_BYTES = 512

interface Write {
  readonly offset: number
  readonly before: Buffer
  readonly data: Buffer
}

type Cut = { readonly kind: 'all' | 'prefix' | 'some'; readonly seed: number; left: number }

const image = openSync(process.argv[2] ?? '', 'r+')
const bytes = fstatSync(image).size
/** Since the last flush, in order. A flush is answered after them. */
let unflushed: Write[] = []
let cut: Cut | null = null

const server = createServer((socket) => void serve(socket).catch(() => socket.destroy()))
server.listen(0, '127.0.0.1', () => say(`${(server.address() as AddressInfo).port}`))

for await (const line of console) {
  // The input ends with an empty line.
  if (line === '') break
  const [, after, kind, seed] = /^cut after (\d+) keep (all|prefix|some) seed (\d+)$/.exec(line) ?? []
  if (kind === undefined) throw new Error(`not understood: ${line}`)
  cut = { kind: kind as Cut['kind'], seed: Number(seed), left: Number(after) }
}
process.exit(0)

async function serve(socket: Socket): Promise<void> {
  const take = readerOf(socket)
  socket.write(Buffer.concat([Buffer.from('NBDMAGICIHAVEOPT'), uint(2, 0b11)]))
  await take(4)
  while (!(await negotiated(socket, take)));
  for (;;) {
    const head = await take(28)
    if (head.readUInt32BE(0) !== REQUEST) throw new Error('no request')
    const [kind, handle] = [head.readUInt16BE(6), head.subarray(8, 16)]
    const [offset, length] = [Number(head.readBigUInt64BE(16)), head.readUInt32BE(24)]
    if (kind === DISCONNECT) return void socket.end()
    let content: Buffer = Buffer.alloc(0)
    if (kind === READ) content = read(offset, length)
    else if (kind === WRITE) {
      const data = await take(length)
      if (cut !== null && --cut.left <= 0) return end(cut, { offset, data })
      unflushed.push({ offset, data, before: read(offset, length) })
      writeSync(image, data, 0, length, offset)
    } else if (kind === FLUSH) unflushed = []
    else throw new Error(`no command ${kind} was offered`)
    socket.write(Buffer.concat([uint(4, REPLY), uint(4, 0), handle, content]))
  }
}

/** Answers one option; returns whether the export was chosen. */
async function negotiated(socket: Socket, take: Take): Promise<boolean> {
  const head = await take(16)
  if (head.readBigUInt64BE(0) !== OPTION) throw new Error('no option')
  const option = head.readUInt32BE(8)
  await take(head.readUInt32BE(12))
  const about = Buffer.concat([uint(8, bytes), uint(2, FLAGS)])
  const reply = (type: number, data = Buffer.alloc(0)) =>
    socket.write(Buffer.concat([uint(8, OPTION_REPLY), uint(4, option), uint(4, type), uint(4, data.length), data]))
  if (option === ABORT) throw new Error('the other side gave up')
  if (option === EXPORT_NAME) socket.write(about)
  else if (option === INFO || option === GO) {
    reply(3, Buffer.concat([uint(2, 0), about]))
    reply(1)
  } else reply(2 ** 31 + 1)
  return option === EXPORT_NAME || option === GO
}

/** `last` may have been written in part. */
function end({ kind, seed }: Cut, last: Pick<Write, 'offset' | 'data'>): void {
  const sectors = Math.floor((chance(seed, 'torn') * last.data.length) / SECTOR_BYTES)
  const data = last.data.subarray(0, sectors * SECTOR_BYTES)
  const all = [...unflushed, { offset: last.offset, data, before: read(last.offset, data.length) }]
  for (const { offset, before } of unflushed.toReversed()) writeSync(image, before, 0, before.length, offset)
  const most = kind === 'prefix' ? Math.floor(chance(seed, 'prefix') * (all.length + 1)) : all.length
  const left = all.slice(0, most).filter((_, at) => kind !== 'some' || chance(seed, 'some', at) < 0.5)
  for (const { offset, data: kept } of left) writeSync(image, kept, 0, kept.length, offset)
  closeSync(image)
  server.close()
  say(`cut ${all.length} ${left.length}`)
}

function read(offset: number, length: number): Buffer {
  const content = Buffer.alloc(length)
  readSync(image, content, 0, length, offset)
  return content
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

type Take = (length: number) => Promise<Buffer>

function readerOf(socket: Socket): Take {
  const chunks = socket[Symbol.asyncIterator]()
  let rest = Buffer.alloc(0)
  return async (length) => {
    const parts = [rest]
    let have = rest.length
    while (have < length) {
      const { done, value } = await chunks.next()
      if (done === true) throw new Error('closed')
      parts.push(value)
      have += value.length
    }
    const whole = Buffer.concat(parts)
    rest = whole.subarray(length)
    return whole.subarray(0, length)
  }
}

function uint(width: 2 | 4 | 8, value: number | bigint): Buffer {
  const buffer = Buffer.alloc(width)
  if (width === 8) buffer.writeBigUInt64BE(BigInt(value))
  else buffer.writeUIntBE(Number(value), 0, width)
  return buffer
}
