// Signatures by minisign (https://jedisct1.github.io/minisign/): Ed25519 of the file's BLAKE2b hash, so the same file
// and comment give the same bytes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Signer {
  /** Second line of the public key file: `RW…`. */
  readonly publicKey: string
  /** Writes `path`.minisig; the comment is signed, too. Throws with minisign's output. */
  sign(path: string, trustedComment: string): void
}

export interface NoSigner {
  readonly problem: string
}

/** `password` is called only if the secret key is encrypted; minisign reads it from standard input. */
export async function openSigner(keyFile: string, password: () => Promise<string | null>): Promise<Signer | NoSigner> {
  if (Bun.which('minisign') === null)
    return { problem: 'signing needs the program minisign (apt-get install minisign)' }
  const given = isEncrypted(keyFile) ? await password() : ''
  if (given === null) return { problem: `${keyFile} has a password: pass it on standard input, in one line` }
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-key-'))
  try {
    const file = join(folder, 'public')
    const problem = minisign(['-R', '-s', keyFile, '-p', file], given)
    if (problem !== null) return { problem: `${keyFile} cannot sign: ${problem}` }
    const publicKey = readFileSync(file, 'utf8').split('\n')[1] ?? ''
    return {
      publicKey,
      sign(path, trustedComment) {
        const failure = minisign(['-S', '-s', keyFile, '-m', path, '-t', trustedComment], given)
        if (failure !== null) throw new Error(`${path} could not be signed: ${failure}`)
      },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** 2 bytes of algorithm, 8 of key ID, 32 of key. */
export function isPublicKey(text: string): boolean {
  return /^RW[A-Za-z0-9+/]{54}$/.test(text)
}

/** By the key derivation function: two bytes after the algorithm's, zero if there is none. */
function isEncrypted(keyFile: string): boolean {
  try {
    return Buffer.from(readFileSync(keyFile, 'utf8').split('\n')[1] ?? '', 'base64').readUInt16BE(2) !== 0
  } catch {
    // minisign reports an invalid key.
    return false
  }
}

/** Its last line if it failed; `null`: success. */
function minisign(args: readonly string[], password: string): string | null {
  const { success, stderr } = Bun.spawnSync(['minisign', ...args], {
    stdin: Buffer.from(`${password}\n`),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return success ? null : (stderr.toString().trim().split('\n').at(-1) ?? '')
}
