import { join } from 'node:path'
import { tokenOf } from '../setup/device-labels.ts'

/** Calls built from templates, so that a plan is small. */
export interface LoadPlan {
  /** `http://127.0.0.1:8790` */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Kept open, with one request in flight on each. */
  readonly connections: number
  /** A schedule of calls, regardless of answers; `null`: each call waits for the previous answer. */
  readonly perSecond: number | null
  /** Used in turn. */
  readonly kinds: readonly CallKind[]
  readonly calls: number
  /** Number of the first call: see `fill`. */
  readonly from: number
}

export interface CallKind {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Templates, like the body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Expected. */
  readonly status: number
}

export interface LoadResult {
  /** When the first call left, in fractional ms since the Unix epoch. */
  readonly startedAtMs: number
  readonly seconds: number
  /** CPU time of the caller, from the first call to the last answer. */
  readonly cpuMs: number
  /** How late calls left, which is the caller's fault. 0 without a schedule. */
  readonly lateP99Ms: number
  /** By name. From when a call was due (without a schedule: sent) to its last byte. */
  readonly kinds: Readonly<Record<string, { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }>>
}

/** Makes the calls in a separate process. Throws on an unexpected answer. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'load.ts')], {
    stdin: new Blob([JSON.stringify(plan)]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`load: ${stderr}`)
  return JSON.parse(stdout)
}

/** Bytes of call `n`. */
export function requestOf({ url, headers, kinds }: LoadPlan, n: number): Buffer {
  const kind = kindOf(kinds, n)
  const body = fill(kind.body ?? '', n)
  const lines = [`${kind.method} ${kind.path} HTTP/1.1`, `host: ${new URL(url).host}`]
  for (const [name, value] of Object.entries({ ...headers, ...kind.headers })) lines.push(`${name}: ${fill(value, n)}`)
  if (kind.body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

export function kindOf(kinds: readonly CallKind[], n: number): CallKind {
  const kind = kinds[n % kinds.length]
  if (kind === undefined) throw new Error('a plan without calls')
  return kind
}

/**
 * Replaces `$token` with the token of device n, `$n` with its number, `$n%50` with the remainder, and `$tokens*500`
 * with a JSON array of 500 tokens, from device 500 n on.
 */
export function fill(template: string, n: number): string {
  return template.replace(/\$tokens\*(\d+)|\$token|\$n(?:%(\d+))?/g, (found, many?: string, divisor?: string) => {
    if (many !== undefined) return JSON.stringify(tokensFrom(n * Number(many), Number(many)))
    if (found === '$token') return tokenOf(n)
    return String(divisor === undefined ? n : n % Number(divisor))
  })
}

function tokensFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => tokenOf(first + index))
}

export interface Answer {
  readonly status: number
  /** Head and body. */
  readonly bytes: number
}

/** The answer at the start of `bytes`; `null`: incomplete. Throws if it has no Content-Length. */
export function readAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a Content-Length: ${head}`)
  const whole = end + 4 + Number(length)
  return bytes.length < whole ? null : { status: Number(head.slice(9, 12)), bytes: whole }
}
