import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ReadFile } from '../system/read-file.ts'
import { dayOf } from '../text/format.ts'
import { judgePair, readPair, SOON_MS } from './tls-files.ts'
import type { ReadPair, TlsFiles, TlsPair } from './tls-files.ts'
import { messageOf } from '../text/error-code.ts'

const LOOK_MS = MINUTE_MS

interface Options {
  readonly files: TlsFiles
  readonly first: ReadPair
  readonly readFile: ReadFile
  readonly clock: Clock
  readonly log: Log
  readonly use: (pair: TlsPair) => void
}

export interface TlsFollower {
  look(): void
  stop(): void
}

/**
 * Uses renewed files without a restart. Reads them each minute: certbot changes links, which an mtime does not show.
 * Logs once why a pair is not used, and daily that the certificate ends soon.
 */
export function followTlsFiles({ files, first, readFile, clock, log, use }: Options): TlsFollower {
  let inUse = first
  let complaint = ''
  let stopped = false
  let warnAt = clock.now()
  let cancel = clock.after(LOOK_MS, again)
  taken(first)
  warn()

  function again(): void {
    cancel = clock.after(LOOK_MS, again)
    look()
    warn()
  }

  function look(): void {
    if (stopped) return
    const problem = renew()
    if (problem !== null && problem !== complaint) log.error(`the TLS files are not used: ${problem}`)
    complaint = problem ?? ''
  }

  function renew(): string | null {
    const found = readPair(files, readFile)
    if (found.kind === 'problem') return found.problem
    if (found.pair.cert === inUse.pair.cert && found.pair.key === inUse.pair.key) return null
    const read = judgePair(found.pair, files)
    if (read.kind === 'problem') return read.problem
    const now = clock.now()
    if (now >= read.validTo) return `The certificate in ${files.certificate} expired on ${dayOf(read.validTo)}.`
    if (now < read.validFrom) {
      return `The certificate in ${files.certificate} is not valid before ${dayOf(read.validFrom)}.`
    }
    try {
      use(read.pair)
    } catch (error) {
      return messageOf(error)
    }
    inUse = read
    warnAt = now
    log.info('the TLS certificate is renewed', { file: files.certificate, expires: dayOf(read.validTo) })
    taken(read)
    return null
  }

  function taken({ withoutChain }: ReadPair): void {
    if (!withoutChain) return
    const file = files.certificate
    log.warn('the TLS file has no issuer certificates: some clients will refuse it (use fullchain.pem)', {
      file,
    })
  }

  function warn(): void {
    const now = clock.now()
    if (now < warnAt) return
    warnAt = now + DAY_MS
    const { validFrom, validTo } = inUse
    const facts = { file: files.certificate, expires: dayOf(validTo) }
    if (now >= validTo) log.error('the TLS certificate has expired: clients refuse it', facts)
    else if (now < validFrom) log.error('the TLS certificate is not valid yet: is the clock right?', facts)
    else if (validTo - now < SOON_MS) log.warn('the TLS certificate expires soon and is not renewed', facts)
  }

  return {
    look,
    stop() {
      stopped = true
      cancel()
    },
  }
}
