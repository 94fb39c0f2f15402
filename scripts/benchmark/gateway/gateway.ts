import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createAuthority } from '../../../src/gateway/simulator/certificate.ts'
import { lineReader } from '../measure/line-reader.ts'
import type { AnswerKind } from './accepting-answer.ts'

/** Counted since the start or the last `reset()`. */
export interface GatewayReport {
  /** Complete ones. */
  readonly requests: number
  /** TLS connections that began. */
  readonly sessions: number
  /** RST_STREAM frames of clients. */
  readonly resets: number
  /** Most requests at once that were begun and not answered, over all connections. */
  readonly peak: number
  /** When the first and the last request was complete, in ms since the Unix epoch, with fraction; `null`: none yet. */
  readonly firstMs: number | null
  readonly lastMs: number | null
}

/** What the stand-in is, for the report. */
export const GATEWAY_KIND =
  'a stand-in for APNs in a process of its own, over TLS: it reads HTTP/2 frames, and answers every complete request with 200 and an apns-id'

/** A stand-in for APNs, or for FCM, that takes every notification, as a process of its own. */
export interface BenchGateway extends AsyncDisposable {
  /** `https://localhost:PORT`. */
  readonly origin: string
  /** Path of a PEM file: what a client must trust. */
  readonly ca: string
  readonly kind: string
  readonly pid: number
  report(): Promise<GatewayReport>
  reset(): Promise<void>
}

/**
 * Starts one on a free port. `delayMs`: from a complete request to its answer, default 0. `maxStreams`: at once on a
 * connection, default 1000, as APNs has been seen to allow. `kind`: whose answer it gives, default that of APNs.
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
