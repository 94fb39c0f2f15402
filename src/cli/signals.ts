import type { Signal, Signals } from './command.ts'

/** Exit codes: 128 and the signal's number, as in shells. */
export const INTERRUPTED = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export const ALL_SIGNALS: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM']

/** Without SIGHUP, which nohup ignores. */
export const ENDING: readonly Signal[] = ['SIGINT', 'SIGTERM']

/** Until it is disposed of. */
export function onSignals(signals: Signals, names: readonly Signal[], heard: (signal: Signal) => void): Disposable {
  const listeners = names.map((name) => ({ name, listener: () => heard(name) }))
  for (const { name, listener } of listeners) signals.on(name, listener)
  return {
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) signals.off(name, listener)
    },
  }
}
