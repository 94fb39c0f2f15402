import { isIP } from 'node:net'
import { isAboutCertificate } from '../../doctor/gateways/connection-failure.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { isPublic, withoutBrackets } from '../../network/special-networks.ts'
import { codeOf } from '../../text/error-code.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { problems } from '../command.ts'
import type { CommandContext, CommandFacts, CommandOutcome, ParsedArguments } from '../command.ts'
import { ALL_SIGNALS, INTERRUPTED, onSignals } from '../signals.ts'
import { callOf, follow, isBroken, lostCall } from './command-call.ts'
import { noticeSilence } from './silent-server.ts'

/** `null`: here. */
export function serverOf(
  { flags }: Pick<ParsedArguments, 'flags'>,
  env: CommandContext['env'],
): { readonly server: string; readonly tokenFile: string | undefined } | null {
  const server = flags.get('server') ?? (flags.has('data') ? '' : (env['BELLHOP_SERVER'] ?? ''))
  if (server === '') return null
  return { server, tokenFile: flags.get('token-file') ?? env['BELLHOP_TOKEN_FILE'] }
}

export async function runRemotely(
  spec: Pick<CommandFacts, 'name' | 'flags' | 'changes'>,
  given: ParsedArguments,
  { server, tokenFile }: NonNullable<ReturnType<typeof serverOf>>,
  context: CommandContext,
): Promise<CommandOutcome> {
  const origin = adminOriginOf(server)
  if (origin === null) {
    return problems(
      '--server (BELLHOP_SERVER) must be https, or http on this machine or a private network, without a path.',
    )
  }
  if (tokenFile === undefined) {
    return problems('--token-file (BELLHOP_TOKEN_FILE) must name a file with a token of bellhop admin token.')
  }
  const file = context.readFile(tokenFile)
  if (file.kind === 'problem') return problem(`The file ${tokenFile} ${file.problem}.`)
  const token = adminTokenIn(new TextDecoder().decode(file.bytes))
  if (token === null) return problem(`${tokenFile} does not contain a token of bellhop admin token.`)
  const { argv, paths } = callOf(spec, given)
  const files: Record<string, string> = {}
  for (const path of paths) {
    const read = context.readFile(path)
    if (read.kind === 'problem') return problem(`The file ${path} ${read.problem}.`)
    files[path] = Buffer.from(read.bytes).toString('base64')
  }

  const abort = new AbortController()
  using _ = onSignals(context.signals, ALL_SIGNALS, () => abort.abort())
  using silence = noticeSilence(context, `server at ${origin}`, (signal) =>
    fetch(`${origin}/healthz`, { redirect: 'manual', signal }),
  )
  try {
    const response = await fetch(`${origin}/api/command`, {
      method: 'POST',
      redirect: 'manual',
      signal: abort.signal,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ argv, files }),
    })
    silence[Symbol.dispose]()
    if (!response.ok) return refusalOf(origin, response.status, await response.text())
    return await follow(response, context, lostCall(`server at ${origin}`, spec, given))
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'served', exitCode: INTERRUPTED.SIGINT }
    if (isBroken(error)) return problem(noAnswerText(origin, codeOf(error) ?? 'no answer in time'))
    throw error
  } finally {
    abort.abort()
  }
}

/** Gets a token, so plain HTTP only on this machine or a private network. */
export function adminOriginOf(server: string): string | null {
  const url = URL.canParse(server) ? new URL(server) : null
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '') return null
  if (url.protocol === 'https:') return url.origin
  const host = withoutBrackets(url.hostname)
  const isNear = isIP(host) === 0 ? !host.includes('.') : !isPublic(host)
  return url.protocol === 'http:' && isNear ? url.origin : null
}

function noAnswerText(origin: string, reason: string): string {
  if (!isAboutCertificate(reason)) return `No server answers at ${origin}: ${reason}.`
  const isTrusted = /EXPIRED|NOT_YET|ALTNAME/.test(reason)
  const hint = isTrusted ? '' : ': NODE_EXTRA_CA_CERTS may name a file with its authority'
  return `A server answers at ${origin}, but its certificate is not accepted (${reason})${hint}.`
}

function refusalOf(origin: string, status: number, text: string): Problem {
  const message = parseJsonObject(text)?.['message']
  if (status === 404 || status === 405) {
    return problem(`${origin} is not an admin address, or an older Bellhop, which runs no commands of other machines.`)
  }
  if (status === 401 && typeof message === 'string' && message.startsWith('This token')) return problem(message)
  if (status === 401) return problem(`${origin} refused this token: bellhop admin token creates one.`)
  if (typeof message === 'string') return problem(message)
  return problem(`${origin} answered ${status}: is that Bellhop's admin address?`)
}

/** Alone, or in the output of `bellhop admin token`; `null`: none or several. */
export function adminTokenIn(text: string): string | null {
  const tokens = text.match(/\bbha_[\w-]+/g) ?? []
  return tokens.length === 1 ? (tokens[0] ?? null) : null
}
