import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { saidLines } from '../../admin/command-call.ts'
import type { CommandCall, GivenFile, RunningCommand, ServeCommand } from '../../admin/command-call.ts'
import { within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { Readiness } from '../../monitoring/readiness.ts'
import { describeError } from '../../text/error-code.ts'
import { VERSION } from '../../version.ts'

/** Anyone who may enter the data directory may use it. */
export function commandSocketIn(data: string): string {
  return join(data, 'bellhop.sock')
}

/** Response header of a command: the number that signals are sent to. */
export const COMMAND_NUMBER = 'x-command'

/** A command line on this machine. Files: by path, their content in base64. */
export interface LocalCall extends Pick<CommandCall, 'argv' | 'env' | 'columns'> {
  readonly version: string
  readonly user: string
  readonly terminal: string
  readonly files: Readonly<Record<string, string | { readonly problem: string }>>
}

interface Dependencies {
  readonly data: string
  readonly clock: Clock
  readonly log: Log
  readonly serve: ServeCommand
  readonly onChanged: () => void
  readonly readiness: () => Promise<Pick<Readiness, 'ready' | 'reasons'>>
}

export interface ServerState {
  readonly pid: number
  readonly version: string
  readonly ready: boolean
  readonly reasons: readonly string[]
}

const ENDING_MS = 2_000

/**
 * Listens for commands of this machine. Only the server's user and root may connect (mode 0600), who could open the
 * database as well: so no token is needed, and the caller's name is believed.
 */
export function openCommandSocket({ data, clock, log, serve, onChanged, readiness }: Dependencies) {
  const path = commandSocketIn(data)
  const running = new Map<number, RunningCommand>()
  let last = 0
  /** Resolves when no command runs; made when somebody waits for that. */
  let idle: PromiseWithResolvers<void> | null = null
  const server = bind()
  // Processes that found no socket may have changed something since.
  onChanged()

  async function answer(request: Request): Promise<Response> {
    const [, name, number] = new URL(request.url).pathname.split('/')
    if (name === 'changed') {
      onChanged()
      return Response.json({})
    }
    if (name === 'state') {
      const { ready, reasons } = await readiness()
      return Response.json({ pid: process.pid, version: VERSION, ready, reasons } satisfies ServerState)
    }
    if (name === 'signal') {
      const command = running.get(Number(number))
      const signal = (await request.text()) as Parameters<RunningCommand['stop']>[0]
      return Response.json({ heard: command === undefined || command.stop(signal) })
    }
    return run((await request.json()) as LocalCall)
  }

  function run({ version, user, terminal, files, ...call }: LocalCall): Response {
    if (version !== VERSION) {
      return refusal(
        `The server on ${data} is Bellhop ${VERSION}, and this program is ${version}: use the same, or restart the server.`,
      )
    }
    const given = Object.entries(files).map(([file, content]): [string, GivenFile] => [
      file,
      typeof content === 'string' ? Buffer.from(content, 'base64') : content,
    ])
    const command = serve({
      ...call,
      files: new Map(given),
      by: { kind: 'command', name: user, origin: terminal },
      rights: { purpose: 'administer', until: null },
      isLocal: true,
    })
    if ('kind' in command) return refusal(command.sentence)
    const number = ++last
    running.set(number, command)
    const lines = saidLines(command, () => {
      running.delete(number)
      if (running.size === 0) idle?.resolve()
    })
    return new Response(lines, { headers: { [COMMAND_NUMBER]: String(number) } })
  }

  function bind() {
    // Left by a server that was killed. This one holds the lock of the directory.
    rmSync(path, { force: true })
    const before = process.umask(0o177)
    try {
      return Bun.serve({
        unix: path,
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        // A command may be silent for long. Bun 1.4.5 heeds this for sockets with a path, too; its types do not say so.
        ...({ idleTimeout: 0 } as object),
        fetch: answer,
        error(error) {
          log.error('a command of this machine failed', { error: describeError(error) })
          return refusal('Internal error: the log of the server has it.')
        },
      })
    } catch (error) {
      log.warn('no socket for commands of this machine', { path, error: describeError(error) })
      return null
    } finally {
      process.umask(before)
    }
  }

  return {
    async stop(): Promise<void> {
      for (const command of running.values()) command.stop('SIGTERM')
      idle = Promise.withResolvers()
      if (running.size > 0) await within(clock, ENDING_MS, idle.promise, undefined)
      await server?.stop(true)
      if (server !== null) rmSync(path, { force: true })
    },
  }
}

function refusal(sentence: string): Response {
  return new Response(`${JSON.stringify({ err: `bellhop: ${sentence}\n` })}\n${JSON.stringify({ exit: 1 })}\n`)
}
