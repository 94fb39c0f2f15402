import { afterAll } from 'bun:test'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { newCaller } from '../support/caller.ts'
import type { Caller } from '../support/caller.ts'
import { fileService } from '../support/file-service.ts'
import type { Service } from '../support/service.ts'
import { commandLine } from './command-line.ts'
import type { CommandLine } from './command-line.ts'

/** Waits up to this long are looks, and HASTY shortens them. Longer waits keep their length. */
const LOOK_MS = 250

/** System time, with looks ten times as often. */
export const HASTY: Clock = {
  now: systemClock.now,
  monotonic: systemClock.monotonic,
  after: (delayMs, run) => systemClock.after(delayMs <= LOOK_MS ? delayMs / 10 : delayMs, run),
}

export interface Beside {
  readonly service: Service
  /** HASTY, for service and commands. */
  readonly clock: Clock
  /** Service time passes, and no timer runs. */
  standStill(ms: number): void
  newCaller(): Caller
  /** On the service's data, until `signals` end it. */
  run(
    argv: readonly string[],
    over?: Parameters<CommandLine['run']>[2],
    env?: Readonly<Record<string, string>>,
  ): ReturnType<CommandLine['run']>
}

/** One service for all tests of a file. It ends with the file. */
export async function commandsBeside(): Promise<Beside> {
  let stoodMs = 0
  const clock: Clock = {
    ...HASTY,
    now: () => HASTY.now() + stoodMs,
    monotonic: () => HASTY.monotonic() + stoodMs,
  }
  const service = await fileService({ clock, config: { webhookPrivate: true } })
  const cli = commandLine()
  afterAll(() => cli[Symbol.dispose]())
  const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
  return {
    service,
    clock,
    standStill: (ms) => void (stoodMs += ms),
    newCaller: () => newCaller(service),
    run: (argv, over, more) => cli.run(argv, { ...env, ...more }, { clock, ...over }),
  }
}
