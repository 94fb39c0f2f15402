import { makeRsaKeys } from '../../src/gateway/simulator/certificate.ts'
import type { RsaKeys } from '../../src/gateway/simulator/certificate.ts'

/**
 * Three pairs, the same for each service and simulator: to make them takes longer than the rest of their start.
 * scripts/test.ts makes them for all files; a file that runs without it makes its own.
 */
const keys: (RsaKeys | Promise<RsaKeys>)[] = JSON.parse(process.env['TEST_RSA_KEYS'] ?? '[]')
let taken = 0

/** The next pair of the three. A simulator asks for three, which are never the same. */
export async function sharedKeys(): Promise<RsaKeys> {
  return (keys[taken++ % 3] ??= makeRsaKeys())
}
