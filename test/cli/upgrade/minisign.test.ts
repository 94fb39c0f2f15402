import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fitsFile, minisignKeyIn, readSignature } from '../../../src/cli/upgrade/minisign.ts'
import { minisignSigner } from '../../support/minisign.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

/* Made by minisign 0.11 of Debian 12 over the file "hi\n". */
const KEY = 'RWRs8lmr4ITXMwTX5ODWo5sDmzkdg3Ce6HEKLTVjt/TYUAREIjRyArld'
const SIGNATURE = `untrusted comment: signature from minisign secret key
RURs8lmr4ITXM8by+8iCOPA0wsRxB/H9f4eox+3Lhkznbt2Unzd99kFbbz+CjvWwlM0LFiK1T2u0UJQtDnWJ/jcCDTdQh6YSZg4=
trusted comment: bellhop 0.2.0 linux-x64
rbb/4+Ol3/qgFh7oUdsoxMzttHm09pz6XQxiOzUKUXyCHmc8AUQFAbly8mhS5YYzPu2JL91WaQ8NFP0xvRgzAA==
`
const OLD_KIND = `untrusted comment: signature from minisign secret key
RWRs8lmr4ITXM6UVSo/qBuU8qNSPHlbtcND8WuFKqlw4bbCrd5D050KxIMvCCyNW6YPUJm7do08B1dqMoXVEkD9F2iqpe7YDxgg=
trusted comment: bellhop 0.2.0 linux-x64
e97jvEjsbKuF67zmKOEUzRboQ0FQ0FSZGkTDUzX5B0bEbXsy2TbEBGoFxvmW3uIA5qj14UkbWSnsivBn2Z7DCQ==
`

const hashOf = (text: string | Uint8Array) => createHash('blake2b512').update(text).digest()

function keyIn(text: string) {
  const key = minisignKeyIn(text)
  if (key === null) throw new Error(`no key: ${text}`)
  return key
}

function signatureIn(text: string, key = keyIn(KEY)) {
  const read = readSignature(text, key)
  if (read.kind === 'fault') throw new Error(read.fault)
  return read
}

function faultIn(text: string, key = KEY): string {
  const read = readSignature(text, keyIn(key))
  return read.kind === 'fault' ? read.fault : ''
}

describe('a minisign public key', () => {
  test('is read from its line, and from its file, with the ID that minisign shows', () => {
    const file = `untrusted comment: minisign public key 33D784E0AB59F26C\n${KEY}\n`
    expect(keyIn(KEY)).toEqual(keyIn(file))
    expect(keyIn(KEY).id).toBe('33D784E0AB59F26C')
  })

  test.each([
    ['nothing', ''],
    ['a path', '/etc/bellhop/release.pub'],
    ['a key that is cut off', KEY.slice(0, -4)],
    [
      'a key of another algorithm',
      Buffer.concat([Buffer.from('Ex'), Buffer.from(KEY, 'base64').subarray(2)]).toString('base64'),
    ],
  ])('is not %s', (_, text) => expect(minisignKeyIn(text)).toBeNull())
})

describe('a minisign signature', () => {
  test('made by minisign fits the file, and its trusted comment is read', () => {
    const signature = signatureIn(SIGNATURE)
    expect(signature.comment).toBe('bellhop 0.2.0 linux-x64')
    expect(fitsFile(signature, hashOf('hi\n'), keyIn(KEY))).toBe(true)
  })

  test('with the line ends of Windows is the same', () => {
    expect(signatureIn(SIGNATURE.replaceAll('\n', '\r\n')).comment).toBe('bellhop 0.2.0 linux-x64')
  })

  test('does not fit a file with one byte more, nor the file itself in place of its hash', () => {
    const signature = signatureIn(SIGNATURE)
    expect(fitsFile(signature, hashOf('hi\n\0'), keyIn(KEY))).toBe(false)
    expect(fitsFile(signature, Buffer.from('hi\n'), keyIn(KEY))).toBe(false)
  })

  test('is refused with another comment, of another version', () => {
    expect(faultIn(SIGNATURE.replace('0.2.0', '0.3.0'))).toBe('changed comment')
  })

  test('is refused with the comment and its signature of another one of the same key', () => {
    const signer = minisignSigner()
    const [one, two] = ['0.2.0', '0.3.0'].map((version) => signer.sign(Buffer.from(version), `bellhop ${version} x`))
    const [head, mixed] = [one?.split('\n').slice(0, 2) ?? [], two?.split('\n').slice(2) ?? []]
    expect(faultIn([...head, ...mixed].join('\n'), signer.publicKey)).toBe('changed comment')
  })

  test('of another key is refused, also if it claims the ID of this one', () => {
    const other = minisignSigner()
    const text = other.sign(Buffer.from('hi\n'), 'bellhop 0.2.0 linux-x64')
    expect(faultIn(text)).toBe('another key')
    const [first = '', second = '', ...rest] = text.split('\n')
    const bytes = Buffer.from(second, 'base64')
    Buffer.from(KEY, 'base64').copy(bytes, 2, 2, 10)
    expect(faultIn([first, bytes.toString('base64'), ...rest].join('\n'))).toBe('changed comment')
  })

  test('over the file itself is refused as that', () => expect(faultIn(OLD_KIND)).toBe('not prehashed'))

  test.each([
    ['empty text', ''],
    ['a web page', '<!doctype html>\n<p>Not found\n<p>\n<p>\n'],
    ['one that is cut off', SIGNATURE.slice(0, -20)],
    ['one without its first line', SIGNATURE.split('\n').slice(1).join('\n')],
    ['one without a trusted comment', SIGNATURE.replace('trusted comment: bellhop', 'trusted remark: bellhop')],
  ])('is not %s', (_, text) => expect(faultIn(text)).toBe('not a signature'))

  test('with any bit changed in either signature is refused, or does not fit', () => {
    const lines = SIGNATURE.split('\n')
    for (const at of [1, 3]) {
      const bytes = Buffer.from(lines[at] ?? '', 'base64')
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        expect(faultIn(lines.with(at, changed.toString('base64')).join('\n'))).not.toBe('')
      }
    }
  })

  const minisign = Bun.which('minisign')
  test.skipIf(minisign === null)('of a test is one for the program, and of the program one for Bellhop', () => {
    using folder = temporaryDirectory('bellhop-minisign')
    const at = (name: string) => join(folder.path, name)
    const run = (...args: string[]) => Bun.spawnSync([minisign ?? '', ...args], { stdin: Buffer.from('\n\n') })
    for (const size of [0, 1, 127, 128, 129, 100_000]) {
      const bytes = Buffer.alloc(size, `${size}`)
      writeFileSync(at('file'), bytes)
      const signer = minisignSigner()
      writeFileSync(at('file.minisig'), signer.sign(bytes, `bellhop ${size} x`))
      expect(run('-V', '-P', signer.publicKey, '-m', at('file')).stdout.toString()).toContain(`bellhop ${size} x`)

      expect(run('-G', '-f', '-W', '-p', at('key.pub'), '-s', at('key')).exitCode).toBe(0)
      expect(run('-S', '-s', at('key'), '-m', at('file'), '-t', 'bellhop Ünïcode').exitCode).toBe(0)
      const key = keyIn(readFileSync(at('key.pub'), 'utf8'))
      const signature = signatureIn(readFileSync(at('file.minisig'), 'utf8'), key)
      expect(signature.comment).toBe('bellhop Ünïcode')
      expect(fitsFile(signature, hashOf(bytes), key)).toBe(true)
    }
  })
})
