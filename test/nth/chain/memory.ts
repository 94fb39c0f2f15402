import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import type { Met } from '../fault-plan.ts'

/** The state of a journey without a fault before one of its steps. */
export interface Place {
  readonly step: number
  readonly before: Met['of']
  /** Results of the earlier steps. */
  readonly notes: readonly string[]
}

/**
 * Knowledge shared by the trials of one journey: its state at each step, so that a trial can start just before its
 * call, and states that led to a good end, so that a trial can stop there.
 */
export interface Memory extends Disposable {
  readonly places: readonly Place[]
  keep(place: Place, directory: string): void
  /** `directory` is empty. */
  restore(place: Place, directory: string): void
  isGood(state: string): boolean
  add(states: readonly string[]): void
}

export function createMemory(): Memory {
  const root = temporaryDirectory('bellhop-nth-memory')
  const places: Place[] = []
  const good = new Set<string>()
  const folder = ({ step }: Place) => join(root.path, String(step))
  return {
    places,
    keep(place, directory) {
      cpSync(directory, folder(place), { recursive: true })
      places.push(place)
    },
    restore: (place, directory) => cpSync(folder(place), directory, { recursive: true }),
    isGood: (state) => good.has(state),
    add: (states) => states.forEach((state) => good.add(state)),
    [Symbol.dispose]: () => root[Symbol.dispose](),
  }
}
