import { createServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../support/certificate.ts'
import { pick } from '../../support/chance.ts'
import type { GatewayBook } from '../books.ts'
import { CuttingConnection } from './cutting-connection.ts'
import type { Harm } from './harms.ts'

export interface GatewayCounts {
  readonly connections: number
  readonly openConnections: number
  readonly processed: number
  /** By harm. */
  readonly harms: Readonly<Partial<Record<Harm | EarlyHarm, number>>>
  /** The first few forbidden frames of clients. */
  readonly violations: readonly string[]
}

/** Done to new connections. */
type EarlyHarm = 'cut-at-start' | 'goaway-at-start'

interface GatewayOptions {
  readonly book: GatewayBook
  /** Numbers in [0, 1). */
  readonly random: () => number
  /** Average requests per harm. */
  readonly harmEvery: number
  readonly harms: readonly Harm[]
}

export interface CuttingGateway extends AsyncDisposable {
  readonly origin: string
  /** PEM; clients must trust it. */
  readonly ca: string
  counts(): GatewayCounts
}

/** SETTINGS_MAX_CONCURRENT_STREAMS: one of these. */
const LIMITS = [1000, 1000, 1000, 250, 100, 10]

/** SETTINGS_INITIAL_WINDOW_SIZE in bytes: one of these. The first is HTTP/2's default. */
const WINDOWS_BYTES = [65_535, 65_535, 1024]

/** One of this many connections is harmed at its start. */
const EARLY_EVERY = 20

/** Interval of answers. */
const TICK_MS = 4

const MAX_VIOLATIONS = 20

/**
 * A gateway that identifies requests by their body, books those it processes, and does random harm: see `Harm`. It
 * reads and writes frames itself.
 */
export async function startCuttingGateway(options: GatewayOptions): Promise<CuttingGateway> {
  const { book, random } = options
  const certificate = makeCertificate()
  const open = new Set<CuttingConnection>()
  const done: Partial<Record<Harm | EarlyHarm, number>> = {}
  const violations: string[] = []
  let connections = 0
  let processed = 0

  function note(harm: Harm | EarlyHarm): void {
    done[harm] = (done[harm] ?? 0) + 1
  }

  function accept(socket: TLSSocket): void {
    connections++
    const early = random() * EARLY_EVERY
    if (early < 0.5) {
      note('cut-at-start')
      socket.on('error', () => undefined)
      socket.destroy()
      return
    }
    const connection = new CuttingConnection(socket, {
      ...options,
      maxStreams: pick(LIMITS, random()),
      windowBytes: pick(WINDOWS_BYTES, random()),
      onHarm: note,
      onProcessed(request, attempt) {
        processed++
        book.note(request, attempt)
      },
      onViolation(words) {
        if (violations.length < MAX_VIOLATIONS) violations.push(`connection ${connections}: ${words}`)
      },
      onClosed: () => void open.delete(connection),
    })
    open.add(connection)
    if (early < 1) {
      note('goaway-at-start')
      connection.goAwayAtStart()
    }
  }

  const server = createServer(
    { key: certificate.privateKey, cert: certificate.certificate, ALPNProtocols: ['h2'] },
    accept,
  )
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ticking = setInterval(() => {
    for (const connection of open) connection.tick()
  }, TICK_MS)

  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: certificate.certificate,
    counts: () => ({ connections, openConnections: open.size, processed, harms: done, violations }),
    async [Symbol.asyncDispose]() {
      clearInterval(ticking)
      for (const connection of open) connection.cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
