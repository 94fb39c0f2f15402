import { audienceOf } from './audience.ts'
import type { Draft } from './draft.ts'

/** What `localStorage` has. Browsers that forbid it throw when it is named, so callers pass a function. */
export interface Shelf {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, value: string) => void
}

export type Segments = Readonly<Record<string, Draft>>

const keyOf = (application: string): string => `bellhop.segments.${application}`

/** The audiences that were saved by name in this browser, for an application. */
export function readSegments(shelf: () => Shelf, application: string): Segments {
  try {
    const read = Object.entries(JSON.parse(shelf().getItem(keyOf(application)) ?? '{}') as object)
    return Object.fromEntries(read.map(([name, draft]) => [name, audienceOf(textsIn(draft))]))
  } catch {
    // Browsers may forbid it, and somebody may have written something else there.
    return {}
  }
}

/** Throws where the browser forbids it, or has no room. */
export function writeSegments(shelf: () => Shelf, application: string, segments: Segments): void {
  shelf().setItem(keyOf(application), JSON.stringify(segments))
}

function textsIn(draft: unknown): Draft {
  const entries = typeof draft === 'object' && draft !== null ? Object.entries(draft) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
