import { every } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import { noted } from '../log.ts'
import type { Log } from '../log.ts'

const HOUR_MS = 60 * 60 * 1000

/** Between two steps, where one was not enough. */
const PAUSE_MS = 100

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly commit: Commit
  /** One step; whether there may be more. Runs in a transaction. */
  readonly sweep: (now: number) => boolean
}

/** Erases once an hour what is old enough, in steps. The returned function ends it. */
export function startTidying({ clock, log, commit, sweep }: Dependencies): () => void {
  let cancelPause = () => {}
  let stopped = false
  const stop = every(clock, HOUR_MS, tidy)
  function tidy(): void {
    cancelPause()
    commit(() => sweep(clock.now())).then((more) => {
      if (more && !stopped) cancelPause = clock.after(PAUSE_MS, tidy)
    }, noted(log))
  }
  return () => {
    stopped = true
    stop()
    cancelPause()
  }
}
