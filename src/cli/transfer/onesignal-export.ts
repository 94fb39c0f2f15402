import { existsSync, readFileSync, rmSync } from 'node:fs'
import { abortAfter, DAY_MS, HOUR_MS, MINUTE_MS } from '../../clock.ts'
import { problem } from '../../failure.ts'
import { failureReason } from '../../gateway/transport/failures.ts'
import { backoffMs } from '../../network/backoff.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import type { CommandContext, CommandOutcome } from '../command.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { downloadTo, forgetDownload } from './download.ts'
import { startFile } from './unfinished-file.ts'

export interface OnesignalApp {
  readonly id: string
  readonly keyFile: string
  readonly origin: string
  readonly withBrowsers: boolean
}

/** Beside the usual ones (documentation.onesignal.com/reference/csv-export). */
const EXTRA_FIELDS = ['external_user_id', 'timezone_id', 'notification_types']
const BROWSER_FIELDS = ['web_auth', 'web_p256']

/** To accept the request. */
const ASK_MS = MINUTE_MS

/** OneSignal writes about 2,000 records a second (same page). */
const LOOK = { firstMs: 2000, longestMs: 30_000 }

/** 20,000,000 records take less. */
const PATIENCE_MS = 4 * HOUR_MS

/** OneSignal deletes it then (same page). */
const KEPT_MS = 3 * DAY_MS

/** Without a new byte. */
const MAX_TRIES = 8
const AGAIN = { firstMs: 1000, longestMs: 30_000 }

/**
 * Stores OneSignal's export of an app in `file`, for its owner only. After a stop or kill the same call continues:
 * `<file>.asked` has the request, `<file>.part` the download. `null`: it is there.
 */
export async function fetchOnesignalExport(
  app: OnesignalApp,
  file: string,
  context: CommandContext,
): Promise<CommandOutcome | null> {
  const { id, origin } = app
  const { clock, stderr } = context
  if (existsSync(file)) {
    stderr(`${file} exists: continuing with it. Delete it to export again.\n`)
    return null
  }
  const notePath = `${file}.asked`
  using polling = startPolling(context)
  let note = readNote(notePath, id)
  if (note !== null && clock.now() - note.askedAt > KEPT_MS) note = null
  if (note === null) {
    const asked = await ask(app, context)
    if ('kind' in asked) return asked
    forgetDownload(file)
    note = { version: 1, app: id, url: asked.url, askedAt: clock.now() }
    writeNote(notePath, note)
    stderr('OneSignal is exporting, at about 2,000 devices a second.\n')
  } else stderr('Continuing with the export already requested from OneSignal.\n')
  if (!isFetchable(note.url, origin)) return problem(`OneSignal returned no https address for its export: ${note.url}.`)

  const progress = createProgress(context, { unit: 'bytes' })
  try {
    for (let looks = 0, tries = 0; ;) {
      const got = await downloadTo(file, note.url, {
        clock,
        stopped: polling.stopped,
        onProgress: (done, total) => progress.show(done, total),
      })
      if (polling.stopped.aborted) return problem('Stopped: run the command again to continue.')
      switch (got.kind) {
        case 'done':
          removeNote(notePath)
          return null
        case 'missing': {
          if (clock.now() - note.askedAt > PATIENCE_MS) {
            removeNote(notePath)
            return problem(
              'OneSignal did not finish its export within 4 hours: run the command again to request another.',
            )
          }
          await polling.next(backoffMs(LOOK, ++looks, 1))
          break
        }
        case 'broken': {
          tries = got.came > 0 ? 1 : tries + 1
          if (tries > MAX_TRIES) {
            return problem(
              `The export cannot be fetched from OneSignal (${got.reason}): run the command again to continue.`,
            )
          }
          await polling.next(backoffMs(AGAIN, tries, 1))
        }
      }
    }
  } finally {
    progress.end()
  }
}

async function ask(
  { id, keyFile, origin, withBrowsers }: OnesignalApp,
  { clock, readFile }: CommandContext,
): Promise<{ readonly url: string } | CommandOutcome> {
  const read = readFile(keyFile)
  if (read.kind === 'problem') return problem(`The file ${keyFile} ${read.problem}.`)
  const key = new TextDecoder().decode(read.bytes).trim()
  if (!/^[\x21-\x7e]{20,500}$/.test(key))
    return problem(`${keyFile} does not contain a OneSignal API key: expected one line.`)
  using deadline = abortAfter(clock, ASK_MS)
  try {
    const response = await fetch(`${origin}/players/csv_export?app_id=${id}`, {
      method: 'POST',
      headers: { authorization: `${schemeOf(key)} ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ extra_fields: [...EXTRA_FIELDS, ...(withBrowsers ? BROWSER_FIELDS : [])] }),
      redirect: 'manual',
      signal: deadline.signal,
    })
    const answer = parseJsonObject((await response.text()).slice(0, MAX_ANSWER))
    const url = answer?.['csv_file_url']
    if (response.status === 200 && typeof url === 'string') return { url }
    return problem(`OneSignal refused the export: HTTP ${response.status}${saidIn(answer?.['errors'])}.`)
  } catch (error) {
    return problem(
      `OneSignal cannot be reached at ${origin}: ${deadline.signal.aborted ? 'no answer' : failureReason(error)}.`,
    )
  }
}

const MAX_ANSWER = 10_000

/** Newer keys start like this; older ones are a password without a user name. */
function schemeOf(key: string): 'Key' | 'Basic' {
  return key.startsWith('os_') ? 'Key' : 'Basic'
}

/** The first of the answer's `errors`. */
function saidIn(errors: unknown): string {
  const said = [errors].flat(2).find((one) => typeof one === 'string')
  return said === undefined ? '' : `: ${said.slice(0, 200).replace(/\.$/, '')}`
}

/** OneSignal chose the URL. */
function isFetchable(address: string, origin: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.origin === origin) && url.username === ''
}

/** A requested export of another service. */
interface ExportNote {
  readonly version: 1
  readonly app: string
  /** A capability: needs no key. */
  readonly url: string
  readonly askedAt: number
}

/** `null`: none, or for another app. */
function readNote(path: string, app: string): ExportNote | null {
  let note
  try {
    note = parseJsonObject(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
  const { url, askedAt } = note ?? {}
  const isOurs = note?.['version'] === 1 && note['app'] === app
  return isOurs && typeof url === 'string' && typeof askedAt === 'number' ? { version: 1, app, url, askedAt } : null
}

function writeNote(path: string, note: ExportNote): void {
  using file = startFile(path)
  file.write(Buffer.from(JSON.stringify(note)))
  file.finish()
}

function removeNote(path: string): void {
  rmSync(path, { force: true })
}
