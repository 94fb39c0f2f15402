import { describeError } from '../../text/error-code.ts'
import { grouped } from '../../text/format.ts'
import type { JsonObject } from '../../text/json-object.ts'
import type { CommandContext, Signal, Signals } from '../command.ts'
import type { RpcRequest } from './message.ts'
import type { Tool } from './tools.ts'

/** Each may open the database. */
const MAX_RUNNING = 8

/** About 5,000 tokens of a language model. */
const MAX_CHARACTERS = 20_000

/** `EventEmitter` is one. */
type GivenSignals = Signals & { emit(signal: Signal): unknown }

interface Run {
  readonly signals: GivenSignals
  readonly ended: Promise<void>
  isCancelled: boolean
}

/** By the ids of their requests. */
export function createToolRuns(context: CommandContext, newSignals: () => GivenSignals) {
  const running = new Map<unknown, Run>()

  async function content(tool: Tool, given: JsonObject, signals: Signals): Promise<JsonObject> {
    const command = tool.argvOf(given)
    if (command.kind === 'wrong') return contentOf(command.problems.join('\n'), true)
    const { commands, written: _written, stdin: _stdin, ...rest } = context
    let text = ''
    const write = (part: string) => void (text += part)
    try {
      const exitCode = await commands?.run(command.argv, {
        ...rest,
        stdout: write,
        stderr: write,
        terminal: null,
        signals,
      })
      return contentOf(cut(text, tool.more), exitCode !== 0)
    } catch (error) {
      context.stderr(`bellhop: Internal error. ${describeError(error)}\n`)
      return contentOf('Internal error: see the standard error of bellhop mcp.', true)
    }
  }

  return {
    has: (id: RpcRequest['id']): boolean => running.has(id),
    /** `tell` gets the result, unless the call was cancelled. */
    async run(id: RpcRequest['id'], tool: Tool, given: JsonObject, tell: (content: JsonObject) => void): Promise<void> {
      if (running.size >= MAX_RUNNING) {
        return tell(contentOf('Too many calls are running: try again when one has finished.', true))
      }
      const ended = Promise.withResolvers<void>()
      const run: Run = { signals: newSignals(), ended: ended.promise, isCancelled: false }
      running.set(id, run)
      const result = await content(tool, given, run.signals)
      if (!run.isCancelled) tell(result)
      running.delete(id)
      ended.resolve()
    },
    cancel(id: unknown): void {
      const run = running.get(id)
      if (run === undefined) return
      run.isCancelled = true
      run.signals.emit('SIGINT')
    },
    stop(): void {
      for (const { signals } of running.values()) signals.emit('SIGTERM')
    },
    async ended(): Promise<void> {
      await Promise.all([...running.values()].map((run) => run.ended))
    },
  }
}

function contentOf(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError }
}

/** After a whole line if there is one. */
function cut(text: string, more: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  const end = text.lastIndexOf('\n', MAX_CHARACTERS)
  const kept = text.slice(0, end === -1 ? MAX_CHARACTERS : end).toWellFormed()
  return `${kept}\n\nCut: these are the first ${grouped(kept.length)} of ${grouped(text.length)} characters. ${more}\n`
}
