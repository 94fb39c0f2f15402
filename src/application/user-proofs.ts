import type { Clock } from '../clock.ts'
import type { ApplicationDirectory } from './application-directory.ts'
import type { Application } from './application.ts'
import type { UserKeyStore } from './user-key-store.ts'
import { isProof } from './user-key.ts'
import type { UserKeys } from './user-key.ts'

/** `'no-key'`: the application has none, or none that opens. */
export type ProofVerdict = 'proven' | 'wrong' | 'no-key'

/** Judges a proof, 32 bytes, of the name of a user. */
export type JudgeProof = (application: Application, name: string, proof: Uint8Array) => ProofVerdict

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly directory: Pick<ApplicationDirectory, 'onChange' | 'refresh'>
  readonly userKeys: Pick<UserKeyStore, 'find'>
}

/** Judges by the keys in memory, which are read anew when a command has changed something. */
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
    // A command may have made the key a moment ago.
    return verdict !== 'proven' && directory.refresh() ? judge(application, name, proof) : verdict
  }
}
