import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { systemClock } from '../../src/clock.ts'
import { h2Transport } from '../../src/gateway/transport/choose-transport.ts'
import { answerTo } from '../../src/gateway/transport/transport.ts'
import type { TransportRequest } from '../../src/gateway/transport/transport.ts'

/** A gateway that is asked: the real one, or the stand-in. */
export interface Asked {
  /** `https://host[:port]`. */
  readonly origin: string
  /** PEM; `undefined`: what the system trusts. */
  readonly ca: string | undefined
}

/** A request that harms nobody: no phone or browser can get it. */
export interface Probe {
  readonly name: string
  /** `null`: none is sent, and only the protocol is negotiated. */
  readonly request: TransportRequest | null
}

const DEADLINE_MS = 10_000

/** What a gateway answers, in a few words: `400 BadDeviceToken`. */
export async function ask({ origin, ca }: Asked, { request }: Probe): Promise<string> {
  if (request === null) return await protocolAt(origin, ca)
  // One connection each: some gateways take a connection amiss that has said something wrong.
  await using transport = h2Transport(systemClock, null)(origin, {
    deadlineMs: DEADLINE_MS,
    olderWillDo: true,
    isFinal: () => true,
    ...(ca !== undefined && { ca }),
  })
  const answer = await answerTo(transport, request)
  if (answer.kind === 'failed') return answer.reason
  const older = transport.protocol === 'HTTP/1.1' ? ' over HTTP/1.1' : ''
  const extra = answer.header('x-wns-error-description') ?? answer.header('x-wns-notificationstatus')
  return [`${answer.status}${older}`, wordIn(answer.body), extra]
    .filter((part) => part !== null && part !== '')
    .join(' ')
}

/** Apple's reason, Mozilla's errno, or the beginning of whatever else it is. */
function wordIn(body: string): string {
  try {
    const said = JSON.parse(body) as Readonly<Record<string, unknown>>
    if (typeof said['reason'] === 'string') return said['reason']
    if (typeof said['errno'] === 'number') return `errno ${said['errno']}`
  } catch {
    // No JSON: its text then.
  }
  return body
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, 60)
}

/** What is agreed on with a client that speaks HTTP/1.1 only. */
function protocolAt(origin: string, ca: string | undefined): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: port === '' ? 443 : Number(port),
      servername: isIP(hostname) === 0 ? hostname : '',
      ALPNProtocols: ['http/1.1'],
      ...(ca !== undefined && { ca }),
    })
    const end = (text: string): void => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(DEADLINE_MS, () => end('no answer'))
    socket.on('error', (error) => end('code' in error ? String(error.code) : error.message))
    socket.on('close', () => end('closed'))
    socket.once('secureConnect', () => end(`agrees on ${socket.alpnProtocol || 'no protocol'}`))
  })
}
