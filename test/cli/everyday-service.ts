import { EventEmitter } from 'node:events'
import type { Clock } from '../../src/clock.ts'
import { systemClock } from '../../src/clock.ts'
import { newCaller } from '../support/caller.ts'
import type { Caller } from '../support/caller.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { commandLine } from './command-line.ts'
import type { CommandLine } from './command-line.ts'

/** The time of day, with waits that are over ten times sooner: a server that follows, and a command that looks. */
export const HASTY: Clock = { now: systemClock.now, after: (delayMs, run) => systemClock.after(delayMs / 10, run) }

/** A running service and a command line beside it. */
export interface Beside extends AsyncDisposable {
  readonly service: Service
  newCaller(): Caller
  /** Runs a command on the data of the service, until `signals` end it. */
  run(argv: readonly string[], over?: Parameters<CommandLine['run']>[2]): ReturnType<CommandLine['run']>
}

export async function commandsBeside(): Promise<Beside> {
  const service = await startService({ clock: HASTY })
  const cli = commandLine()
  const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
  return {
    service,
    newCaller: () => newCaller(service),
    run: (argv, over) => cli.run(argv, env, { clock: HASTY, ...over }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      cli[Symbol.dispose]()
    },
  }
}

/** The signals of a terminal: `signals.emit('SIGINT')` is Ctrl-C. */
export function newSignals(): EventEmitter {
  return new EventEmitter()
}
