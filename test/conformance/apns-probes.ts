import { generateKeyPairSync } from 'node:crypto'
import { systemClock } from '../../src/clock.ts'
import { createProviderTokens } from '../../src/gateway/apns/token.ts'
import type { Probe } from './probe.ts'

/** A token that Apple gives out to nobody, and that the stand-in takes for such a one. */
const NOBODY = 'bad40000'.padEnd(64, '0')

export interface ApnsSigner {
  /** PEM. */
  readonly privateKey: string
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
}

/** Thirteen questions to APNs. They sign one provider token with the key, and one with another key of the same name. */
export async function apnsProbes(signer: ApnsSigner): Promise<readonly Probe[]> {
  const stranger = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const authorization = await createProviderTokens(signer, systemClock).current()
  const forged = await createProviderTokens({ ...signer, privateKey: stranger.privateKey }, systemClock).current()
  const good = {
    authorization,
    'apns-topic': signer.topic,
    'apns-push-type': 'background',
    'apns-priority': '5',
    'apns-expiration': '0',
  }
  const body = '{"aps":{"content-available":1}}'
  const probe = (name: string, more: Readonly<Record<string, string>> = {}, token = NOBODY, sent = body): Probe => ({
    name,
    request: { path: `/3/device/${token}`, headers: { ...good, ...more }, body: sent },
  })
  const without = (name: keyof typeof good): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(good).filter(([other]) => other !== name))
  return [
    probe('a device token that nobody has'),
    probe('the same in upper case', {}, NOBODY.toUpperCase()),
    probe('a device token of 8 digits', {}, '00000000'),
    probe('no device token', {}, ''),
    probe('a topic of another app', { 'apns-topic': `${signer.topic}.nobody` }),
    probe('a topic that is none', { 'apns-topic': 'not a topic' }),
    { name: 'no topic', request: { path: `/3/device/${NOBODY}`, headers: without('apns-topic'), body } },
    probe('a signature by another key', { authorization: forged }),
    { name: 'no signature', request: { path: `/3/device/${NOBODY}`, headers: without('authorization'), body } },
    probe('a collapse id of 65 bytes', { 'apns-collapse-id': 'c'.repeat(65) }),
    probe('a background push of priority 10', { 'apns-priority': '10' }),
    probe('a body of 4,097 bytes', {}, NOBODY, JSON.stringify({ aps: {}, x: 'x'.repeat(4097 - 16) })),
    { name: 'a client that speaks HTTP/1.1 only', request: null },
  ]
}
