import { describe, expect, test } from 'bun:test'
import { isProof, newUserKey, proofOf } from '../../src/application/user-key.ts'
import { markdown } from '../manual/markdown-files.ts'

/** The key, the user and the proof that the manual gives to try with. */
const KEY = 'bhu_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const USER = 'Zo\u00eb 17'
const PROOF = '6fa77eb811537d0f51eb9e9344d014a0dbe9d368bffd4ab7eabf1e9c1ea6a5ad'
const OTHER = 'bhu_another'
const NOW = 1_790_000_000_000

const bytes = Buffer.from(PROOF, 'hex')

describe('a user key', () => {
  test('is 256 random bits behind a prefix', () => {
    expect(newUserKey((length) => Uint8Array.from({ length }, (_, at) => at))).toBe(KEY)
  })

  test('proves a user by the HMAC-SHA256 of it, as the manual shows', () => {
    expect(Buffer.from(proofOf(KEY, USER)).toString('hex')).toBe(PROOF)
    const page = markdown('src/manual/users.md')
    for (const shown of [KEY, USER, PROOF, bytes.toString('base64url')]) expect(page).toContain(`\`${shown}\``)
  })

  test('counts by itself, and the one before it until its time is over', () => {
    const previous = { key: KEY, until: NOW }
    expect(isProof({ key: KEY, previous: null }, USER, bytes, NOW)).toBe(true)
    expect(isProof({ key: OTHER, previous }, USER, bytes, NOW - 1)).toBe(true)
    expect(isProof({ key: OTHER, previous }, USER, bytes, NOW)).toBe(false)
    expect(isProof({ key: OTHER, previous: null }, USER, bytes, NOW)).toBe(false)
    expect(isProof({ key: KEY, previous: null }, USER.normalize('NFD'), bytes, NOW)).toBe(false)
  })
})
