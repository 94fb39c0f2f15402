import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { constants } from 'node:http2'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { answered } from '../http2-client.ts'
import { apnsSender, nextArrival } from '../senders.ts'
import type { ApnsSender } from '../senders.ts'
import { providerToken } from '../signing.ts'

const TOKEN = 'ab'.repeat(32)
const MINUTE = 60_000
const ordering = (code: string) => `bad${code}`.padEnd(64, 'a')

const clock = createFakeClock()
let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ clock, slowMs: 500, apnsStreams: 50 })
})
afterAll(() => simulator[Symbol.asyncDispose]())

function open(options: Parameters<typeof apnsSender>[2] = {}): Promise<ApnsSender> {
  return apnsSender(simulator, clock.now(), options)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error
}

describe('a new connection', () => {
  test('takes one request at a time until one was accepted, then many', async () => {
    await using sender = await open()
    const limits: unknown[] = [sender.client.session.remoteSettings.maxConcurrentStreams]
    const raised = new Promise((resolve) => sender.client.session.once('remoteSettings', resolve))
    await sender.push(ordering('40000'))
    limits.push(sender.client.session.remoteSettings.maxConcurrentStreams)
    await sender.push(TOKEN)
    await raised
    limits.push(sender.client.session.remoteSettings.maxConcurrentStreams)
    expect(limits).toEqual([1, 1, 50])
  })

  test('serves what its client holds back, all on one connection', async () => {
    await using sender = await open()
    const before = simulator.counts().apns.sessions
    await sender.push(TOKEN)
    const replies = await Promise.all(Array.from({ length: 200 }, () => sender.push(TOKEN)))
    expect(replies.filter((reply) => answered(reply).status === 200)).toHaveLength(200)
    expect(simulator.counts().apns.sessions).toBe(before)
  })

  test('can be told to take many at once', async () => {
    await using warm = await startSimulator({ clock, coldStart: false, apnsStreams: 7 })
    await using sender = await apnsSender(warm, clock.now())
    expect(sender.client.session.remoteSettings.maxConcurrentStreams).toBe(7)
  })

  test('needs a client that trusts the simulator', async () => {
    const session = new Bun.FetchSession()
    const request = session.fetch(`${simulator.apnsUrl}/3/device/${TOKEN}`, { protocol: 'http2', method: 'POST' })
    expect(await request.catch(codeOf)).toBe('SELF_SIGNED_CERT_IN_CHAIN')
  })
})

test('provider tokens that expire wedge the connection, and only that one', async () => {
  await using sender = await open()
  await sender.push(TOKEN)
  clock.advance(61 * MINUTE)
  expect(answered(await sender.push(TOKEN)).body).toBe('{"reason":"ExpiredProviderToken"}')
  const authorization = providerToken(simulator.issue('app').apnsKey, clock.now())
  expect(answered(await sender.push(TOKEN, { authorization })).body).toBe('{"reason":"ExpiredProviderToken"}')
  await using next = await open()
  expect(answered(await next.push(TOKEN, { authorization })).status).toBe(200)
})

describe('a client certificate', () => {
  const withCertificate = (environment?: 'production' | 'sandbox', origin?: string) => {
    const { certificate: cert, privateKey: key } = simulator.issueCertificate('com.example.app', environment)
    return open({ cert, key, ...(origin !== undefined && { origin }) })
  }
  const bare = { authorization: undefined, 'apns-topic': undefined }

  test('stands for its topic without a provider token', async () => {
    await using sender = await withCertificate()
    expect(answered(await sender.push(TOKEN, bare)).status).toBe(200)
    expect(simulator.arrivals().at(-1)?.target).toBe('com.example.app')
    const foreign = { ...bare, 'apns-topic': 'com.example.other' }
    expect(answered(await sender.push(TOKEN, foreign)).body).toBe('{"reason":"TopicDisallowed"}')
  })

  test('of the other environment is refused', async () => {
    await using sender = await withCertificate('sandbox')
    const reply = answered(await sender.push(TOKEN, bare))
    expect(reply).toMatchObject({ status: 403, body: '{"reason":"BadCertificateEnvironment"}' })
    await using right = await withCertificate('sandbox', simulator.apnsSandboxUrl)
    expect(answered(await right.push(TOKEN, bare)).status).toBe(200)
  })

  test('that nobody registered is refused, unless a provider token comes with it', async () => {
    await using elsewhere = await startSimulator({ clock })
    const { certificate: cert, privateKey: key } = elsewhere.issueCertificate('com.example.app')
    await using sender = await open({ cert, key })
    expect(answered(await sender.push(TOKEN, bare))).toMatchObject({ status: 403, body: '{"reason":"BadCertificate"}' })
    expect(answered(await sender.push(TOKEN)).status).toBe(200)
  })

  test('made elsewhere counts once it is registered', async () => {
    await using elsewhere = await startSimulator({ clock })
    const { certificate, privateKey: key } = elsewhere.issueCertificate('com.example.app')
    simulator.accept({ kind: 'apns-certificate', certificate, topics: ['com.example.app'] })
    await using sender = await open({ cert: certificate, key })
    expect(answered(await sender.push(TOKEN, bare)).status).toBe(200)
  })
})

