import { within } from '../../clock.ts'
import type { CommandContext } from '../command.ts'
import { ENDING, onSignals } from '../signals.ts'

/**
 * For a command that watches or works for long. Disposing it stops listening to signals.
 *
 * `endedBy`: all signals for what only a server runs, which says by SIGHUP that the reader has gone; a process of its own
 * leaves that to nohup.
 */
export function startPolling({ clock, signals }: Pick<CommandContext, 'clock' | 'signals'>, endedBy = ENDING) {
  const stop = Promise.withResolvers<'stopped'>()
  const stopped = new AbortController()
  const listening = onSignals(signals, endedBy, () => {
    stopped.abort()
    stop.resolve('stopped')
  })
  return {
    /** `stopped`: by a signal, now or before. */
    next: (waitMs: number): Promise<'tick' | 'stopped'> => within(clock, waitMs, stop.promise, 'tick'),
    isStopped: (): boolean => stopped.signal.aborted,
    stopped: stopped.signal,
    [Symbol.dispose]: (): void => listening[Symbol.dispose](),
  }
}
