import { readFileSync } from 'node:fs'

export interface Gateway {
  /** `https://localhost:PORT` */
  readonly origin: string
  /** PEM */
  readonly ca: string
}

/** Sends request number `n`; rejects unless the gateway accepts it. */
export type Send = (n: number) => Promise<unknown>

/**
 * Main function of a sender process, on Bun or Node. Arguments: origin, CA file, warm-up, count. It connects, warms up,
 * prints `ready`, waits for a line, sends `count` requests, `inFlight` at a time, prints `done`, and stays for its
 * figures to be read until standard input ends.
 */
export async function runSender(inFlight: number, connect: (gateway: Gateway) => Promise<Send> | Send): Promise<void> {
  const [origin = '', caFile = '', warmUp = '0', count = '0'] = process.argv.slice(2)
  process.stdin.once('end', () => process.exit(0))
  const send = await connect({ origin, ca: readFileSync(caFile, 'utf8') })
  // Alone: a client that does not know the gateway's limits yet opens a connection for each request.
  await send(0)
  await sendAll(1, Number(warmUp))
  console.log('ready')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  await sendAll(Number(warmUp), Number(warmUp) + Number(count))
  console.log('done')

  async function sendAll(from: number, to: number): Promise<void> {
    let next = from
    const lane = async (): Promise<void> => {
      while (next < to) await send(next++)
    }
    await Promise.all(Array.from({ length: inFlight }, lane))
  }
}
