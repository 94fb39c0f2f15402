import { join } from 'node:path'
import { tokenOf } from '../setup/device-labels.ts'

/** Calls to make. They are made from templates, so that a plan is small. */
export interface LoadPlan {
  /** Such as `http://127.0.0.1:8790`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Kept open; one request in flight on each. */
  readonly connections: number
  /** Calls a second on a schedule, however long the answers take; `null`: each when the one before is answered. */
  readonly perSecond: number | null
  /** They take turns. */
  readonly kinds: readonly CallKind[]
  /** In all. */
  readonly calls: number
  /** The number of the first call: see `fill`. */
  readonly from: number
}

export interface CallKind {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Templates, as is the body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The only right one. */
  readonly status: number
}

export interface LoadResult {
  /** When the first call left, ms since the Unix epoch with a fraction. */
  readonly startedAtMs: number
  readonly seconds: number
  /** CPU time of the calling process, from the first call to the last answer. */
  readonly cpuMs: number
  /** How late calls left: what the caller, not the service, is to blame for. 0 without a schedule. */
  readonly lateP99Ms: number
  /** By name. Times from the moment a call was due, or without a schedule from when it left, to its last byte. */
  readonly kinds: Readonly<Record<string, { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }>>
}

/** Makes the calls from a process of its own. Throws when one is not answered as it should be. */
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

/** The bytes of call `n` of a plan, ready to be written. */
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
 * `$token` becomes the token of device n, `$n` its number, `$n%50` the remainder, and `$tokens*500` a JSON array of the
 * tokens of 500 devices, from number 500 n on.
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

/** The answer at the start of `bytes`; `null` while it is not all there. Throws for one without a Content-Length. */
export function readAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a Content-Length: ${head}`)
  const whole = end + 4 + Number(length)
  return bytes.length < whole ? null : { status: Number(head.slice(9, 12)), bytes: whole }
}
