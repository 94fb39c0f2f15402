import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createAuthority } from '../../../src/gateway/simulator/certificate.ts'
import { lineReader } from '../measure/line-reader.ts'
import type { AnswerKind } from './accepting-answer.ts'

/** Counts since the start or the last `reset()`. */
export interface GatewayReport {
  /** Complete ones. */
  readonly requests: number
  /** TLS connections opened. */
  readonly sessions: number
  /** RST_STREAM frames of clients. */
  readonly resets: number
  /** Highest number of unanswered requests, over all connections. */
  readonly peak: number
  /** When the first and last request were complete, in fractional ms since the Unix epoch. */
  readonly firstMs: number | null
  readonly lastMs: number | null
}

/** For the report. */
export const GATEWAY_KIND =
  'a stand-in for APNs in a process of its own, over TLS: it reads HTTP/2 frames, and answers every complete request with 200 and an apns-id'

/** A stand-in for APNs or FCM that accepts everything, in its own process. */
export interface BenchGateway extends AsyncDisposable {
  /** `https://localhost:PORT` */
  readonly origin: string
  /** Path of a PEM file. */
  readonly ca: string
  readonly kind: string
  readonly pid: number
  report(): Promise<GatewayReport>
  reset(): Promise<void>
}

/**
 * `delayMs`: from a complete request to its answer, default 0. `maxStreams`: at once on a connection, default 1000, as
 * observed with APNs. `kind`: default APNs.
 */
export async function startGateway(
  options: { readonly delayMs?: number; readonly maxStreams?: number; readonly kind?: AnswerKind } = {},
): Promise<BenchGateway> {
  const { delayMs = 0, maxStreams = 1000, kind = 'apns' } = options
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-bench-gateway-'))
  const { ca, server } = await createAuthority(Date.now())
  const path = (name: string): string => join(folder, name)
  await Bun.write(path('ca.pem'), ca)
  await Bun.write(path('key.pem'), server.privateKey)
  await Bun.write(path('certificate.pem'), server.certificate)
  const program = join(import.meta.dir, 'frame-server.ts')
  const child = Bun.spawn(
    [process.execPath, program, path('key.pem'), path('certificate.pem'), String(delayMs), String(maxStreams), kind],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  )
  const nextLine = lineReader(child.stdout)
  const port = Number(await nextLine())

  async function ask(what: 'report' | 'reset'): Promise<GatewayReport> {
    void child.stdin.write(`${what}\n`)
    await child.stdin.flush()
    return JSON.parse(await nextLine())
  }

  return {
    origin: `https://localhost:${port}`,
    ca: path('ca.pem'),
    kind: GATEWAY_KIND,
    pid: child.pid,
    report: () => ask('report'),
    reset: async () => void (await ask('reset')),
    async [Symbol.asyncDispose]() {
      await child.stdin.end()
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}
