import { createECDH } from 'node:crypto'
import { agreeHere } from '../../../src/gateway/webpush/key-agreement.ts'
import type { Agreement } from '../../../src/gateway/webpush/key-agreement.ts'

/** The message of RFC 8291, section 5 and appendix A. */
export const EXAMPLE = {
  plaintext: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiver: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  ikm: 'S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg',
  contentKey: 'oIhVW04MRdy2XN9CiKLxTg',
  nonce: '4h_95klXJ5E_qnoN',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
} as const

/** The bytes of a text in base64url. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

/** What is agreed on with this private key. */
export function agreementOf(privateKey: Uint8Array, receiver: Uint8Array): Agreement {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey(), secret: pair.computeSecret(receiver) }
}

/** What is agreed on with a key pair of its own. */
export function agreedWith(receiver: Uint8Array): Agreement {
  const agreement = agreeHere(receiver)
  if (agreement === null) throw new Error('no point')
  return agreement
}
