import { closeSync, constants, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwnerOf, refuseLink } from '../database/regular-file.ts'
import { open, seal } from '../sealing/seal.ts'

/** The newest last. */
const MAX_TEXTS = 50

const SEALED_FOR = { application: '', provider: 'apns token' } as const

export type TokenFileStore = ReturnType<typeof createTokenFileStore>

/**
 * Sealed APNs provider tokens that doctor made, in a file: doctor must not write to the database, and Apple allows one
 * token a key in 20 minutes. `key`: 32 bytes, from `proveSealingKey`.
 */
export function createTokenFileStore(directory: string, key: Uint8Array) {
  const path = join(directory, 'apns-tokens')

  function load(): readonly string[] {
    // A link could make root read another file.
    if (refuseLink(path) === null) return []
    const text = open(key, SEALED_FOR, readFileSync(path))
    return text === null ? [] : (JSON.parse(text) as readonly string[])
  }

  return {
    load,
    /** Throws if the file cannot be written. */
    save(text: string): void {
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
