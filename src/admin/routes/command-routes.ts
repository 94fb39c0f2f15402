import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { bodyOf, invalid, optional, required } from '../../http/fields.ts'
import type { Field } from '../../http/fields.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import { known } from '../administrator.ts'
import type { Actor } from '../administrator.ts'
import { lesserPurposeText } from '../token-purpose.ts'
import type { TokenPurpose } from '../token-purpose.ts'

/** A command line of another machine. */
export interface CommandCall {
  /** Without the program. */
  readonly argv: readonly string[]
  /** What it reads from standard input; `null`: nothing. */
  readonly stdin: Uint8Array | null
  /** Who runs it: the command writes that into the audit log. */
  readonly by: Actor
  /** What whoever runs it may do, and until when; `null`: for ever. */
  readonly rights: { readonly purpose: TokenPurpose; readonly until: number | null }
}

/** What a command says: a line of JSON for each. The last one has its exit code. `{}`: it is still at work. */
export type CommandSaid =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly exit: number }
  | Readonly<Record<string, never>>

export interface RunningCommand {
  readonly said: AsyncIterable<CommandSaid>
  /** Nobody listens any more. */
  stop(): void
}

/** Runs a command on the data of this server. `lesser`: the token is not for this command. `busy`: too many run. */
export type ServeCommand = (
  call: CommandCall,
) =>
  | RunningCommand
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'lesser'; readonly needed: TokenPurpose }
  | { readonly kind: 'busy' }

interface Dependencies {
  readonly gate: AdminGate
  readonly serve: ServeCommand
}

const MAX_WORDS = 200

const argv: Field<readonly string[]> = {
  schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_WORDS },
  emptyIsAbsent: true,
  read(value, name) {
    const isLine = Array.isArray(value) && value.length > 0 && value.length <= MAX_WORDS
    if (isLine && value.every((word) => typeof word === 'string' && !word.includes('\0'))) return value as string[]
    throw invalid(name, `must be a list of 1 to ${MAX_WORDS} words`)
  },
}

const stdin: Field<Uint8Array> = {
  schema: { type: 'string', format: 'byte', description: 'In base64.' },
  emptyIsAbsent: false,
  read(value, name) {
    if (typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value)) return Buffer.from(value, 'base64')
    throw invalid(name, 'must be base64')
  },
}

const LINES = { type: 'string', description: 'A line of JSON for what it says: {"out"}, {"err"}, at last {"exit"}.' }

const RunCommandLine = bodyOf({ argv: required(argv), stdin: optional(stdin) })

/** The commands of the command line, for those who have it on another machine: `bellhop … --server URL`. */
export function commandRoutes({ gate, serve }: Dependencies) {
  return new Elysia({ name: 'command-routes' }).use(gate).post(
    '/api/command',
    async ({ actor, body }) => {
      const by = known(actor)
      const rights =
        by.kind === 'token'
          ? { purpose: by.purpose, until: by.expiresAt }
          : ({ purpose: 'administer', until: null } as const)
      const running = serve({ argv: body.argv, stdin: body.stdin ?? null, by, rights })
      if ('kind' in running) {
        if (running.kind === 'refused') throw new Refused(failure('InvalidArgument', running.sentence))
        if (running.kind === 'lesser') {
          throw new Refused(failure('ForbiddenError', lesserPurposeText(rights.purpose, running.needed)))
        }
        const sentence = 'Other commands run: try again when one of them has ended.'
        throw new Refused(failure('TooManyRequestsError', sentence, { 'retry-after': '1' }))
      }
      return new Response(lines(running), { headers: { 'content-type': 'application/x-ndjson' } })
    },
    {
      ...adminCall('Service', 'Run a command of the command line; answers a line of JSON for what it says', {
        action: 'command',
        answer: LINES,
        contentType: 'application/x-ndjson',
      }),
      body: RunCommandLine,
    },
  )
}

function lines(running: RunningCommand): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const next = running.said[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await next.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
    cancel: () => running.stop(),
  })
}
