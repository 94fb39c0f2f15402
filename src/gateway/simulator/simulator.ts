import { randomUUID } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { startApnsGateway } from './apns/apns-gateway.ts'
import { createAuthority } from './certificate.ts'
import type { Pem } from './certificate.ts'
import { startFcmGateway } from './fcm/fcm-gateway.ts'
import { makeRsaKeys } from './fcm/rsa-keys.ts'
import type { RsaKeys } from './fcm/rsa-keys.ts'
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
  /** How many arrivals `arrivals()` gives at most. Default 1000. */
  readonly remember?: number
  /** How long a token that asks for a slow answer waits, in ms. Default 3000. */
  readonly slowMs?: number
  /** The Retry-After that FCM and the push service ask for. Default 2; Google asks for up to 60. */
  readonly retryAfterSeconds?: number
  /** Whether APNs refuses a second provider token within 20 minutes on one connection. Default true. */
  readonly limitTokenUpdates?: boolean
  /** Whether an APNs connection takes one request at a time until one was accepted. Default true. */
  readonly coldStart?: boolean
  /** Requests at one time on one APNs connection. Default 1000. */
  readonly apnsStreams?: number
  /** The same for FCM. Default 100. */
  readonly fcmStreams?: number
  /** The same for the push service of browsers. Default 100. */
  readonly webPushStreams?: number
  /** Makes UUIDs. Default random ones. */
  readonly newId?: () => string
  /** Makes keys: three pairs, of which no two may be the same. Default fresh ones. */
  readonly rsaKeys?: (() => Promise<RsaKeys>) | undefined
}

interface SimulatorCounts {
  readonly apns: ListenerCounts
  readonly apnsSandbox: ListenerCounts
  readonly fcm: ListenerCounts
  readonly webPush: ListenerCounts
  /** Requests for access tokens. */
  readonly tokenRequests: number
  /** Notifications that were taken, and all others. */
  readonly accepted: number
  readonly refused: number
}

/** APNs, FCM and a push service of browsers on this machine: real TLS and HTTP/2, their checks and answers, and no phone. */
export interface Simulator extends AsyncDisposable {
  /** An https origin, as are the next three. */
  readonly apnsUrl: string
  readonly apnsSandboxUrl: string
  readonly fcmUrl: string
  readonly webPushUrl: string
  /** The whole address. */
  readonly fcmTokenUrl: string
  /** The certificate to trust, PEM. */
  readonly ca: string
  /** Credentials for an application; the same ones each time. */
  issue(applicationId: string): IssuedCredentials
  /** A client certificate for APNs. `environment`: default both. */
  issueCertificate(topic: string, environment?: Environment): Pem
  /** The origin that takes the requests for an endpoint of any push service. */
  relayOf(endpoint: string): string
  /** Subscribes a browser to the push service. `path`: of the endpoint, from the slash on. */
  subscribe(path: string): ReturnType<WebPushGateway['subscribe']>
  /** Lets in a credential that was made elsewhere. */
  accept(credential: Acceptable): void
  /** What arrived, the newest last. */
  arrivals(): readonly ReceivedPush[]
  /** Calls `listener` for every arrival from now on; the returned function stops it. */
  onArrival(listener: (arrival: ReceivedPush) => void): () => void
  counts(): SimulatorCounts
  /** Lets `script` answer what passes the checks; `null` goes back to what tokens ask for. */
  answerWith(script: Script | null): void
  /** Sends GOAWAY on every connection. `code`: an HTTP/2 error code, default 0 (no error). */
  goaway(code?: number): void
  /** Drops every connection to APNs, FCM and the push service. */
  disconnect(): void
}

/** Starts on free ports of 127.0.0.1. Takes about 0.3 s, most of it for making keys. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, newId = randomUUID, slowMs = 3000, coldStart = true, limitTokenUpdates = true } = options
  await using opened = new AsyncDisposableStack()
  // TLS compares certificates with the machine's clock, whatever clock the simulator is given.
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
