import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { failureReason } from '../../gateway/transport/failures.ts'

export type DownloadEnd =
  | { readonly kind: 'done' }
  /** Perhaps not yet. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly reason: string; readonly came: number }

interface Options {
  readonly clock: Pick<Clock, 'after'>
  readonly stopped: AbortSignal
  readonly onProgress: (done: number, total: number | null) => void
}

/** For a connection without a byte. */
const STALLED_MS = MINUTE_MS

export function forgetDownload(file: string): void {
  rmSync(`${file}.part`, { force: true })
}

/**
 * Downloads into `<file>.part`, resuming an earlier try, and renames it when it is whole and on disk. The content at
 * `url` must not change.
 */
export async function downloadTo(file: string, url: string, options: Options): Promise<DownloadEnd> {
  const { clock, stopped, onProgress } = options
  const part = openSync(`${file}.part`, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  const stall = new AbortController()
  let cancel = clock.after(STALLED_MS, () => stall.abort())
  const from = fstatSync(part).size
  let at = from
  try {
    const response = await fetch(url, {
      headers: from > 0 ? { range: `bytes=${from}-` } : {},
      decompress: false,
      signal: AbortSignal.any([stopped, stall.signal]),
    })
    if (response.status !== 200 && response.status !== 206) {
      await response.body?.cancel()
      if (response.status === 403 || response.status === 404) return { kind: 'missing' }
      if (response.status === 416) ftruncateSync(part, 0)
      return { kind: 'broken', reason: `HTTP ${response.status}`, came: 0 }
    }
    if (isHttps(url) && !isHttps(response.url)) return { kind: 'broken', reason: 'it leads away from https', came: 0 }
    // A server without ranges starts over.
    if (response.status === 200) at = 0
    const length = response.headers.get('content-length')
    const total = length === null ? null : at + Number(length)
    for await (const chunk of response.body ?? []) {
      cancel()
      cancel = clock.after(STALLED_MS, () => stall.abort())
      for (let written = 0; written < chunk.length;) {
        written += writeSync(part, chunk, written, chunk.length - written, at + written)
      }
      at += chunk.length
      onProgress(at, total)
    }
    if (total !== null && at < total) return { kind: 'broken', reason: 'it ends too soon', came: at - from }
    ftruncateSync(part, at)
    fsyncSync(part)
    renameSync(`${file}.part`, file)
    return { kind: 'done' }
  } catch (error) {
    const reason = stall.signal.aborted ? `nothing came for ${STALLED_MS / 1000} s` : failureReason(error)
    return { kind: 'broken', reason, came: Math.max(at - from, 0) }
  } finally {
    cancel()
    closeSync(part)
  }
}

function isHttps(url: string): boolean {
  return url.startsWith('https:')
}
