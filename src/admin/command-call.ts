import type { Actor } from './administrator.ts'
import type { TokenPurpose } from './token-purpose.ts'

/** What is handed in of a file that a command reads: its content, or why it cannot be read. */
export type GivenFile = Uint8Array | { readonly problem: string }

/** A command line of another process, on this machine or another one. */
export interface CommandCall {
  /** Without the program. */
  readonly argv: readonly string[]
  /** By the path that stands in `argv`; `/dev/stdin` is what `-` reads. */
  readonly files: ReadonlyMap<string, GivenFile>
  /** Of the environment what a command may look at. */
  readonly env: Readonly<Record<string, string>>
  /** Of the terminal; `null`: what it says goes elsewhere. */
  readonly columns: number | null
  /** Who runs it: the command writes that into the audit log. */
  readonly by: Actor
  /** What whoever runs it may do, and until when; `null`: for ever. */
  readonly rights: { readonly purpose: TokenPurpose; readonly until: number | null }
  /** It comes from this machine, where `--data` has named this server. */
  readonly isLocal: boolean
}

/** What a command says: a line of JSON for each. The last one has its exit code. `{}`: it is still at work. */
export type CommandSaid =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly exit: number }
  | Readonly<Record<string, never>>

export interface RunningCommand {
  readonly said: AsyncIterable<CommandSaid>
  /** Whether it listens to this signal. Who is not heard any more ends it by SIGHUP. */
  readonly stop: (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM') => boolean
}

/** Runs a command on the data of this server. */
export type ServeCommand = (call: CommandCall) => RunningCommand | CommandRefused

export interface CommandRefused {
  readonly kind: 'refused'
  readonly code: 'InvalidArgument' | 'ForbiddenError' | 'TooManyRequestsError'
  readonly sentence: string
}

/** A line of JSON for each thing that it says. `onEnd`: it has said all, or nobody hears it any more. */
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
