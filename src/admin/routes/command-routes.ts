import { Elysia } from 'elysia'
import { within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { failure, Refused } from '../../failure.ts'
import { bodyOf, invalid, optional, required } from '../../http/fields.ts'
import type { Field } from '../../http/fields.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import { isJsonObject } from '../../text/json-object.ts'
import { known } from '../administrator.ts'
import { saidLines } from '../command-call.ts'
import type { CommandSaid, RunningCommand, ServeCommand } from '../command-call.ts'
import { LOOK_MS } from '../event-stream.ts'
import type { Streaming } from './push-overview-routes.ts'

interface Dependencies extends Pick<Streaming, 'isGood'> {
  readonly gate: AdminGate
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
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

const files: Field<ReadonlyMap<string, Uint8Array>> = {
  schema: {
    type: 'object',
    additionalProperties: { type: 'string', format: 'byte' },
    description: 'The files named in argv, by path, in base64. /dev/stdin is the input for -.',
  },
  emptyIsAbsent: false,
  read(value, name) {
    if (!isJsonObject(value)) throw invalid(name, 'must be an object')
    return new Map(
      Object.entries(value).map(([path, content]) => {
        if (typeof content === 'string' && /^[\w+/-]*={0,2}$/.test(content))
          return [path, Buffer.from(content, 'base64')]
        throw invalid(name, 'must have base64 for each file')
      }),
    )
  },
}

const LINES = {
  type: 'string',
  description: 'One JSON object a line: {"out"} and {"err"} for output, and {"exit"} last.',
}

const RunCommandLine = bodyOf({ argv: required(argv), files: optional(files) })

/** For `bellhop … --server URL` on another machine. */
export function commandRoutes({ gate, clock, serve, isGood }: Dependencies) {
  return new Elysia({ name: 'command-routes' }).use(gate).post(
    '/api/command',
    async ({ actor, body, request }) => {
      const by = known(actor)
      const rights =
        by.kind === 'token'
          ? { purpose: by.purpose, until: by.expiresAt }
          : ({ purpose: 'administer', until: null } as const)
      const { argv: words, files: handedIn = new Map() } = body
      const running = serve({ argv: words, files: handedIn, env: {}, columns: null, by, rights, isLocal: false })
      if ('kind' in running) {
        const headers = running.code === 'TooManyRequestsError' ? { 'retry-after': '1' } : {}
        throw new Refused(failure(running.code, running.sentence, headers))
      }
      const said = untilEnded(running, clock, () => isGood(request))
      return new Response(saidLines({ ...running, said }), { headers: { 'content-type': 'application/x-ndjson' } })
    },
    adminCall('Service', 'Run a CLI command; streams its output as JSON lines', {
      answer: LINES,
      body: RunCommandLine,
      contentType: 'application/x-ndjson',
    }),
  )
}

/** What is stored by then stays, as after Ctrl-C. Not with each line: a command may revoke its own caller. */
async function* untilEnded(
  running: RunningCommand,
  clock: Pick<Clock, 'after' | 'monotonic'>,
  isAllowed: () => boolean,
): AsyncGenerator<CommandSaid> {
  const lines = running.said[Symbol.asyncIterator]()
  let lookedAt = clock.monotonic()
  try {
    for (let next = lines.next(); ;) {
      const lookMs = Math.max(0, lookedAt + LOOK_MS - clock.monotonic())
      const line = await within(clock, lookMs, next, 'look')
      if (clock.monotonic() - lookedAt >= LOOK_MS) {
        lookedAt = clock.monotonic()
        if (!isAllowed()) break
      }
      if (line === 'look') continue
      if (line.done === true) return
      yield line.value
      next = lines.next()
    }
    running.stop('SIGTERM')
    yield { err: 'bellhop: The command was stopped: its token or session is no longer valid.\n' }
    yield { exit: 1 }
  } finally {
    running.stop('SIGHUP')
  }
}
