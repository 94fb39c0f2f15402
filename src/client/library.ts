import { RELEASE } from '../version.ts'

/** `server`: an origin without a trailing slash. */
export interface ClientTarget {
  readonly server: string
  readonly app: string
}

export interface Library {
  /** How much of it was compiled or run, and when. */
  readonly tried: string
  /** By path in the package's folder. */
  readonly files: (place: ClientTarget) => Readonly<Record<string, string>>
  /** The app's own lines. `folder`: of the package. */
  readonly use: (place: ClientTarget, folder: string) => string
}

/** The sources say 0.0.0. */
export const released = (text: string): string => text.replaceAll('0.0.0', RELEASE)
