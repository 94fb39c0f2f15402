import { EventEmitter } from 'node:events'
import { SECOND_MS, within } from '../../clock.ts'
import { done } from '../command.ts'
import type { CommandContext, CommandOutcome, ParsedArguments, RunCommand } from '../command.ts'
import { boundedLines, ERROR, errorLine, readRpc, resultLine, rpcError } from './message.ts'
import type { RpcMessage, RpcRequest } from './message.ts'
import { mcpAnswer } from './protocol.ts'
import { createToolRuns } from './tool-run.ts'
import { createTools } from './tools.ts'

/** Far more than a push may have (4,096 bytes). */
const MAX_LINE_BYTES = 1_048_576

/** For running calls when the input ends: clients wait a few seconds, then end the process. */
const GRACE_MS = 2 * SECOND_MS

const HINT = 'Waiting for MCP messages on standard input: bellhop manual agents says how a client starts this.\n'

export const run: RunCommand = async (given, context) => {
  const { stdin = nothing, stdout, written, terminal, stderr, clock } = context
  const missing = await missingApplication(given, context)
  if (missing !== null) return missing
  if (terminal !== null) stderr(HINT)
  const tools = createTools(toolOptions(given, context))
  const runs = createToolRuns(context, () => new EventEmitter())
  const say = (line: string | null): unknown => line === null || stdout(line)

  for await (const line of boundedLines(stdin(), MAX_LINE_BYTES)) {
    const message = line === null ? TOO_LONG : readRpc(line)
    if (say(answerLine(message)) === false) break
    await written?.()
  }
  if ((await within(clock, GRACE_MS, runs.ended(), 'late')) === 'late') runs.stop()
  return done('')

  /** `null`: no answer, or later. */
  function answerLine(message: RpcMessage): string | null {
    switch (message.kind) {
      case 'ignored':
        return null
      case 'notification':
        if (message.method === 'notifications/cancelled') runs.cancel(message.params['requestId'])
        return null
      case 'error':
        return errorLine(message)
      case 'request':
        return requestLine(message)
    }
  }

  function requestLine(request: RpcRequest): string | null {
    const { id } = request
    if (runs.has(id)) return errorLine(rpcError(id, ERROR.request, 'A call with this id is still running.'))
    const answer = mcpAnswer(request, tools)
    if (answer.kind === 'error') return errorLine(answer)
    if (answer.kind === 'result') return resultLine(id, answer.result)
    const { tool, given: args, complete } = answer
    void runs.run(id, tool, args, (content) => void say(resultLine(id, complete(content))))
    return null
  }
}

const TOO_LONG = rpcError(null, ERROR.request, `A message has at most ${MAX_LINE_BYTES} bytes.`)

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/** Reports a misspelled application now, not at each call. `null`: it exists, or none is named. */
async function missingApplication(
  { words: [app], flags }: ParsedArguments,
  { commands, written: _written, stdin: _stdin, ...context }: CommandContext,
): Promise<CommandOutcome | null> {
  if (app === undefined) return null
  const place = [...placeOf(flags)].map(([flag, value]) => `--${flag}=${value}`)
  const quiet = { ...context, stdout: () => true, signals: new EventEmitter() }
  const exitCode = (await commands?.run(['app', 'show', ...place, '--', app], quiet)) ?? 0
  return exitCode === 0 ? null : { kind: 'served', exitCode }
}

function placeOf(flags: ParsedArguments['flags']): ReadonlyMap<string, string> {
  return new Map([...flags].filter(([name]) => name !== 'allow-send'))
}

function toolOptions({ words: [app], flags }: ParsedArguments, { commands }: CommandContext) {
  return {
    commands: commands?.specs ?? [],
    allowSend: flags.has('allow-send'),
    app,
    place: placeOf(flags),
  }
}
