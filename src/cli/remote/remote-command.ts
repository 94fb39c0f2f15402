import { isIP } from 'node:net'
import type { CommandSaid } from '../../admin/routes/command-routes.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { isPublic } from '../../network/special-networks.ts'
import { codeOf, describeError } from '../../text/error-code.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { problems } from '../command.ts'
import type { CommandContext, CommandOutcome, CommandSpec, ParsedArguments } from '../command.ts'
import { remoteFlagNames } from './remote-flags.ts'

/** Where a command is to run, if not here. */
export function serverOf(
  { flags }: Pick<ParsedArguments, 'flags'>,
  env: CommandContext['env'],
): { readonly server: string; readonly tokenFile: string | undefined } | null {
  const server = flags.get('server') ?? (flags.has('data') ? '' : (env['BELLHOP_SERVER'] ?? ''))
  if (server === '') return null
  return { server, tokenFile: flags.get('token-file') ?? env['BELLHOP_TOKEN_FILE'] }
}

/** Has a server run a command on its data, and says what it says. */
export async function runRemotely(
  { name }: Pick<CommandSpec, 'name'>,
  given: ParsedArguments,
  { server, tokenFile }: NonNullable<ReturnType<typeof serverOf>>,
  context: CommandContext,
): Promise<CommandOutcome> {
  const origin = originOf(server)
  if (origin === null) {
    return problems(
      '--server (BELLHOP_SERVER) must be https, or http of this machine or a private network, without a path.',
    )
  }
  if (tokenFile === undefined) {
    return problems('--token-file (BELLHOP_TOKEN_FILE) must name a file with a token of bellhop admin token.')
  }
  const file = context.readFile(tokenFile)
  if (file.kind === 'problem') return problem(`The file ${tokenFile} ${file.problem}.`)
  const token = new TextDecoder().decode(file.bytes).trim()
  if (!/^bha_[\w-]+$/.test(token)) return problem(`${tokenFile} holds no token of bellhop admin token.`)
  const call = callOf(name, given, context)
  if (call.kind === 'problem') return call

  const abort = new AbortController()
  const end = () => abort.abort()
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) context.signals.on(signal, end)
  try {
    const response = await fetch(`${origin}/api/command`, {
      method: 'POST',
      redirect: 'manual',
      signal: abort.signal,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(call.body),
    })
    if (!response.ok) return refusalOf(origin, response.status, await response.text())
    return await follow(response, context)
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'served', exitCode: INTERRUPTED }
    return problem(`No server answers at ${origin}: ${codeOf(error) ?? describeError(error)}.`)
  } finally {
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) context.signals.off(signal, end)
  }
}

/** 128 and SIGINT, as shells have it. */
const INTERRUPTED = 130

/** A token goes there: in plain text only where nobody is between. */
function originOf(server: string): string | null {
  const url = URL.canParse(server) ? new URL(server) : null
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '') return null
  if (url.protocol === 'https:') return url.origin
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isNear = isIP(host) === 0 ? !host.includes('.') : !isPublic(host)
  return url.protocol === 'http:' && isNear ? url.origin : null
}

/** The command line as the server is to read it: what it names of this machine is handed in. */
function callOf(
  name: string,
  { words, flags }: ParsedArguments,
  { readFile }: CommandContext,
): { readonly kind: 'call'; readonly body: object } | Problem {
  const read = (path: string) => {
    const file = readFile(path === '-' ? '/dev/stdin' : path)
    return file.kind === 'problem' ? problem(`The file ${path} ${file.problem}.`) : file
  }
  const argv: string[] = name.split(' ')
  let stdin: string | null = null
  for (const [flag, value] of flags) {
    if (flag === 'server' || flag === 'token-file') continue
    if (remoteFlagNames.files.includes(flag)) {
      if (stdin !== null) return problem(`Of files only one can be handed in: --${flag} is another one.`)
      const file = read(value)
      if (file.kind === 'problem') return file
      stdin = Buffer.from(file.bytes).toString('base64')
      argv.push(`--${flag}=-`)
    } else if (remoteFlagNames.inline.includes(flag) && !value.trimStart().startsWith('{')) {
      const file = read(value)
      if (file.kind === 'problem') return file
      argv.push(`--${flag}=${new TextDecoder().decode(file.bytes)}`)
    } else argv.push(value === '' ? `--${flag}` : `--${flag}=${value}`)
  }
  return { kind: 'call', body: { argv: [...argv, '--', ...words], ...(stdin !== null && { stdin }) } }
}

function refusalOf(origin: string, status: number, text: string): Problem {
  const message = parseJsonObject(text)?.['message']
  if (status === 401 && typeof message === 'string' && message.startsWith('This token')) return problem(message)
  if (status === 401) return problem(`${origin} does not take this token: bellhop admin token makes one.`)
  if (typeof message === 'string') return problem(message)
  return problem(`${origin} answered ${status}: is that where the admin side of Bellhop listens?`)
}

async function follow(response: Response, { stdout, stderr }: CommandContext): Promise<CommandOutcome> {
  let rest = ''
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const said = JSON.parse(line) as CommandSaid
      if ('out' in said && said.out !== undefined) stdout(said.out)
      if ('err' in said && said.err !== undefined) stderr(said.err)
      if ('exit' in said && said.exit !== undefined) return { kind: 'served', exitCode: said.exit }
    }
  }
  return problem('The server broke off: whether the command is done is not known.')
}
