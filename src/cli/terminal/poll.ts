import { within } from '../../clock.ts'
import type { CommandContext, Signal } from '../command.ts'

/** For a command that watches or works for long. Disposing it stops listening to signals. */
export interface Polling extends Disposable {
  /** `stopped`: by Ctrl-C or SIGTERM, now or before. */
  next(waitMs: number): Promise<'tick' | 'stopped'>
  isStopped(): boolean
  readonly stopped: AbortSignal
}

/** By SIGHUP a server says that the reader has gone. A process of its own must leave that to nohup. */
export const WATCHING: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM']

export function startPolling(
  { clock, signals }: Pick<CommandContext, 'clock' | 'signals'>,
  endedBy: readonly Signal[] = ['SIGINT', 'SIGTERM'],
): Polling {
  const stop = Promise.withResolvers<'stopped'>()
  const stopped = new AbortController()
  const listener = () => {
    stopped.abort()
    stop.resolve('stopped')
  }
  for (const signal of endedBy) signals.on(signal, listener)
  return {
    next: (waitMs) => within(clock, waitMs, stop.promise, 'tick'),
    isStopped: () => stopped.signal.aborted,
    stopped: stopped.signal,
    [Symbol.dispose]() {
      for (const signal of endedBy) signals.off(signal, listener)
    },
  }
}
