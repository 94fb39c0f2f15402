import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { bodyOf, invalid, optional, required } from '../../http/fields.ts'
import type { Field } from '../../http/fields.ts'
import type { AdminGate } from '../admin-gate.ts'
import { adminCall } from '../admin-endpoint.ts'
import { isJsonObject } from '../../text/json-object.ts'
import { known } from '../administrator.ts'
import { saidLines } from '../command-call.ts'
import type { ServeCommand } from '../command-call.ts'

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
export function commandRoutes({ gate, serve }: Dependencies) {
  return new Elysia({ name: 'command-routes' }).use(gate).post(
    '/api/command',
    async ({ actor, body }) => {
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
      return new Response(saidLines(running), { headers: { 'content-type': 'application/x-ndjson' } })
    },
    adminCall('Service', 'Run a CLI command; streams its output as JSON lines', {
      answer: LINES,
      body: RunCommandLine,
      contentType: 'application/x-ndjson',
    }),
  )
}
