import type { Clock } from '../../../src/clock.ts'
import type {
  OpenTransport,
  Transport,
  TransportAnswer,
  TransportRequest,
} from '../../../src/gateway/transport/transport.ts'
import { pick } from '../../support/chance.ts'
import { GRANT_REFUSALS } from './answer-tables.ts'
import type { Gateway } from './answer-tables.ts'
import { LOST, replyTo } from './answers.ts'
import type { Reply, TokenFate, Weather } from './answers.ts'
import { openFor, PUSH_SERVICE_NAMES, PUSH_SERVICES } from './browsers.ts'
import type { PushService } from './browsers.ts'

export const ORIGINS = {
  production: 'https://production.apns.test',
  sandbox: 'https://sandbox.apns.test',
  fcm: 'https://fcm.test',
  token: 'https://token.test',
} as const

/** A notification at a gateway. */
export interface Arrival {
  readonly gateway: Gateway
  /** Positions in lists of the credential's application and of the credential, see `Tenant`. */
  readonly application: Whose
  readonly credential: number
  readonly environment: 'production' | 'sandbox' | null
  /** `null`: not a browser's. */
  readonly service: PushService | null
  /** The browser's key pair it is encrypted for; `null`: not a browser's. */
  readonly pair: number | null
  readonly token: string
  /** The number in its payload: the call that asked for it. */
  readonly push: number
  /** From its payload. */
  readonly id: string
  /** Identifies repeats on a phone: apns-id with apns-collapse-id, or the tag. */
  readonly identity: string
  /** What it replaces others by: apns-collapse-id or the tag, and the Topic, `null` for none. */
  readonly collapse: string
  readonly topic: string | null
  readonly text: string
  readonly badge: number | null
}

/** Position of an application in the world. */
export type Whose = 0 | 1

export type Sky = 'apns' | 'fcm' | PushService

type Owner = Pick<Arrival, 'application' | 'credential'>

interface Dependencies {
  readonly chance: (...words: (string | number)[]) => number
  readonly weatherOf: (sky: Sky) => Weather
  readonly fateOf: (application: Whose, token: string) => TokenFate
  /** By key id, address of the service account, or public key. */
  readonly ownerOf: (name: string) => Owner
  readonly onGrant: () => void
  /** The returned function hears what the sender hears. */
  readonly onArrival: (arrival: Arrival, reply: Reply) => (heard: Reply) => void
}

export interface Decision {
  readonly answer: TransportAnswer
  /** In ms. */
  readonly afterMs: number
}

/** A request at a gateway. */
export interface Errand {
  /** Decides anew each time it comes. */
  decide(): Decision
  /** What the sender heard; `null`: anything else. */
  heard(decision: Decision | null): void
}

/** Hands over a request. */
export type Receive = (origin: string, request: TransportRequest, deadlineMs: number) => Errand

/** Answers without a connection: every decision is heard. */
export function answerDirectly(clock: Clock, receive: Receive): OpenTransport {
  return (origin, { deadlineMs }): Transport => {
    const open = new Set<Promise<void>>()
    return {
      send(request, listener) {
        const errand = receive(origin, request, deadlineMs)
        const decision = errand.decide()
        const over = later(clock, Math.min(decision.afterMs, deadlineMs)).then(() => {
          errand.heard(decision)
          open.delete(over)
          listener.onAnswer(decision.answer)
        })
        open.add(over)
      },
      retire: () => undefined,
      async [Symbol.asyncDispose]() {
        await Promise.all(open)
      },
    }
  }
}

export function skyOf(origin: string): Sky {
  const service = PUSH_SERVICE_NAMES.find((name) => PUSH_SERVICES[name] === origin)
  return service ?? (origin === ORIGINS.fcm || origin === ORIGINS.token ? 'fcm' : 'apns')
}

