import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { openSecureSocket, portOf } from '../../gateway/transport/secure-socket.ts'
import { openTunnel } from '../../gateway/transport/tunnel.ts'
import type { Proxy } from '../../gateway/transport/tunnel.ts'
import { codeOf } from '../../text/error-code.ts'
import { listed, shortTime } from '../../text/format.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { connectionFinding, isAboutCertificate } from './connection-failure.ts'
import type { Way } from './connection-failure.ts'
import { withoutBrackets } from '../../network/special-networks.ts'

export interface ReachOptions {
  readonly clock: Clock
  readonly proxy: Proxy | null
  readonly ca: string | undefined
  readonly stopwatch: () => number
  /** Accept HTTP/1.1, as the token endpoint does. */
  readonly olderWillDo?: boolean
}

/** Connecting to Apple or Google takes about 100 ms. */
export const REACH_MS = 4000

/** Checks DNS, TCP, TLS and HTTP/2, as for pushes. `origin`: `https://host[:port]`. */
export async function checkReach(origin: string, options: ReachOptions): Promise<Finding> {
  const control = new AbortController()
  const finding = await within(options.clock, REACH_MS, reach(new URL(origin), options, control.signal), 'late')
  control.abort()
  return finding === 'late' ? connectionFinding('deadline', wayTo(new URL(origin), options.proxy)) : finding
}

export function wayTo(origin: URL, proxy: Proxy | null): Way {
  const host = withoutBrackets(origin.hostname)
  return { host, port: portOf(origin), proxy: proxy && `${proxy.host}:${proxy.port}` }
}

async function reach(origin: URL, options: ReachOptions, signal: AbortSignal): Promise<Finding> {
  const { proxy, ca, stopwatch } = options
  const way = wayTo(origin, proxy)
  const started = stopwatch()
  // The proxy resolves names itself.
  const resolved = proxy === null && isIP(way.host) === 0 ? await resolve(way.host) : []
  if (!Array.isArray(resolved)) return connectionFinding(resolved.reason, way)
  const resolvedMs = stopwatch() - started

  const opened = await openSecureSocket(origin, proxy, ca === undefined ? {} : { ca }, signal)
  const openedMs = stopwatch() - started - resolvedMs
  const older = opened.kind === 'failed' && options.olderWillDo === true && NO_HTTP2.test(opened.reason)
  if (opened.kind === 'failed' && !older) {
    const issuer = isAboutCertificate(opened.reason) ? await issuerAt(origin, proxy, signal) : null
    return connectionFinding(opened.reason, way, issuer)
  }

  const name = way.port === 443 ? way.host : `${way.host}:${way.port}`
  const to = resolved.length === 0 ? '' : ` is ${listed(resolved, 2)} (${shortTime(resolvedMs)})`
  const how = older ? 'HTTP/1.1 over TLS' : 'HTTP/2 over TLS'
  const by = way.proxy === null ? '' : ` through the proxy ${way.proxy}`
  const found = `${name}${to}${to === '' ? ' answers' : ', and answers'} by ${how}${by} in ${shortTime(openedMs)}.`
  return (await brokenFamily(resolved, way, options.clock, signal)) ?? ok(found)
}

const NO_HTTP2 = /HTTP2Unsupported$|EPROTO$/

async function resolve(host: string): Promise<string[] | { readonly reason: string }> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (error) {
    return { reason: codeOf(error) ?? 'ENOTFOUND' }
  }
}

/** If only IPv4 or only IPv6 works, new connections may wait for the other first. */
async function brokenFamily(
  addresses: readonly string[],
  { host, port }: Way,
  clock: Clock,
  signal: AbortSignal,
): Promise<Finding | null> {
  const reaches = async (family: number): Promise<boolean | null> => {
    const address = addresses.find((address) => isIP(address) === family)
    if (address === undefined) return null
    return await within(clock, FAMILY_MS, connects(address, port, signal), false)
  }
  const [four, six] = await Promise.all([reaches(4), reaches(6)])
  if (four === null || six === null || four === six) return null
  const [broken, whole] = four ? ['IPv6', 'IPv4'] : ['IPv4', 'IPv6']
  return warning(
    `${host} is reached over ${whole}, and not over ${broken}.`,
    `Fix the network's ${broken}, or disable it on this machine: new connections may wait for it.`,
  )
}

/** A working connection takes less than a second. */
const FAMILY_MS = 1500

function connects(address: string, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const end = (reached: boolean): void => {
      socket.destroy()
      resolve(reached)
    }
    socket.on('error', () => end(false))
    socket.once('connect', () => end(true))
    signal.addEventListener('abort', () => end(false))
  })
}

/** The issuer of a host's certificate, trusted or not. */
async function issuerAt(origin: URL, proxy: Proxy | null, signal: AbortSignal): Promise<string | null> {
  const { host, port } = wayTo(origin, proxy)
  const tunnel = proxy === null ? null : await openTunnel(proxy, `${origin.hostname}:${port}`, signal)
  if (tunnel?.kind === 'failed') return null
  return new Promise((resolve) => {
    const socket = connectTls({
      ...(tunnel !== null && { socket: tunnel.socket }),
      host,
      port,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['h2', 'http/1.1'],
      // Nothing is sent: the certificate is only read, to name whoever intercepts.
      rejectUnauthorized: false,
    })
    socket.on('error', () => resolve(null))
    socket.on('close', () => resolve(null))
    socket.once('secureConnect', () => {
      const issuer = socket.getPeerCertificate().issuer as Readonly<Record<string, unknown>> | undefined
      socket.destroy()
      resolve(readable(issuer?.['CN']) ?? readable(issuer?.['O']))
    })
    signal.addEventListener('abort', () => socket.destroy())
  })
}

/** Untrusted text. */
function readable(name: unknown): string | null {
  const text = typeof name === 'string' ? name.replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}\p{Sm}]/gu, '').slice(0, 100) : ''
  return text === '' ? null : text
}
