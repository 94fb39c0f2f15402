import { RELEASE } from '../version.ts'

/** Where an app finds its server. `server`: an origin, without a slash at its end. */
export interface ClientTarget {
  readonly server: string
  readonly app: string
}

/** A client library: a package of its own kind, and what the app itself has to write. */
export interface Library {
  /** How much of it was compiled or run, and when. */
  readonly tried: string
  /** By their paths in the package's folder. */
  readonly files: (place: ClientTarget) => Readonly<Record<string, string>>
  /** The lines of the app. `folder`: where the package is. */
  readonly use: (place: ClientTarget, folder: string) => string
}

/** The sources say 0.0.0, as they have no release. */
export const released = (text: string): string => text.replaceAll('0.0.0', RELEASE)
