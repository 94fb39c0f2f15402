import manifest from '../package.json' with { type: 'json' }

/** Put in by `bun build --define`; absent when run from source. */
declare const BELLHOP_COMMIT: string | undefined

/** `0.1.0`, or `0.1.0 (1a2b3c4)` in a build that knows its commit. */
export const VERSION = typeof BELLHOP_COMMIT === 'string' ? `${manifest.version} (${BELLHOP_COMMIT})` : manifest.version