describe('a token orders', () => {
  test('bad0000: an answer after slowMs, not before', async () => {
    await using sender = await open()
    await sender.push(TOKEN)
    let reply: unknown = null
    const arrived = nextArrival(simulator)
    const done = sender.push(ordering('00000')).then((received) => (reply = received))
    await arrived
    clock.advance(499)
    await sender.client.send({ ':method': 'GET', ':path': '/' })
    expect(reply).toBeNull()
    clock.advance(1)
    await done
    expect(reply).toMatchObject({ status: 200 })
  })

  test('bad0001: RST_STREAM with INTERNAL_ERROR; the connection lives on', async () => {
    await using sender = await open()
    expect(await sender.push(ordering('00010'))).toEqual({ kind: 'none', code: constants.NGHTTP2_INTERNAL_ERROR })
    expect(simulator.arrivals().at(-1)).toMatchObject({ status: null, reason: null, id: null })
    expect(answered(await sender.push(TOKEN)).status).toBe(200)
  })

  test('bad0002: RST_STREAM with REFUSED_STREAM', async () => {
    await using sender = await open()
    expect(await sender.push(ordering('00020'))).toEqual({ kind: 'none', code: constants.NGHTTP2_REFUSED_STREAM })
    expect(await sender.push(ordering('00021'))).toEqual({ kind: 'none', code: constants.NGHTTP2_REFUSED_STREAM })
    expect(answered(await sender.push(ordering('00021'))).status).toBe(200)
  })

  test('bad0003: silence, while others are answered', async () => {
    await using sender = await open()
    await sender.push(TOKEN)
    let heard = false
    const arrived = nextArrival(simulator)
    void sender.push(ordering('00030')).then(() => (heard = true))
    await arrived
    expect(answered(await sender.push(TOKEN)).status).toBe(200)
    expect(heard).toBe(false)
    expect(simulator.counts().apns.openStreams).toBe(1)
  })

  test('bad0004: the end of the connection, without a GOAWAY', async () => {
    await using sender = await open()
    const closed = new Promise<void>((resolve) => sender.client.session.once('close', () => resolve()))
    expect(await sender.push(ordering('00040'))).toMatchObject({ kind: 'none' })
    await closed
    expect(sender.client.goaways).toEqual([])
  })

  test('bad0005: an answer, and GOAWAY without error', async () => {
    await using sender = await open()
    const goaway = new Promise((resolve) => sender.client.session.once('goaway', resolve))
    expect(answered(await sender.push(ordering('00050'))).status).toBe(200)
    await goaway
    expect(sender.client.goaways).toEqual([{ code: constants.NGHTTP2_NO_ERROR, data: '{"reason":"Shutdown"}' }])
  })

  test('bad0006: GOAWAY with ENHANCE_YOUR_CALM, and no answer', async () => {
    await using sender = await open()
    expect(await sender.push(ordering('00060'))).toMatchObject({ kind: 'none' })
    expect(sender.client.goaways).toEqual([
      { code: constants.NGHTTP2_ENHANCE_YOUR_CALM, data: '{"reason":"Shutdown"}' },
    ])
  })
})

describe("Bun's own HTTP/2 client", () => {
  test('gets the same answers', async () => {
    const { apnsKey } = simulator.issue('app')
    const session = new Bun.FetchSession({ tls: { ca: simulator.ca } })
    const push = async (token: string) => {
      const response = await session.fetch(`${simulator.apnsUrl}/3/device/${token}`, {
        protocol: 'http2',
        method: 'POST',
        headers: { authorization, 'apns-topic': apnsKey.topic, 'apns-push-type': 'alert' },
        body: '{"aps":{"alert":"Hi"}}',
      })
      return `${response.status} ${await response.text()}`
    }
    const authorization = providerToken(apnsKey, clock.now())
    const before = simulator.counts().apns.sessions
    expect(await push(TOKEN)).toBe('200 ')
    expect(await push(ordering('40000'))).toBe('400 {"reason":"BadDeviceToken"}')
    expect(await push(ordering('00021bb'))).toBe('200 ')
    expect(await push(ordering('00010')).catch(codeOf)).toBe('HTTP2StreamReset')
    expect(await push(ordering('00020')).catch(codeOf)).toBe('HTTP2RefusedStream')
    expect(simulator.counts().apns.sessions).toBe(before + 1)
    expect(await push(ordering('00060')).catch(codeOf)).toBe('HTTP2GoAway')
    expect(await push(ordering('00040')).catch(codeOf)).toBe('ECONNRESET')
    expect(await push(TOKEN)).toBe('200 ')
    session.close()
  })
})
