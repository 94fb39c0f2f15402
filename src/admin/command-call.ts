import type { Actor } from './administrator.ts'
import type { TokenPurpose } from './token-purpose.ts'

export type GivenFile = Uint8Array | { readonly problem: string }

/** From another process, on this machine or another one. */
export interface CommandCall {
  /** Without the program. */
  readonly argv: readonly string[]
  /** By their paths in `argv`; `/dev/stdin` is the input for `-`. */
  readonly files: ReadonlyMap<string, GivenFile>
  /** What commands may read. */
  readonly env: Readonly<Record<string, string>>
  /** The terminal's width; `null`: no terminal. */
  readonly columns: number | null
  readonly by: Actor
  /** `until`: `null` for ever. */
  readonly rights: { readonly purpose: TokenPurpose; readonly until: number | null }
  /** From this machine, by `--data` of this server. */
  readonly isLocal: boolean
}

/** The last has the exit code. `{}`: still running. `kept`: holds, with exit code 0, if the server dies now. */
export type CommandSaid =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly exit: number }
  | { readonly kept: string }
  | Readonly<Record<string, never>>

export interface RunningCommand {
  readonly said: AsyncIterable<CommandSaid>
  /** Whether the command handles this signal. SIGHUP: its reader is gone. */
  readonly stop: (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM') => boolean
}

export type ServeCommand = (call: CommandCall) => RunningCommand | CommandRefused

export interface CommandRefused {
  readonly kind: 'refused'
  readonly code: 'InvalidArgument' | 'ForbiddenError' | 'TooManyRequestsError'
  readonly sentence: string
}

/** A line of JSON each. `onEnd`: the output has ended, or its reader is gone. */
export function saidLines(running: RunningCommand, onEnd: () => void = () => {}): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const next = running.said[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await next.next()
      if (done !== true) return controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      controller.close()
      onEnd()
    },
    cancel() {
      running.stop('SIGHUP')
      onEnd()
    },
  })
}
