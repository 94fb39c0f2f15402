import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { problem } from '../../failure.ts'
import { readSettings } from '../../settings/parse.ts'
import { codeOf } from '../../text/error-code.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { done, failed, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { adminOrigin } from './admin-origin.ts'

const DEADLINE_MS = 5_000

interface HealthVerdict {
  readonly healthy: boolean
  readonly reasons: readonly string[]
  readonly warnings: readonly string[]
}

/** /healthz, or /readyz with --ready. */
export const run: RunCommand = async ({ flags }, { env, readFile, clock }) => {
  const settings = readSettings(['adminListen'], { flags, env, readFile })
  if (settings.kind === 'problems') return settings
  const { adminListen } = settings.config
  if (adminListen.port === 0) {
    return problems('--admin-listen (BELLHOP_ADMIN_LISTEN): port 0 says nothing of where the server listens now.')
  }
  const ready = flags.has('ready')
  const url = `${adminOrigin(adminListen)}${ready ? '/readyz' : '/healthz'}`
  const verdict = await ask(url, ready, clock)
  const { healthy, reasons, warnings } = verdict
  if (flags.has('json')) {
    const shown = ready ? { ready: healthy, url, reasons, warnings } : { healthy, url, reasons }
    return (healthy ? done : failed)(jsonLine(shown))
  }
  const remarks = warnings.map((warning) => `Warning: ${warning}\n`)
  if (healthy) return done([`${ready ? 'ready' : 'healthy'} ${url}\n`, ...remarks].map(escapedLine).join(''))
  if (!ready) return problem(reasons.join(' '))
  return failed(['not ready\n', ...reasons.map((reason) => `${reason}\n`), ...remarks].map(escapedLine).join(''))
}

async function ask(url: string, ready: boolean, clock: Clock): Promise<HealthVerdict> {
  using deadline = abortAfter(clock, DEADLINE_MS)
  try {
    // A proxy is for the internet.
    const response = await fetch(url, { proxy: false, redirect: 'manual', signal: deadline.signal })
    return judge(url, ready, response.status, await response.text())
  } catch (error) {
    if (deadline.signal.aborted) return ill(`${url} has not answered within ${DEADLINE_MS / 1000} seconds.`)
    const code = codeOf(error) ?? String(error)
    return ill(`Nothing answers at ${url} (${code}): is bellhop serve running with this --admin-listen?`)
  }
}

function judge(url: string, ready: boolean, status: number, body: string): HealthVerdict {
  const answer = answerIn(body)
  if (status === 401) {
    return ill(
      `${url} needs a token: without one it answers only calls to 127.0.0.1, ::1 or localhost. Let the admin side listen there, or on 0.0.0.0.`,
    )
  }
  const own = ready ? ['ready', 'not ready'] : ['ok']
  if (answer === null || !own.includes(answer.status)) {
    return ill(`What answers at ${url} (${status}) is not a Bellhop: is this its --admin-listen?`)
  }
  return { healthy: status === 200, reasons: answer.reasons, warnings: answer.warnings }
}

interface HealthAnswer {
  readonly status: string
  readonly reasons: readonly string[]
  readonly warnings: readonly string[]
}

function answerIn(body: string): HealthAnswer | null {
  const answer = parseJsonObject(body)
  if (answer === null) return null
  const { status, reasons, warnings } = answer
  return { status: String(status), reasons: sentences(reasons), warnings: sentences(warnings) }
}

function sentences(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function ill(sentence: string): HealthVerdict {
  return { healthy: false, reasons: [sentence], warnings: [] }
}

/** Reasons contain names of applications. */
function escapedLine(line: string): string {
  return `${escapeControls(line.trimEnd())}\n`
}
