import { copyFileSync, statSync } from 'node:fs'
import { isLoopback } from '../../admin/own-names.ts'
import { abortAfter } from '../../clock.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { readSystemFile } from '../../system/read-file.ts'
import { syncFile } from '../../system/durable.ts'
import { codeOf } from '../../text/error-code.ts'
import type { CommandContext } from '../command.ts'
import { createProgress } from '../terminal/progress.ts'
import { downloadTo } from '../transfer/download.ts'
import { withoutBrackets } from '../../network/special-networks.ts'

type Context = Pick<CommandContext, 'clock' | 'stderr' | 'terminal'>

export interface OfferedRelease {
  readonly kind: 'offered'
  /** Path or URL of the executable. */
  readonly from: string
  /** Text of its `.minisig`, not checked yet. */
  readonly signature: string
}

const SMALL_FILE_MS = 30_000
/** A checksum line has about 100 bytes. */
const SMALL_FILE_BYTES = 65_536

/** `null`: fine so far. */
export function sourceProblem(from: string): string | null {
  if (from !== '' && !/^[a-z][a-z\d+.-]*:\/\//i.test(from)) return null
  const url = URL.parse(from)
  const isHere = url?.hostname === 'localhost' || isLoopback(withoutBrackets(url?.hostname ?? ''))
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return null
  return `--from: "${from}" is not a file or an https address (http only on this machine).`
}

/** A folder's SHA256SUMS names the release. */
export async function findRelease(from: string, target: string, context: Context): Promise<OfferedRelease | Problem> {
  const isFolder = (addressOf(from)?.pathname ?? from).endsWith('/')
  const executable = isFolder ? await releaseIn(from, target, context) : from
  if (typeof executable !== 'string') return executable
  const signature = await readSmall(followedBy(executable, '.minisig'), context)
  return typeof signature === 'string' ? { kind: 'offered', from: executable, signature } : signature
}

/** On disk; the caller deletes what a failure leaves. */
export async function fetchRelease({ from }: OfferedRelease, to: string, context: Context): Promise<Problem | null> {
  const url = addressOf(from)
  if (url === null) {
    if (!statSync(from, { throwIfNoEntry: false })?.isFile()) return problem(`There is no file ${from}.`)
    copyFileSync(from, to)
    syncFile(to)
    return null
  }
  const progress = createProgress(context, { unit: 'bytes' })
  const stopped = new AbortController().signal
  const onProgress = (done: number, total: number | null) => progress.show(done, total)
  const end = await downloadTo(to, url.href, { clock: context.clock, stopped, onProgress })
  progress.end()
  if (end.kind === 'done') return null
  const reason = end.kind === 'missing' ? 'there is nothing' : end.reason
  // Like a copy on this machine.
  if (reason === 'ENOSPC') throw Object.assign(new Error(`no space left for ${to}`), { code: 'ENOSPC' })
  return problem(`${shownSource(from)} could not be downloaded: ${reason}. Nothing was changed.`)
}

/** Without the query, which may contain a token. */
export function shownSource(from: string): string {
  const url = addressOf(from)
  return url === null ? from : url.origin + url.pathname
}

async function releaseIn(folder: string, target: string, context: Context): Promise<string | Problem> {
  const sums = followedBy(folder, 'SHA256SUMS')
  const text = await readSmall(sums, context)
  if (typeof text !== 'string') return text
  const names = text.split('\n').map((line) => line.slice(66))
  const [name, ...more] = names.filter((each) => /^bellhop-[\w.+-]+$/.test(each) && each.endsWith(`-${target}`))
  if (name !== undefined && more.length === 0) return followedBy(folder, name)
  return problem(`${shownSource(sums)} does not name one release for ${target}: give the file itself.`)
}

async function readSmall(from: string, { clock }: Context): Promise<string | Problem> {
  const url = addressOf(from)
  if (url === null) {
    const file = readSystemFile(from)
    return file.kind === 'read' ? Buffer.from(file.bytes).toString() : problem(`${from} ${file.problem}.`)
  }
  using deadline = abortAfter(clock, SMALL_FILE_MS)
  try {
    const response = await fetch(url, { signal: deadline.signal })
    if (response.status !== 200) return problem(`${shownSource(from)} answers ${response.status}.`)
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('latin1')
      if (text.length > SMALL_FILE_BYTES) return problem(`${shownSource(from)} is too large.`)
    }
    return Buffer.from(text, 'latin1').toString()
  } catch (error) {
    const reason = deadline.signal.aborted ? `no answer within ${SMALL_FILE_MS / 1000} s` : codeOf(error)
    return problem(`${shownSource(from)} cannot be fetched: ${reason ?? String(error)}.`)
  }
}

function addressOf(from: string): URL | null {
  return from.includes('://') ? URL.parse(from) : null
}

function followedBy(from: string, more: string): string {
  const url = addressOf(from)
  return url === null ? from + more : Object.assign(url, { pathname: url.pathname + more }).href
}
