import { lstatSync } from 'node:fs'
import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { COMMAND_NUMBER, commandSocketIn } from '../../server/command/command-socket.ts'
import type { LocalCall, ServerState } from '../../server/command/command-socket.ts'
import { operatorOf } from '../../system/operator.ts'
import { codeOf } from '../../text/error-code.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { VERSION } from '../../version.ts'
import type { CommandContext, CommandFacts, CommandOutcome, ParsedArguments, Signal } from '../command.ts'
import { ALL_SIGNALS, INTERRUPTED, onSignals } from '../signals.ts'
import { callOf, follow, isBroken, lostCall } from './command-call.ts'
import { noticeSilence } from './silent-server.ts'

/** Environment variables that are not settings of the server. */
const HANDED_ON = [
  'NO_COLOR',
  'TERM',
  'LC_ALL',
  'LC_CTYPE',
  'LANG',
  'BELLHOP_ADMIN_LISTEN',
  'BELLHOP_CERTIFICATE_PASSWORD',
  'BELLHOP_CERTIFICATE_PASSWORD_FILE',
]

/** No socket, or nobody listens. */
const NOBODY = /^(ENOENT|ECONNREFUSED|ConnectionRefused|FailedToOpenSocket)$/

/** `null`: no server listens. */
export async function runBeside(
  spec: Pick<CommandFacts, 'name' | 'flags' | 'changes'>,
  given: ParsedArguments,
  data: string,
  context: CommandContext,
): Promise<CommandOutcome | null> {
  if (!isSocketIn(data)) return null
  const abort = new AbortController()
  const state: { number: string | null; signal: Signal | null } = { number: null, signal: null }
  // The second signal, or one that the command ignores, ends it like a process.
  const forward = (signal: Signal) => {
    const isFirst = state.signal === null
    state.signal = signal
    if (!isFirst || state.number === null) return abort.abort()
    void call(data, `signal/${state.number}`, signal)
      .then(async (response) => parseJsonObject(await response.text())?.['heard'] === true)
      .then((heard) => heard || abort.abort())
      .catch(() => abort.abort())
  }
  using _ = onSignals(context.signals, ALL_SIGNALS, forward)
  const lost = lostCall(`server on ${data}`, spec, given)
  using silence = silenceOf(data, context)
  try {
    const response = await call(data, 'command', JSON.stringify(localCall(spec, given, context)), abort.signal)
    silence[Symbol.dispose]()
    state.number = response.headers.get(COMMAND_NUMBER)
    return await follow(response, context, lost)
  } catch (error) {
    if (state.signal !== null) return { kind: 'served', exitCode: INTERRUPTED[state.signal] }
    if (NOBODY.test(codeOf(error) ?? '')) return null
    if (isBroken(error)) return lost
    throw error
  } finally {
    abort.abort()
  }
}

/** Makes a server read this process's changes. */
export async function tellServer(data: string, context: Pick<CommandContext, 'clock' | 'stderr'>): Promise<void> {
  if (!isSocketIn(data)) return
  using _ = silenceOf(data, context)
  try {
    await call(data, 'changed', '')
  } catch (error) {
    if (codeOf(error) === null) throw error
  }
}

/** For an answer. */
const STATE_MS = 5_000

/** `null`: no server answers, or its version has no state. */
export async function serverState(data: string, clock: Clock): Promise<ServerState | null> {
  if (!isSocketIn(data)) return null
  using deadline = abortAfter(clock, STATE_MS)
  try {
    const state = parseJsonObject(await (await call(data, 'state', '', deadline.signal)).text())
    return typeof state?.['pid'] === 'number' ? (state as unknown as ServerState) : null
  } catch (error) {
    if (deadline.signal.aborted || codeOf(error) !== null) return null
    throw error
  }
}

function silenceOf(data: string, context: Pick<CommandContext, 'clock' | 'stderr'>): Disposable {
  return noticeSilence(context, `server on ${data}`, (signal) => call(data, 'state', '', signal))
}

function isSocketIn(data: string): boolean {
  try {
    return lstatSync(commandSocketIn(data)).isSocket()
  } catch {
    // The command reports it when it opens the directory.
    return false
  }
}

function call(data: string, path: string, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`http://bellhop/${path}`, {
    unix: commandSocketIn(data),
    method: 'POST',
    body,
    proxy: false,
    ...(signal && { signal }),
  })
}

function localCall(
  spec: Pick<CommandFacts, 'name' | 'flags'>,
  given: ParsedArguments,
  { env, readFile, terminal }: CommandContext,
): LocalCall {
  const { argv, paths } = callOf(spec, given)
  const named = env['BELLHOP_CERTIFICATE_PASSWORD_FILE'] ?? ''
  const files = [...paths, ...(named === '' ? [] : [named])].map((path) => {
    const file = readFile(path)
    return [path, file.kind === 'read' ? Buffer.from(file.bytes).toString('base64') : { problem: file.problem }]
  })
  const { user, terminal: name } = operatorOf(env)
  return {
    version: VERSION,
    argv,
    files: Object.fromEntries(files) as LocalCall['files'],
    env: Object.fromEntries(HANDED_ON.flatMap((one) => (env[one] === undefined ? [] : [[one, env[one]]]))),
    columns: terminal?.columns ?? null,
    user,
    terminal: name,
  }
}
