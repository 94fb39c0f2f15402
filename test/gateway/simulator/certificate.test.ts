import { beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { readApnsCertificate } from '../../../src/application/apns-certificate.ts'
import { systemClock } from '../../../src/clock.ts'
import { createAuthority } from '../../../src/gateway/simulator/certificate.ts'
import type { Authority } from '../../../src/gateway/simulator/certificate.ts'

const now = systemClock.now()
let authority: Authority
beforeAll(async () => {
  authority = await createAuthority(now)
})

describe('the server certificate', () => {
  test('is signed by the authority, which is one', () => {
    const ca = new X509Certificate(authority.ca)
    const server = new X509Certificate(authority.server.certificate)
    expect(ca.ca).toBe(true)
    expect(server.ca).toBe(false)
    expect(server.checkIssued(ca)).toBe(true)
    expect(server.verify(ca.publicKey)).toBe(true)
  })

  test('is for localhost, 127.0.0.1 and ::1, and nothing else', () => {
    const server = new X509Certificate(authority.server.certificate)
    expect(server.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1')
  })

  test('is valid from one day before to ten years after', () => {
    const server = new X509Certificate(authority.server.certificate)
    expect(now - server.validFromDate.getTime()).toBeWithin(86_400_000, 86_401_000)
    expect(server.validToDate.getTime() - now).toBeGreaterThan(3651 * 86_400_000)
  })

  test('differs from one simulator to the next', async () => {
    const other = await createAuthority(now)
    const server = new X509Certificate(other.server.certificate)
    expect(server.verify(new X509Certificate(authority.ca).publicKey)).toBe(false)
  })
})

describe('a client certificate', () => {
  const read = (pem: { certificate: string; privateKey: string }) =>
    readApnsCertificate({ bytes: Buffer.from(pem.certificate + pem.privateKey), environment: 'auto', now })

  test('names its topic and both environments, as Apple writes them', () => {
    expect(read(authority.issueClient('com.example.app', null))).toMatchObject({
      kind: 'certificate',
      topic: 'com.example.app',
      environment: 'auto',
    })
  })

  test.each(['production', 'sandbox'] as const)('can be for %s only', (environment) => {
    expect(read(authority.issueClient('com.example.app', environment))).toMatchObject({ environment })
  })
})
