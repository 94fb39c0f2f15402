import { connect } from 'node:net'
import type { Conversation } from './conversation.ts'

export interface Outcome {
  /** In order, without 100 Continue. */
  readonly statuses: readonly number[]
  readonly received: string
  /** From the first piece to the last, in ms. */
  readonly spokenMs: number
}

/** Silence that ends the conversation, in ms. */
const QUIET_MS = 150

/** Longest wait for an owed answer, in ms. */
const OWED_MS = 20_000

/** On a new connection. */
export function talk(url: string, { pieces, end, owed }: Conversation): Promise<Outcome> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const parts: Buffer[] = []
  const began = performance.now()
  let saidAt: number | null = null
  let quiet: ReturnType<typeof setTimeout> | undefined

  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const received = () => Buffer.concat(parts).toString('latin1')
  const waitOn = () => {
    clearTimeout(quiet)
    const isOwed = owed !== null && statusesIn(received()).length < owed
    quiet = setTimeout(() => socket.destroy(), isOwed ? OWED_MS : QUIET_MS)
  }
  socket.on('data', (data: Buffer) => {
    parts.push(data)
    if (saidAt !== null) waitOn()
  })
  socket.on('end', () => socket.destroy())
  // A cut by the server is a valid outcome.
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(quiet)
    resolve({
      statuses: statusesIn(received()),
      received: received(),
      spokenMs: (saidAt ?? performance.now()) - began,
    })
  })

  async function speak(): Promise<void> {
    for (const { bytes, pauseMs } of pieces) {
      if (pauseMs > 0) await Bun.sleep(pauseMs)
      if (socket.destroyed) return
      if (!socket.write(bytes)) await drained()
    }
    saidAt = performance.now()
    if (end === 'resets') socket.resetAndDestroy()
    else if (end === 'half-closes') socket.end()
    waitOn()
  }
  const drained = () =>
    new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', resolve)
    })
  socket.on('connect', () => void speak())
  return promise
}

/** No answer contains such a line: JSON escapes line ends. */
function statusesIn(received: string): number[] {
  const lines = received.matchAll(/^HTTP\/1\.[01] (\d{3})\b/gm)
  return [...lines].map(([, status]) => Number(status)).filter((status) => status !== 100)
}
