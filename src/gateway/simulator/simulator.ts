import { randomUUID } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { startApnsGateway } from './apns/apns-gateway.ts'
import { createAuthority, makeRsaKeys } from './certificate.ts'
import type { Pem, RsaKeys } from './certificate.ts'
import { startFcmGateway } from './fcm/fcm-gateway.ts'
import { startTokenEndpoint } from './fcm/token-endpoint.ts'
import { createTokenIssuer } from './fcm/token-issuer.ts'
import type { ListenerCounts } from './http2/http2-listener.ts'
import type { Attempt, Script } from './http2/reply.ts'
import { createKnownCredentials } from './known-credentials.ts'
import type { Acceptable, IssuedCredentials } from './known-credentials.ts'
import { createReceivedPushes } from './received-pushes.ts'
import type { ReceivedPush } from './received-pushes.ts'
import { startWebPushGateway } from './webpush/webpush-gateway.ts'
import type { WebPushGateway } from './webpush/webpush-gateway.ts'

export interface SimulatorOptions {
  readonly clock: Clock
  /** Remembered arrivals. Default 1000. */
  readonly remember?: number
  /** Delay of slow answers. Default 3000. */
  readonly slowMs?: number
  /** Retry-After of FCM and push services. Default 2; Google asks for up to 60. */
  readonly retryAfterSeconds?: number
  /** Whether APNs refuses a second provider token within 20 minutes. Default true. */
  readonly limitTokenUpdates?: boolean
  /** Whether an APNs connection takes one request at a time until its first success. Default true. */
  readonly coldStart?: boolean
  /** Concurrent requests per connection. Default 1000 for APNs, 100 otherwise. */
  readonly apnsStreams?: number
  readonly fcmStreams?: number
  readonly webPushStreams?: number
  readonly newId?: () => string
  /** Makes three different key pairs. Default: fresh ones. */
  readonly rsaKeys?: (() => Promise<RsaKeys>) | undefined
}

interface SimulatorCounts {
  readonly apns: ListenerCounts
  readonly apnsSandbox: ListenerCounts
  readonly fcm: ListenerCounts
  readonly webPush: ListenerCounts
  readonly tokenRequests: number
  readonly accepted: number
  readonly refused: number
}

/** APNs, FCM and a push service on this machine: real TLS and HTTP/2, with the gateways' checks and answers. */
export interface Simulator extends AsyncDisposable {
  readonly apnsUrl: string
  readonly apnsSandboxUrl: string
  readonly fcmUrl: string
  readonly webPushUrl: string
  readonly fcmTokenUrl: string
  readonly ca: string
  issue(applicationId: string): IssuedCredentials
  /** For APNs. Default for `environment`: both. */
  issueCertificate(topic: string, environment?: Environment): Pem
  relayOf(endpoint: string): string
  /** With the first slash. */
  subscribe(path: string): ReturnType<WebPushGateway['subscribe']>
  accept(credential: Acceptable): void
  arrivals(): readonly ReceivedPush[]
  /** The returned function unsubscribes. */
  onArrival(listener: (arrival: ReceivedPush) => void): () => void
  counts(): SimulatorCounts
  /** Answers requests that pass the checks; `null` ends that. */
  answerWith(script: Script | null): void
  goaway(code?: number): void
  disconnect(): void
}

/** On free ports of 127.0.0.1. Takes about 0.3 s, mostly for keys. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, newId = randomUUID, slowMs = 3000, coldStart = true, limitTokenUpdates = true } = options
  await using opened = new AsyncDisposableStack()
  // TLS uses the machine's clock, whatever `clock` is.
  const { rsaKeys = makeRsaKeys } = options
  const [authority, known] = await Promise.all([
    createAuthority(systemClock.now(), rsaKeys),
    createKnownCredentials(rsaKeys),
  ])
  const arrivals = createReceivedPushes(options.remember ?? 1000)
  let script: Script | null = null
  const common = {
    clock,
    known,
    newId,
    slowMs,
    pem: authority.server,
    record: (arrival: ReceivedPush) => arrivals.add(arrival),
    script: (attempt: Attempt) => script?.(attempt) ?? null,
  }

  const tokens = createTokenIssuer({
    accountOf: (clientEmail) => known.serviceAccount(clientEmail),
    audiences: () => [GOOGLE_TOKEN_URL, tokenEndpoint.url],
    newId,
  })
  const tokenEndpoint = opened.use(startTokenEndpoint({ ...common, tokens }))
  const apnsOptions = { ...common, coldStart, limitTokenUpdates, maxStreams: options.apnsStreams ?? 1000 }
  const apns = opened.use(await startApnsGateway({ ...apnsOptions, environment: 'production' }))
  const apnsSandbox = opened.use(await startApnsGateway({ ...apnsOptions, environment: 'sandbox' }))
  const retryAfterSeconds = options.retryAfterSeconds ?? 2
  const maxStreams = options.fcmStreams ?? 100
  const fcm = opened.use(await startFcmGateway({ ...common, tokens, retryAfterSeconds, maxStreams }))
  const webPush = opened.use(
    await startWebPushGateway({ ...common, retryAfterSeconds, maxStreams: options.webPushStreams ?? 100 }),
  )

  const gateways = [apns, apnsSandbox, fcm, webPush]
  const running = opened.move()
  return {
    apnsUrl: apns.url,
    apnsSandboxUrl: apnsSandbox.url,
    fcmUrl: fcm.url,
    webPushUrl: webPush.url,
    fcmTokenUrl: tokenEndpoint.url,
    ca: authority.ca,
    issue: (applicationId) => known.issue(applicationId),
    issueCertificate(topic, environment) {
      const pem = authority.issueClient(topic, environment ?? null)
      const { certificate } = pem
      known.accept({ kind: 'apns-certificate', certificate, topics: [topic], ...(environment && { environment }) })
      return pem
    },
    relayOf: (endpoint) => webPush.relayOf(endpoint),
    subscribe: (path) => webPush.subscribe(path),
    accept: (credential) => known.accept(credential),
    arrivals: () => arrivals.list(),
    onArrival: (listener) => arrivals.listen(listener),
    counts: () => ({
      apns: apns.counts(),
      apnsSandbox: apnsSandbox.counts(),
      fcm: fcm.counts(),
      webPush: webPush.counts(),
      tokenRequests: tokenEndpoint.requests(),
      ...arrivals.counts(),
    }),
    answerWith(next) {
      script = next
    },
    goaway(code) {
      for (const gateway of gateways) gateway.goaway(code)
    },
    disconnect() {
      for (const gateway of gateways) gateway.disconnect()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'
