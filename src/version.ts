import manifest from '../package.json' with { type: 'json' }

/* Set by scripts/build.ts; absent when run from source. */
declare const BELLHOP_COMMIT: string | undefined
declare const BELLHOP_COMMIT_DATE: string | undefined
declare const BELLHOP_TARGET: string | undefined
declare const BELLHOP_RELEASE_KEY: string | undefined

export const RELEASE = manifest.version

/** `1a2b3c4` of `2026-11-21`; `1a2b3c4-dirty` if files were changed. */
export const COMMIT =
  typeof BELLHOP_COMMIT === 'string' && typeof BELLHOP_COMMIT_DATE === 'string'
    ? { hash: BELLHOP_COMMIT, date: BELLHOP_COMMIT_DATE }
    : null

/** As releases are named: `linux-x64-musl`. `''`: runs from source. */
export const BUILD_TARGET = typeof BELLHOP_TARGET === 'string' ? BELLHOP_TARGET : ''

/** The minisign public key of releases, in base64. `''`: your own build, which trusts none. */
export const RELEASE_KEY = typeof BELLHOP_RELEASE_KEY === 'string' ? BELLHOP_RELEASE_KEY : ''

/** `0.1.0`, or `0.1.0 (1a2b3c4)` if the build knows its commit. */
export const VERSION = COMMIT === null ? RELEASE : `${RELEASE} (${COMMIT.hash})`
