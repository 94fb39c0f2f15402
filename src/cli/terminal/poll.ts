import { within } from '../../clock.ts'
import type { CommandContext } from '../command.ts'
import { ENDING, onSignals } from '../signals.ts'

/** For a command that watches or works for long. Disposing it stops listening to signals. */
export interface Polling extends Disposable {
  /** `stopped`: by Ctrl-C or SIGTERM, now or before. */
  next(waitMs: number): Promise<'tick' | 'stopped'>
  isStopped(): boolean
  readonly stopped: AbortSignal
}

/**
 * `endedBy`: all signals for what only a server runs, which says by SIGHUP that the reader has gone; a process of its own
 * leaves that to nohup.
 */
export function startPolling({ clock, signals }: Pick<CommandContext, 'clock' | 'signals'>, endedBy = ENDING): Polling {
  const stop = Promise.withResolvers<'stopped'>()
  const stopped = new AbortController()
  const listening = onSignals(signals, endedBy, () => {
    stopped.abort()
    stop.resolve('stopped')
  })
  return {
    next: (waitMs) => within(clock, waitMs, stop.promise, 'tick'),
    isStopped: () => stopped.signal.aborted,
    stopped: stopped.signal,
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
