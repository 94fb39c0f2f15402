import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { PLATFORMS } from '../platform.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import type { CountPart, CountStore, CountScope, IndexPlace } from './count-store.ts'

/** Counting may take this share of the time. */
const SHARE = 1 / 1000
const MIN_MS = 1000

/** A scrape waits this long for a running count, then takes the last one. */
const PATIENCE_MS = 5

export interface Count extends CountScope {
  readonly count: number
}

export interface ApplicationCounts {
  readonly devices: readonly Count[]
  /** Stored devices that are no longer registered, of all applications. */
  readonly left: { readonly gone: number; readonly quarantined: number }
  /** Only applications that have open pushes. */
  readonly open: readonly Count[]
  /** `false`: the last count failed; these are from the one before. */
  readonly whole: boolean
}

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
  readonly store: Pick<CountStore, 'devices' | 'left' | 'open'>
  /** Numbers of all applications. */
  readonly applications: () => readonly number[]
  readonly busy: () => readonly CountScope[]
}

export interface BackgroundCount {
  /** The last count; starts a new one if it is old, so nothing is counted unless someone asks. */
  counts(): Promise<ApplicationCounts>
  stop(): void
}

/** Counts in parts of about a millisecond, between other work. */
export function createBackgroundCount({ clock, log, store, applications, busy }: Dependencies): BackgroundCount {
  let counted: ApplicationCounts = { devices: [], left: { gone: 0, quarantined: 0 }, open: [], whole: true }
  let countedAt = Number.NEGATIVE_INFINITY
  let waitMs = 0
  let running: Promise<void> | null = null
  let stopped = false

  async function countAll(): Promise<void> {
    let tookMs = 0
    const devices: Count[] = []
    for (const application of applications()) {
      for (const platform of PLATFORMS) devices.push(await count({ application, platform }, [store.devices]))
    }
    const left = { gone: 0, quarantined: 0 }
    await inParts((after) => {
      const part = store.left(after)
      left.gone += part.gone
      left.quarantined += part.quarantined
      return part.last
    })
    const open: Count[] = []
    for (const scope of busy()) open.push(await count(scope, store.open))
    counted = { devices, left, open, whole: true }
    countedAt = clock.now()
    waitMs = Math.max(tookMs / SHARE, MIN_MS)

    async function count({ application, platform }: CountScope, ways: readonly CountPart[]): Promise<Count> {
      const scope = { application, platform }
      let sum = 0
      for (const part of ways) {
        await inParts((after) => {
          const { count, last } = part(scope, after)
          sum += count
          return last
        })
      }
      return { ...scope, count: sum }
    }

    /** Repeats `part` from where the last one stopped, until that is `null`. */
    async function inParts(part: (after: IndexPlace | null) => IndexPlace | null): Promise<void> {
      let after: IndexPlace | null = null
      do {
        if (stopped) break
        const started = performance.now()
        after = part(after)
        tookMs += performance.now() - started
        if (after !== null) await new Promise((resolve) => setImmediate(resolve))
      } while (after !== null)
    }
  }

  return {
    async counts() {
      const ageMs = clock.now() - countedAt
      // Negative if the clock was set back.
      if (running === null && !stopped && (ageMs >= waitMs || ageMs < 0)) {
        running = countAll()
          .catch((error: unknown) => {
            counted = { ...counted, whole: false }
            log.error('it could not be counted', { error: describeError(error) })
          })
          .finally(() => (running = null))
      }
      if (running === null) return counted
      await within(clock, PATIENCE_MS, running, null)
      return counted
    },
    stop: () => void (stopped = true),
  }
}
