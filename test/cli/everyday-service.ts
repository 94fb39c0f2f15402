import { EventEmitter } from 'node:events'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { newCaller } from '../support/caller.ts'
import type { Caller } from '../support/caller.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { commandLine } from './command-line.ts'
import type { CommandLine } from './command-line.ts'

/** Who looks 4 times a second, or more often, does nothing else but look; a longer wait is the time that others have. */
const LOOK_MS = 250

/** The time of day, with looks that are over ten times sooner: of a server that follows, and of a command that watches. */
export const HASTY: Clock = {
  now: systemClock.now,
  monotonic: systemClock.monotonic,
  after: (delayMs, run) => systemClock.after(delayMs <= LOOK_MS ? delayMs / 10 : delayMs, run),
}

/** A running service and a command line beside it. */
export interface Beside extends AsyncDisposable {
  readonly service: Service
  /** HASTY, of the service and of the commands. */
  readonly clock: Clock
  /** Lets `ms` milliseconds pass by that clock in which no timer runs. */
  standStill(ms: number): void
  newCaller(): Caller
  /** Runs a command on the data of the service, until `signals` end it. */
  run(
    argv: readonly string[],
    over?: Parameters<CommandLine['run']>[2],
    env?: Readonly<Record<string, string>>,
  ): ReturnType<CommandLine['run']>
}

export async function commandsBeside(): Promise<Beside> {
  let stoodMs = 0
  const clock: Clock = {
    ...HASTY,
    now: () => HASTY.now() + stoodMs,
    monotonic: () => HASTY.monotonic() + stoodMs,
  }
  const service = await startService({ clock, config: { webhookPrivate: true } })
  const cli = commandLine()
  const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
  return {
    service,
    clock,
    standStill: (ms) => void (stoodMs += ms),
    newCaller: () => newCaller(service),
    run: (argv, over, more) => cli.run(argv, { ...env, ...more }, { clock, ...over }),
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
