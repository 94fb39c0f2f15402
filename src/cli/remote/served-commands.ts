import { EventEmitter } from 'node:events'
import { createCallerPlaces } from '../../admin/caller-places.ts'
import type { CommandCall, CommandRefused, CommandSaid, RunningCommand } from '../../admin/command-call.ts'
import { isEnough, lesserPurposeText } from '../../admin/token-purpose.ts'
import { SECOND_MS, within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { CommandService, MakeServeCommand } from '../../server/command/command-service.ts'
import { describeError } from '../../text/error-code.ts'
import { parseCommand } from '../cli.ts'
import type { CommandContext, CommandSpec, ParsedArguments, World } from '../command.ts'
import { createCommandAudit } from '../command-audit.ts'
import { COMMANDS } from '../commands.ts'
import { execute } from '../execute.ts'
import { EXIT, report } from '../outcome.ts'
import { PLACES } from './command-call.ts'
import { purposeOf } from './command-purposes.ts'

/** Running commands: each may read a lot. */
const LOCAL = { all: 20, each: 20 }
const REMOTE = { all: 40, each: 10 }

const FULL_HERE = `Too many commands are running, ${LOCAL.all} on this machine: try again when one has finished.`
const FULL = `Too many commands are running, ${REMOTE.each} of one token or administrator or ${REMOTE.all} in all: try again when one has finished.`

/** Connections are closed after 30 s of silence. */
const STILL_THERE_MS = 10 * SECOND_MS

/** For a long command. */
const TAKE_UP_MS = 250

/**
 * Runs commands of other processes and machines on the server's connection. They read only the files that were sent: a
 * token doesn't make its owner a user of this machine.
 */
export function createServedCommands({ clock }: Pick<CommandContext, 'clock'>): MakeServeCommand {
  return (service) => {
    const places = { local: createCallerPlaces(LOCAL), remote: createCallerPlaces(REMOTE) }
    return (call) => {
      const command = parseCommand(call.argv)
      const spec = command.kind === 'run' ? COMMANDS.find(({ name }) => name === command.name) : undefined
      if (command.kind !== 'run' || spec === undefined) {
        return refused(command.kind === 'problems' ? command.problems.join(' ') : 'argv has no command.')
      }
      const needed = purposeOf(spec, command.given)
      if (needed === undefined) return refused(`${spec.name} runs only on the server's machine.`)
      const { purpose } = call.rights
      if (!isEnough(purpose, needed)) {
        logRefused('ForbiddenError', spec, command.given, { call, service, clock })
        return refused(lesserPurposeText(purpose, needed), 'ForbiddenError')
      }
      const foreign = call.isLocal ? undefined : PLACES.find((name) => command.given.flags.has(name))
      if (foreign !== undefined) return refused(`--${foreign} is for the machine that a command runs on.`)
      const onEnd = (call.isLocal ? places.local : places.remote).take(call.by)
      if (onEnd === null) {
        logRefused('TooManyRequestsError', spec, command.given, { call, service, clock })
        return refused(call.isLocal ? FULL_HERE : FULL, 'TooManyRequestsError')
      }
      return start(spec, command.given, { call, service, clock, onEnd })
    }
  }
}

function refused(sentence: string, code: CommandRefused['code'] = 'InvalidArgument'): CommandRefused {
  return { kind: 'refused', code, sentence }
}

interface Surroundings {
  readonly call: CommandCall
  readonly service: CommandService
  readonly clock: Clock
}

function logRefused(
  code: CommandRefused['code'],
  spec: CommandSpec,
  given: ParsedArguments,
  { call: { by, env }, service: { database }, clock }: Surroundings,
): void {
  const readFile = () => ({ kind: 'problem', problem: 'is not read' }) as const
  const entry = createCommandAudit(spec, given, { by, env, clock, stderr() {}, readFile })
  entry?.audit.watch(database)
  entry?.end('refused', code)
}

function start(
  spec: CommandSpec,
  given: ParsedArguments,
  { call, service, clock, onEnd }: Surroundings & { readonly onEnd: () => void },
): RunningCommand {
  const signals = new EventEmitter()
  const voice = createVoice(clock)
  const { until } = call.rights
  const context: CommandContext = {
    env: { BELLHOP_ADMIN_LISTEN: service.adminHost(), ...call.env },
    readFile(path) {
      const file = call.files.get(path)
      if (file === undefined) return { kind: 'problem', problem: 'cannot be read: it was not handed in' }
      return file instanceof Uint8Array ? { kind: 'read', bytes: file } : { kind: 'problem', problem: file.problem }
    },
    clock,
    stdout: (out) => out === '' || voice.say({ out }),
    written: voice.taken,
    stderr: (err) => void voice.say({ err }),
    kept: (kept) => void voice.say({ kept }),
    terminal: call.columns === null ? null : { columns: call.columns },
    signals,
    started() {},
    serve: () => Promise.reject(new Error('a server is already running')),
    serveCommand: () => Promise.reject(new Error('a server is already running')),
    by: call.by,
    ...(until !== null && { tokensUntil: until }),
  }
  const world = worldOf(service, clock)

  async function run(): Promise<number> {
    try {
      const outcome = await execute(spec, given, context, (own) => world.open(own))
      await world.settle()
      return report(outcome, context)
    } catch (error) {
      service.log.error('a command failed', { command: spec.name, error: describeError(error) })
      context.stderr("bellhop: Internal error: see the server's log.\n")
      return EXIT.failed
    } finally {
      onEnd()
    }
  }

  void run().then((exit) => voice.say({ exit }))
  return {
    said: voice.said(),
    stop(signal) {
      if (signal === 'SIGHUP') voice.leave()
      return signals.emit(signal)
    },
  }
}

function worldOf(service: CommandService, clock: Clock) {
  const { data, key, deliveries, isStopping, pauseOf, received, testAlert, webhookPrivate } = service
  let isChanged = false
  let takenUpAt = Number.NEGATIVE_INFINITY

  function takeUp(): void {
    isChanged = false
    takenUpAt = clock.monotonic()
    service.changed()
  }

  const database: World['database'] = {
    ...service.database,
    transact(work) {
      const result = service.database.transact(work)
      if (!service.database.inTransaction()) {
        isChanged = true
        if (clock.monotonic() - takenUpAt >= TAKE_UP_MS) takeUp()
      }
      return result
    },
  }
  return {
    open(context: CommandContext) {
      const view = context.audit?.watch(database) ?? database
      const world: World = {
        ...context,
        database: view,
        data,
        served: { deliveries, isStopping, pauseOf, received, testAlert, webhookPrivate, moving: service.moving(view) },
        sealingKey: () => ({ kind: 'loaded', key, notes: [] }),
        pushing: () => service.pushing(view),
        changed: async () => takeUp(),
      }
      return { kind: 'open' as const, ...world, [Symbol.dispose]() {} }
    },
    /** Resolves when changes are on disk, and the server has read them. */
    async settle(): Promise<void> {
      if (isChanged) takeUp()
      await service.settled()
    },
  }
}

function createVoice(clock: Clock) {
  let waiting: CommandSaid[] = []
  let came = Promise.withResolvers<'came'>()
  let emptied = Promise.withResolvers<void>()
  let isHeard = true

  async function* said(): AsyncGenerator<CommandSaid> {
    for (;;) {
      if (waiting.length === 0 && (await within(clock, STILL_THERE_MS, came.promise, 'still')) === 'still') {
        yield {}
        continue
      }
      const now = waiting
      waiting = []
      came = Promise.withResolvers()
      for (const one of now) {
        yield one
        if ('exit' in one) return
      }
      emptied.resolve()
      emptied = Promise.withResolvers()
    }
  }

  return {
    said,
    /** `false`: the reader has gone. */
    say(one: CommandSaid): boolean {
      if (isHeard) {
        waiting.push(one)
        came.resolve('came')
      }
      return isHeard
    },
    /** Resolves when the reader has taken the output. */
    taken: async (): Promise<void> => {
      if (isHeard && waiting.length > 0) await emptied.promise
    },
    leave(): void {
      isHeard = false
      waiting = []
      emptied.resolve()
    },
  }
}
