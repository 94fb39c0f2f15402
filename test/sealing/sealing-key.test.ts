import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSealingKey, readKeyFile } from '../../src/sealing/sealing-key.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'

const bytes = Uint8Array.from({ length: 32 }, (_, index) => index * 8 + 7)
const base64 = Buffer.from(bytes).toString('base64')
const hex = Buffer.from(bytes).toString('hex')

const dataDirectory = directoryOfEachTest('bellhop-test')

function load(options: Partial<Parameters<typeof loadSealingKey>[0]> = {}) {
  return loadSealingKey({ dataDirectory: dataDirectory(), hasCredentials: false, ...options })
}

describe('a sealing key given as a setting', () => {
  test.each([
    base64,
    base64.slice(0, -1),
    Buffer.from(bytes).toString('base64url'),
    hex,
    hex.toUpperCase(),
    `${hex}\n`,
  ])('is 32 bytes in base64 or hex: %j', (text) => {
    expect(load({ text })).toEqual({ kind: 'loaded', key: Buffer.from(bytes), source: 'setting' })
  })

  test.each(['', 'secret', hex.slice(2), `${hex}00`, base64.slice(4), `${base64}AAAA`, `${base64.slice(0, 42)}!=`])(
    'is refused when it is not: %j',
    (text) => {
      expect(load({ text })).toEqual({
        kind: 'problem',
        problem: 'The sealing key is not 32 bytes in base64 (44 characters) or hex (64).',
        why: 'malformed',
      })
    },
  )

  test('leaves the data directory alone', () => {
    load({ text: base64 })
    expect(readdirSync(dataDirectory())).toEqual([])
  })
})

describe('a sealing key given as a file', () => {
  test('is read from it, and before the one of the data directory', () => {
    load()
    const file = join(dataDirectory(), 'elsewhere')
    writeFileSync(file, `${base64}\n`)
    expect(readKeyFile(file)).toEqual({ kind: 'loaded', key: Buffer.from(bytes), source: 'file' })
  })

  test('is a problem when the file is missing, unreadable or holds something else', () => {
    const file = join(dataDirectory(), 'elsewhere')
    const cannot = (code: string) => ({
      kind: 'problem' as const,
      problem: `The sealing key ${file} cannot be read (${code}).`,
      why: 'unreadable' as const,
    })
    expect(readKeyFile(file)).toEqual(cannot('ENOENT'))
    mkdirSync(file)
    expect(readKeyFile(file)).toEqual(cannot('EISDIR'))
    rmSync(file, { recursive: true, force: true })
    writeFileSync(file, 'secret')
    expect(readKeyFile(file)).toEqual({
      kind: 'problem',
      problem: `The sealing key ${file} is not 32 bytes in base64 (44 characters) or hex (64).`,
      why: 'malformed',
    })
  })
})

describe('the sealing key of the data directory', () => {
  test('is made on first use, for its owner only, and is the same from then on', () => {
    const created = load()
    expect(created).toMatchObject({ kind: 'loaded', source: 'created' })
    if (created.kind === 'problem') throw new Error(created.problem)
    expect(created.key.length).toBe(32)
    expect(readdirSync(dataDirectory())).toEqual(['key'])
    expect(statSync(join(dataDirectory(), 'key')).mode & 0o777).toBe(0o600)
    expect(load({ hasCredentials: true })).toEqual({ ...created, source: 'data-directory' })
  })

  test('holds the random bytes as base64, so that it may be given as a setting elsewhere', () => {
    load({ random: () => bytes })
    expect(readFileSync(join(dataDirectory(), 'key'), 'utf8')).toBe(`${base64}\n`)
  })

  test('is the one of the process that was first', () => {
    const first = Buffer.from(new Uint8Array(32).fill(1)).toString('base64')
    // The other process comes in between: the key was not there when it was looked for, and is when it is written.
    const random = (length: number) => {
      writeFileSync(join(dataDirectory(), 'key'), first)
      return new Uint8Array(length).fill(2)
    }
    const loaded = load({ random })
    expect(loaded).toEqual({ kind: 'loaded', key: Buffer.alloc(32, 1), source: 'data-directory' })
    expect(readdirSync(dataDirectory())).toEqual(['key'])
  })

  test('is not made anew when the database holds credentials it would not open', () => {
    const path = join(dataDirectory(), 'key')
    expect(load({ hasCredentials: true })).toEqual({
      kind: 'problem',
      problem: `The sealing key ${path} is missing and the database holds credentials sealed with it: put the file back, or give the key as BELLHOP_KEY_FILE. If that key is lost for good, bellhop key rotate --discard erases them, and each application needs its credentials again.`,
      why: 'missing',
    })
    expect(readdirSync(dataDirectory())).toEqual([])
  })

  test('is a problem when its file is damaged', () => {
    writeFileSync(join(dataDirectory(), 'key'), '')
    expect(load()).toEqual({
      kind: 'problem',
      problem: `The sealing key ${join(dataDirectory(), 'key')} is not 32 bytes in base64 (44 characters) or hex (64).`,
      why: 'malformed',
    })
  })
})