function later(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

/** The gateways of a world, driven by its seed. */
export function createGateways(deps: Dependencies): Receive {
  const { chance, weatherOf, fateOf, ownerOf, onGrant, onArrival } = deps
  /** By notification. */
  const attempts = new Map<string, number>()
  /** Owners of access tokens. */
  const grants: string[] = []

  function nth(key: string): number {
    const n = (attempts.get(key) ?? 0) + 1
    attempts.set(key, n)
    return n
  }

  function notify(origin: string, request: TransportRequest, deadlineMs: number): Errand {
    const arrival = readArrival(origin, request)
    const { gateway, environment, service, token, push, application } = arrival
    const key = `${push}/${token}/${environment}`
    const words = [key, nth(key)]
    const decide = (...tries: number[]): Reply =>
      replyTo({
        gateway,
        environment,
        weather: weatherOf(gateway === 'webpush' ? (service ?? 'push-0') : gateway),
        token: fateOf(application, token),
        deadlineMs,
        chance: (...more) => chance(...words, ...tries, ...more),
      })
    const first = decide()
    const onHeard = onArrival(arrival, first)
    const replies: Reply[] = []
    return {
      decide() {
        const reply = replies.length === 0 ? first : decide(replies.length)
        replies.push(reply)
        return reply
      },
      heard: (decision) => onHeard(replies.find((reply) => reply === decision) ?? LOST),
    }
  }

  function readArrival(origin: string, request: TransportRequest): Arrival {
    const authorization = request.headers['authorization'] ?? ''
    const service = PUSH_SERVICE_NAMES.find((name) => PUSH_SERVICES[name] === origin)
    // `vapid t=…, k=…` (RFC 8292, 3).
    if (service !== undefined)
      return { ...readWebPush(request, service), ...ownerOf(authorization.split(' k=')[1] ?? '') }
    if (origin === ORIGINS.fcm) {
      return { ...readFcm(request), ...ownerOf(grants[Number(authorization.split('-')[1])] ?? '') }
    }
    const { kid = '' } = partOf(authorization.split(' ')[1], 0)
    return { ...readApns(request, origin === ORIGINS.sandbox), ...ownerOf(kid) }
  }

  function grant({ body: form }: TransportRequest, deadlineMs: number): Errand {
    const n = grants.push(partOf(new URLSearchParams(String(form)).get('assertion') ?? '', 1).iss) - 1
    const decision = decideGrant(n, deadlineMs)
    return { decide: () => decision, heard: onGrant }
  }

  function decideGrant(n: number, deadlineMs: number): Decision {
    const weather = weatherOf('fcm')
    const dice = weather === 'fair' ? 1 : chance('grant', n)
    const bad = weather === 'away' ? 0.8 : 0.1
    if (dice < bad / 4) return { answer: { kind: 'failed', reason: 'deadline', sent: 'unknown' }, afterMs: deadlineMs }
    if (dice < bad / 2) return { answer: { kind: 'failed', reason: 'ECONNREFUSED', sent: 'no' }, afterMs: 5 }
    const status = dice < bad * 0.9 ? 503 : dice < bad ? 400 : 200
    const body =
      status === 200
        ? { access_token: `token-${n}`, expires_in: 3600, token_type: 'Bearer' }
        : status === 400
          ? { error: 'invalid_grant', error_description: pick(GRANT_REFUSALS, chance('grant refused', n)) }
          : { error: 'backend_error' }
    return {
      answer: { kind: 'answer', status, header: () => null, body: JSON.stringify(body) },
      afterMs: 20 + dice * 100,
    }
  }

  return (origin, request, deadlineMs) =>
    origin === ORIGINS.token ? grant(request, deadlineMs) : notify(origin, request, deadlineMs)
}

/** Of a JSON web token (RFC 7515, 7.1): 0 is the header, 1 the claims. */
function partOf(jwt: string | undefined, nth: number): any {
  return JSON.parse(Buffer.from(jwt?.split('.')[nth] ?? '', 'base64url').toString() || '{}')
}

type Read = Omit<Arrival, keyof Owner>

interface Payload {
  /** The call that asked for it. */
  readonly n: number
  readonly bellhop: { readonly push: string }
}

function readApns({ path, headers: shared, own, body }: TransportRequest, isSandbox: boolean): Read {
  const headers: TransportRequest['headers'] = { ...shared, ...(own && { [own[0]]: own[1] }) }
  const { 'apns-id': id, 'apns-collapse-id': collapseId } = headers
  // Repeats could not be judged otherwise.
  if (id === undefined || collapseId === undefined) throw new Error(`${path}: no apns-id, or no apns-collapse-id`)
  const { aps, n, bellhop } = JSON.parse(String(body)) as { aps: { alert: string; badge?: number } } & Payload
  return {
    gateway: 'apns',
    environment: isSandbox ? 'sandbox' : 'production',
    service: null,
    pair: null,
    token: path.slice('/3/device/'.length),
    push: n,
    id: bellhop.push,
    identity: `${id} ${collapseId}`,
    collapse: collapseId,
    topic: null,
    text: aps.alert,
    badge: aps.badge ?? null,
  }
}

function readFcm({ body }: TransportRequest): Read {
  const { message } = JSON.parse(String(body)) as {
    message: {
      token: string
      data: { n: string; badge?: string; bellhop: string }
      notification?: { body: string }
      android?: { notification?: { tag: string; notification_count?: number } }
      /** For an iPhone. */
      apns?: {
        headers: Record<'apns-collapse-id' | 'apns-push-type', string>
        payload: { aps: { alert?: string; badge?: number } }
      }
    }
  }
  const { token, data, android, apns } = message
  const isShown = apns === undefined ? android?.notification !== undefined : apns.headers['apns-push-type'] === 'alert'
  const tag = isShown ? (android?.notification?.tag ?? apns?.headers['apns-collapse-id'] ?? '') : ''
  const shown = android?.notification?.notification_count ?? apns?.payload.aps.badge
  return {
    gateway: 'fcm',
    environment: null,
    service: null,
    pair: null,
    token,
    push: Number(data.n),
    id: (JSON.parse(data.bellhop) as Payload['bellhop']).push,
    identity: tag,
    collapse: tag,
    topic: null,
    text: message.notification?.body ?? apns?.payload.aps.alert ?? '',
    badge: shown ?? (data.badge === undefined ? null : Number(data.badge)),
  }
}

function readWebPush({ path, body, headers }: TransportRequest, service: PushService): Read {
  const token = `${PUSH_SERVICES[service]}${path}`
  const opened = openFor(token, Buffer.from(body))
  if (opened === null) throw new Error(`${token} cannot read what it gets`)
  const { notification, app_badge: badge = null } = JSON.parse(opened.text) as {
    notification: { tag: string; title: string; data: Payload }
    app_badge?: number
  }
  const { tag, data, title } = notification
  return {
    gateway: 'webpush',
    environment: null,
    service,
    pair: opened.pair,
    token,
    push: data.n,
    id: data.bellhop.push,
    identity: tag,
    collapse: tag,
    topic: headers['topic'] ?? null,
    text: title,
    badge,
  }
}
