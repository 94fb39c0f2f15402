import { every, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { FileGuard, OpenFileGuard } from '../../database/file-guard.ts'
import type { Log } from '../../log.ts'

const LOOK_MS = SECOND_MS

/** The files may be missing for so long: a disk may be remounted, a directory moved back. */
const PATIENCE_MS = 30 * SECOND_MS

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly guard: Pick<OpenFileGuard, 'problem' | 'setLogAside'>
  readonly onGone: (problem: string) => void
}

interface FileWatch extends FileGuard, Disposable {
  /** For a stop: exits at once if the files are gone, since closing the database would write. */
  giveUp(): void
}

/**
 * whole → (a file is removed, or changed by others) → gone, and logged → (it is back) → whole; (30 s have passed) →
 * `onGone`.
 */
export function watchFiles({ clock, log, guard, onGone }: Dependencies): FileWatch {
  let gone: { readonly since: number; readonly back: PromiseWithResolvers<void> } | null = null

  function problem(isQuick = false): string | null {
    const found = guard.problem(isQuick)
    if (found === null) {
      if (gone === null) return null
      gone.back.resolve()
      gone = null
      log.info('the database is back')
    } else if (gone === null) {
      gone = { since: clock.monotonic(), back: Promise.withResolvers() }
      log.error(`${found}: nothing more is written. Put it back, or restart Bellhop to use the file that is there now.`)
    }
    return found
  }

  function look(): void {
    const found = problem()
    if (found !== null && gone !== null && clock.monotonic() - gone.since >= PATIENCE_MS) giveUp()
  }

  function giveUp(): void {
    const found = problem()
    if (found === null) return
    const aside = guard.setLogAside()
    if (aside !== null) log.warn(`the WAL file of the opened database was moved aside: ${aside}`)
    onGone(found)
  }

  const end = every(clock, LOOK_MS, look)
  return {
    problem,
    giveUp,
    untilWhole: () => gone?.back.promise ?? Promise.resolve(),
    [Symbol.dispose]: end,
  }
}
