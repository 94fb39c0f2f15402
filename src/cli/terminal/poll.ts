import { within } from '../../clock.ts'
import type { CommandContext, Signal } from '../command.ts'

/** For a command that watches or works for long. Disposing it stops listening to signals. */
export interface Polling extends Disposable {
  /** `stopped`: by Ctrl-C or SIGTERM, now or before. */
  next(waitMs: number): Promise<'tick' | 'stopped'>
  isStopped(): boolean
  readonly stopped: AbortSignal
}

export function startPolling({ clock, signals }: Pick<CommandContext, 'clock' | 'signals'>): Polling {
  const stop = Promise.withResolvers<'stopped'>()
  const stopped = new AbortController()
  const listener = () => {
    stopped.abort()
    stop.resolve('stopped')
  }
  for (const signal of SIGNALS) signals.on(signal, listener)
  return {
    next: (waitMs) => within(clock, waitMs, stop.promise, 'tick'),
    isStopped: () => stopped.signal.aborted,
    stopped: stopped.signal,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) signals.off(signal, listener)
    },
  }
}

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM']
