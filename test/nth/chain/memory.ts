import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import type { Met } from '../fault-plan.ts'

/** What a journey without a fault was at the beginning of one of its steps. */
export interface Place {
  readonly step: number
  /** Calls before it. */
  readonly before: Met['of']
  /** What the steps until then have told those to come. */
  readonly notes: readonly string[]
}

/**
 * What the trials of one journey know of each other: where it was without a fault, so that a trial can begin shortly
 * before its call, and from which states on all went well, so that it can end where another one has gone on.
 */
export interface Memory extends Disposable {
  readonly places: readonly Place[]
  /** Keeps the files below `directory` as they are at `place`. */
  keep(place: Place, directory: string): void
  /** Puts them below `directory`, which is empty. */
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
