import { describe, expect, test } from 'bun:test'
import { createECDH } from 'node:crypto'
import { decrypt } from 'http_ece'
import {
  contentKeyOf,
  encodeContent,
  encryptMessage,
  MAX_MESSAGE_BYTES,
  MAX_PLAINTEXT_BYTES,
  messageBytes,
  messageKeyOf,
  paddedLength,
} from '../../../src/gateway/webpush/encryption.ts'
import { agreedWith, agreementOf, bytes, EXAMPLE } from './example-message.ts'

const keys = { p256dh: bytes(EXAMPLE.p256dh), auth: bytes(EXAMPLE.auth) }
const salt = bytes(EXAMPLE.salt)
const secrets = { ...agreementOf(bytes(EXAMPLE.sender), keys.p256dh), salt }

describe('the content encoding', () => {
  test('is that of RFC 8188, 3.1, byte for byte', () => {
    const plaintext = Buffer.from('I am the walrus')
    const known = { ikm: bytes('yqdlZ-tYemfogSmv7Ws5PQ'), salt: bytes('I1BsxtFttlv3u_Oo94xnmw') }
    const { key, nonce } = contentKeyOf(known.ikm, known.salt)
    expect(key.toString('base64url')).toBe('_wniytB-ofscZDh4tbSjHw')
    expect(nonce.toString('base64url')).toBe('Bcs8gkIRKLI8GeI8')
    const options = { keyId: Buffer.alloc(0), recordSize: 4096, paddedTo: plaintext.length }
    expect(encodeContent(plaintext, known, options).toString('base64url')).toBe(
      'I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg',
    )
  })
})

describe('a message', () => {
  test('is that of RFC 8291, appendix A, byte for byte', () => {
    const plaintext = Buffer.from(EXAMPLE.plaintext)
    const ikm = messageKeyOf({
      secret: secrets.secret,
      auth: keys.auth,
      receiver: keys.p256dh,
      sender: secrets.publicKey,
    })
    expect(ikm.toString('base64url')).toBe(EXAMPLE.ikm)
    const { key, nonce } = contentKeyOf(ikm, secrets.salt)
    expect(key.toString('base64url')).toBe(EXAMPLE.contentKey)
    expect(nonce.toString('base64url')).toBe(EXAMPLE.nonce)
    expect(encryptMessage(plaintext, keys, secrets, plaintext.length).toString('base64url')).toBe(EXAMPLE.body)
  })

  test.each([0, 1, 255, 256, 257, 2048, 2049, MAX_PLAINTEXT_BYTES])(
    'of %p bytes is opened by another implementation',
    (length) => {
      const browser = createECDH('prime256v1')
      const own = { p256dh: browser.generateKeys(), auth: Buffer.alloc(16, length) }
      const plaintext = Buffer.alloc(length, 'é')
      const body = encryptMessage(plaintext, own, { ...agreedWith(own.p256dh), salt })
      expect(decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: own.auth })).toEqual(plaintext)
      expect(body.length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
    },
  )

  test('tells little by its length, and is never padded beyond what browsers with a smaller limit take', () => {
    const bytesOf = (length: number) => messageBytes(paddedLength(length))
    expect([0, 1, 256].map(bytesOf)).toEqual([359, 359, 359])
    expect([257, 512, 513, 1024].map(bytesOf)).toEqual([615, 615, 1127, 1127])
    // UC Browser takes 2,048 bytes, Firefox for Android some 3,015.
    expect([1025, 1945].map(bytesOf)).toEqual([2048, 2048])
    expect([1946, 2048, 2912].map(bytesOf)).toEqual([3015, 3015, 3015])
    expect([2913, MAX_PLAINTEXT_BYTES].map(bytesOf)).toEqual([4096, 4096])
    const lengths = ['a', 'a much longer text'].map((text) => encryptMessage(Buffer.from(text), keys, secrets).length)
    expect(lengths).toEqual([359, 359])
  })
})
