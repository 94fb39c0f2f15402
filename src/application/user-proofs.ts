import type { Clock } from '../clock.ts'
import type { ApplicationDirectory } from './application-directory.ts'
import type { Application } from './application.ts'
import type { UserKeyStore } from './user-key-store.ts'
import { isProof } from './user-key.ts'
import type { UserKeys } from './user-key.ts'

/** `'no-key'`: none, or its seal does not open. */
export type ProofVerdict = 'proven' | 'wrong' | 'no-key'

/** `proof`: 32 bytes, of a user's name. */
export type JudgeProof = (application: Application, name: string, proof: Uint8Array) => ProofVerdict

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly directory: Pick<ApplicationDirectory, 'onChange' | 'refresh'>
  readonly userKeys: Pick<UserKeyStore, 'find'>
}

/** Caches the keys until an application changes. */
export function createJudgeProof({ clock, directory, userKeys }: Dependencies): JudgeProof {
  const known = new Map<number, UserKeys | null>()
  directory.onChange(() => known.clear())

  function keysOf(application: Application): UserKeys | null {
    const found = known.get(application.number)
    if (found !== undefined) return found
    const read = userKeys.find(application)
    known.set(application.number, read)
    return read
  }

  function judge(application: Application, name: string, proof: Uint8Array): ProofVerdict {
    const keys = keysOf(application)
    if (keys === null) return 'no-key'
    return isProof(keys, name, proof, clock.now()) ? 'proven' : 'wrong'
  }

  return (application, name, proof) => {
    const verdict = judge(application, name, proof)
    // A command may have just created the key.
    return verdict !== 'proven' && directory.refresh() ? judge(application, name, proof) : verdict
  }
}
