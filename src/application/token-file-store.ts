import { closeSync, constants, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwnerOf, refuseLink } from '../database/regular-file.ts'
import { open, seal } from '../sealing/seal.ts'

/** Texts that are kept: the newest last. Of more keys than these, nobody runs doctor at one time. */
const MAX_TEXTS = 50

/** Whom the file belongs to: no application. */
const SEALED_FOR = { application: '', provider: 'apns token' } as const

/**
 * Provider tokens for APNs that were made beside the server, sealed, in a file of the data directory: doctor must not write
 * to the database, and Apple refuses a second token of one key within 20 minutes.
 */
export interface TokenFileStore {
  load(): readonly string[]
  /** Throws where the file cannot be written. */
  save(text: string): void
}

/** `key`: 32 bytes, from `proveSealingKey`. */
export function createTokenFileStore(directory: string, key: Uint8Array): TokenFileStore {
  const path = join(directory, 'apns-tokens')

  function load(): readonly string[] {
    // Whoever may write in the directory could have root read another file.
    if (refuseLink(path) === null) return []
    const text = open(key, SEALED_FOR, readFileSync(path))
    // The seal vouches for what is inside. Sealed with a key before this one, it is of no use.
    return text === null ? [] : (JSON.parse(text) as readonly string[])
  }

  return {
    load,
    save(text) {
      const texts = [...load(), text].slice(-MAX_TEXTS)
      const draft = `${path}.${process.pid}`
      const file = openSync(
        draft,
        constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
        0o600,
      )
      try {
        giveToOwnerOf(directory, file)
        writeSync(file, seal(key, SEALED_FOR, JSON.stringify(texts)))
      } finally {
        closeSync(file)
      }
      renameSync(draft, path)
    },
  }
}
