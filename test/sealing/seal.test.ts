import { describe, expect, test } from 'bun:test'
import { createDecipheriv } from 'node:crypto'
import { open, seal } from '../../src/sealing/seal.ts'

const key = new Uint8Array(32).fill(7)
const owner = { application: 'app_one', provider: 'apns' } as const

describe('a sealed record', () => {
  test('opens with the key and for the owner it was sealed for', () => {
    expect(open(key, owner, seal(key, owner, 'schlüssel'))).toBe('schlüssel')
    expect(open(key, owner, seal(key, owner, ''))).toBe('')
  })

  test('is 12 bytes nonce, ciphertext and 16 bytes tag of AES-256-GCM', () => {
    const sealed = seal(key, owner, 'text', (length) => new Uint8Array(length).fill(9))
    expect(sealed.length).toBe(12 + 4 + 16)
    const decipher = createDecipheriv('aes-256-gcm', key, new Uint8Array(12).fill(9))
    decipher.setAAD(Buffer.from('["app_one","apns",1]'))
    decipher.setAuthTag(sealed.subarray(16))
    expect(decipher.update(sealed.subarray(12, 16), undefined, 'utf8') + decipher.final('utf8')).toBe('text')
  })

  test('never looks the same twice', () => {
    expect(seal(key, owner, 'text')).not.toEqual(seal(key, owner, 'text'))
  })

  test('does not open for another application or another provider', () => {
    const sealed = seal(key, owner, 'text')
    expect(open(key, { ...owner, application: 'app_two' }, sealed)).toBeNull()
    expect(open(key, { ...owner, provider: 'fcm' }, sealed)).toBeNull()
  })

  test('does not open with another key', () => {
    expect(open(new Uint8Array(32).fill(8), owner, seal(key, owner, 'text'))).toBeNull()
  })

  test('does not open when any bit of it has changed', () => {
    const sealed = seal(key, owner, 'text')
    for (let index = 0; index < sealed.length; index++) {
      const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte))
      expect(open(key, owner, changed)).toBeNull()
    }
  })

  test('does not open when it is cut short', () => {
    const sealed = seal(key, owner, 'text')
    for (let length = 0; length < sealed.length; length++) {
      expect(open(key, owner, sealed.subarray(0, length))).toBeNull()
    }
  })
})
