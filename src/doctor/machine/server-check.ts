import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { hostPort } from '../../settings/network-types.ts'
import type { ListenAddress } from '../../settings/network-types.ts'
import { failing, ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export type AdminAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'silent' }

const DEADLINE_MS = 3000

export async function askServer(address: ListenAddress, clock: Pick<Clock, 'after'>): Promise<AdminAnswer> {
  using deadline = abortAfter(clock, DEADLINE_MS)
  return await ask(address, deadline.signal)
}

async function ask({ host, port }: ListenAddress, signal: AbortSignal): Promise<AdminAnswer> {
  // A server on all addresses answers on loopback.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  try {
    const url = `http://${hostPort({ host: reached, port })}/readyz`
    const response = await fetch(url, { signal, proxy: false, redirect: 'manual' })
    const body: unknown = await response.json()
    return { kind: 'answered', status: response.status, body }
  } catch {
    // Nothing listens, or it is not a Bellhop.
    return { kind: 'silent' }
  }
}

interface Expected {
  readonly served: boolean
  readonly address: ListenAddress
  readonly version: string
}

export function judgeServer(answer: AdminAnswer, { served, address, version }: Expected): Finding {
  const at = hostPort(address)
  if (!served) {
    const other = answer.kind === 'answered' ? `; what answers at ${at} serves another one` : ''
    return skipped(`No server runs on this data directory${other}.`)
  }
  if (answer.kind === 'silent') {
    return warning(
      `A server is running on this data directory, but its admin side does not answer at ${at}.`,
      'Give doctor the same --admin-listen (BELLHOP_ADMIN_LISTEN) as the server; if it has, restart the server.',
    )
  }
  if (answer.status === 401) {
    return warning(
      `The admin side at ${at} needs a token to say whether the server is ready.`,
      'Without one it answers only calls to 127.0.0.1, ::1 or localhost: let it listen there, or on 0.0.0.0.',
    )
  }
  const said = objectOf(answer.body)
  const reasons = sentencesIn(said['reasons'])
  if (answer.status !== 200) {
    return failing(
      `The server at ${at} is not ready${reasons.length === 0 ? '.' : `: ${reasons.join(' ')}`}`,
      'See the other checks for the cause; its log says when it started.',
    )
  }
  const runs = said['version']
  if (typeof runs === 'string' && runs !== version) {
    return warning(
      `The server at ${at} is version ${runs}, and this program ${version}.`,
      'Restart the server if this version should run.',
    )
  }
  const warnings = sentencesIn(said['warnings'])
  if (warnings.length === 0) return ok(`The server at ${at} is ready.`)
  return warning(`The server at ${at} is ready, with a warning: ${warnings.join(' ')}`, 'See its log for more.')
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function sentencesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, 3) : []
}
