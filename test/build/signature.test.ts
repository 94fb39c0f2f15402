import { describe, expect, test } from 'bun:test'
import { scryptSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPublicKey, openSigner } from '../../scripts/build/signature.ts'
import type { NoSigner, Signer } from '../../scripts/build/signature.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'

const folder = directoryOfTests('bellhop-signature-test')

const missing = Bun.which('minisign') === null

function minisign(args: readonly string[]) {
  const { exitCode, stdout } = Bun.spawnSync(['minisign', ...args], { cwd: folder })
  return { exitCode, stdout: stdout.toString() }
}

function signerOf(opened: Signer | NoSigner): Signer {
  if ('problem' in opened) throw new Error(opened.problem)
  return opened
}

/**
 * Encrypts a secret key like minisign, but with the cheapest scrypt that it reads: its own takes 7 s and 1 GB. Layout:
 * 2 bytes for each of three algorithms, 32 of salt, 8 for each limit, and encrypted: 8 of key ID, 64 of key, 32 of
 * checksum.
 */
function seal(path: string, password: string): void {
  const [comment = '', line = ''] = readFileSync(path, 'utf8').split('\n')
  const key = Buffer.from(line, 'base64')
  const checksum = new Bun.CryptoHasher('blake2b256').update(key.subarray(0, 2)).update(key.subarray(54, 126)).digest()
  key.set(checksum, 126)
  key.write('Sc', 2)
  key.writeBigUInt64LE(32_768n, 38)
  key.writeBigUInt64LE(16_777_216n, 46)
  const pad = scryptSync(password, key.subarray(6, 38), key.length - 54, { N: 1024, r: 8, p: 1 })
  for (const [at, byte] of pad.entries()) key[54 + at] = (key[54 + at] ?? 0) ^ byte
  writeFileSync(path, `${comment}\n${key.toString('base64')}\n`)
}

async function nobody(): Promise<string | null> {
  throw new Error('no password was needed')
}

describe.skipIf(missing)(`a signature${missing ? ' (needs the program minisign)' : ''}`, () => {
  test('fits its file and comment, and is the same when made again', async () => {
    minisign(['-G', '-W', '-p', 'plain.pub', '-s', 'plain.key'])
    const file = join(folder, 'bellhop')
    writeFileSync(file, 'executable')
    const signer = signerOf(await openSigner(join(folder, 'plain.key'), nobody))
    expect(signer.publicKey).toBe(readFileSync(join(folder, 'plain.pub'), 'utf8').split('\n')[1] ?? '')
    expect(isPublicKey(signer.publicKey)).toBe(true)

    signer.sign(file, 'bellhop 0.1.0 linux-x64')
    const first = readFileSync(`${file}.minisig`, 'utf8')
    const verified = minisign(['-V', '-Q', '-P', signer.publicKey, '-m', file])
    expect(verified).toEqual({ exitCode: 0, stdout: 'bellhop 0.1.0 linux-x64\n' })
    // "ED": a signature of the hash.
    expect(Buffer.from(first.split('\n')[1] ?? '', 'base64').toString('latin1', 0, 2)).toBe('ED')
    signer.sign(file, 'bellhop 0.1.0 linux-x64')
    expect(readFileSync(`${file}.minisig`, 'utf8')).toBe(first)

    writeFileSync(`${file}.minisig`, first.replace('0.1.0', '0.2.0'))
    expect(minisign(['-V', '-Q', '-P', signer.publicKey, '-m', file]).exitCode).toBe(1)
  })

  test('needs the password of a key that has one', async () => {
    minisign(['-G', '-W', '-p', 'sealed.pub', '-s', 'sealed.key'])
    const key = join(folder, 'sealed.key')
    seal(key, 'secret')
    const file = join(folder, 'sums')
    writeFileSync(file, 'sums')
    signerOf(await openSigner(key, async () => 'secret')).sign(file, 'bellhop 0.1.0 SHA256SUMS')
    expect(minisign(['-V', '-Q', '-p', 'sealed.pub', '-m', file]).exitCode).toBe(0)

    expect(await openSigner(key, async () => 'guess')).toEqual({
      problem: `${key} cannot sign: Wrong password for that key`,
    })
    expect(await openSigner(key, async () => null)).toEqual({
      problem: `${key} has a password: pass it on standard input, in one line`,
    })
  })

  test('is not made by a file that is no key', async () => {
    const file = join(folder, 'notes')
    writeFileSync(file, 'no key\n')
    expect(await openSigner(file, nobody)).toEqual({ problem: expect.stringContaining(`${file} cannot sign: `) })
    const nothing = join(folder, 'nothing')
    expect(await openSigner(nothing, nobody)).toEqual({ problem: expect.stringContaining('No such file') })
  })
})

test('a public key is 42 bytes in Base64, behind the mark of Ed25519', () => {
  expect(isPublicKey('RWTyzHeTdeNwjIlRLe/stpeZkxuUXQlnWTgOLsstCEd0ohylMjDzYQM+')).toBe(true)
  expect(isPublicKey('RWTyzHeTdeNwjIlRLe/stpeZkxuUXQlnWTgOLsstCEd0ohylMjDzYQM')).toBe(false)
  expect(isPublicKey("RWTyzHeTdeNwjIlRLe/stpeZkxuUXQlnWTgOLsstCEd0ohylMjDzYQ'+")).toBe(false)
})
