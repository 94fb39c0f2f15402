import { createECDH } from 'node:crypto'
import type { AnyElysia } from 'elysia'
import type { Clock } from '../../../src/clock.ts'
import type { KeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'
import type { OpenTransport } from '../../../src/gateway/transport/transport.ts'
import { createLog } from '../../../src/log.ts'
import type { Overrides } from '../../../src/server/overrides.ts'
import { createServer } from '../../../src/server/server.ts'
import { parseConfig } from '../../../src/settings/parse.ts'
import type { Config } from '../../../src/settings/parse.ts'
import { readSystemFile } from '../../../src/system/read-file.ts'
import type { Post } from '../../../src/webhook/post.ts'
import { PUSH_SERVICES } from './browsers.ts'
import { ORIGINS } from './gateways.ts'
import { sharedApi } from './shared-api.ts'
import type { Caller } from './template.ts'

export interface Answer {
  readonly status: number
  /** Parsed if JSON. */
  readonly body: any
}

export interface ServiceCall {
  /** A string: an administrator's token, for the admin API. */
  readonly caller: Caller | string
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Service {
  call(call: ServiceCall): Promise<Answer>
  /** Like SIGTERM: resolves when everything is stored. */
  stop(): Promise<void>
  /** Another process's command has committed. */
  changed(): void
  /** Resolves when it cannot go on. */
  readonly broken: Promise<{ readonly message: string }>
}

interface Options {
  readonly data: string
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly openTransport: OpenTransport
  readonly post: Post
  readonly sync: NonNullable<Overrides['sync']>
  readonly checkpoints: NonNullable<Overrides['checkpoints']>
  readonly onLog: (line: string) => void
}

/** Of all services, without the data directory. */
const CONFIG = settings()

function settings(): Config {
  const read = parseConfig(
    [
      '--docs=off',
      `--apns-url=${ORIGINS.production}`,
      `--apns-sandbox-url=${ORIGINS.sandbox}`,
      `--fcm-url=${ORIGINS.fcm}`,
      `--fcm-token-url=${ORIGINS.token}/token`,
      ...Object.values(PUSH_SERVICES).map((origin) => `--push-services=${origin}`),
    ],
    {},
    readSystemFile,
  )
  if (read.kind === 'problems') throw new Error(read.problems.join('; '))
  return read.config
}

const keyAgreement = agreeByOnePair()

/** The whole service, from request handler to gateway clients and SQLite, without sockets. */
export async function startService(options: Options): Promise<Service> {
  const { data, clock, random, openTransport, post, sync, checkpoints, onLog } = options
  const config: Config = { ...CONFIG, data }
  const apps: (() => AnyElysia)[] = []
  const calls = new Set<Promise<Response>>()
  const server = await createServer(config, {
    clock,
    random,
    openTransport,
    keyAgreement,
    post,
    sync,
    checkpoints,
    disk: () => null,
    publicApi: sharedApi,
    log: createLog('warn', clock.now, onLog),
    listen(appOf) {
      apps.push(appOf)
      // Answers calls under way, as sockets do.
      const stop = async () => void (await Promise.allSettled(calls))
      return { url: 'http://localhost', renew: () => undefined, stop, abort: () => undefined }
    },
  })
  const [apiOf, adminApiOf] = apps
  if (apiOf === undefined || adminApiOf === undefined) throw new Error('nothing listens')
  const api = apiOf()

  return {
    broken: server.broken,
    changed: () => server.changed(),
    stop: () => Promise.resolve(server[Symbol.asyncDispose]()),
    async call({ caller, method, path, body, headers = {} }) {
      const text = body === undefined ? null : JSON.stringify(body)
      const isAdmin = typeof caller === 'string'
      const answering = (isAdmin ? adminApiOf() : api).fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: {
            ...(isAdmin ? { authorization: `Bearer ${caller}` } : headersOf(caller)),
            ...(text !== null && { 'content-type': 'application/json', 'content-length': String(text.length) }),
            ...headers,
          },
          body: text,
        }),
      )
      const called = Promise.resolve(answering)
      calls.add(called)
      const response = await called.finally(() => calls.delete(called))
      const answer = await response.text()
      return {
        status: response.status,
        body: answer.startsWith('{') || answer.startsWith('[') ? JSON.parse(answer) : answer,
      }
    },
  }
}

function headersOf({ id, secret }: Caller): Record<string, string> {
  return { 'accept-version': '1', 'x-service-appid': id, 'x-service-secret': secret }
}

/**
 * In place of the service's agreements, which come from another thread: one key pair for all messages, and cached
 * secrets, since computing takes 0.1 ms.
 */
function agreeByOnePair(): KeyAgreement {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(new Bun.CryptoHasher('sha256').update('the one pair').digest())
  const publicKey = pair.getPublicKey()
  const secrets = new Map<string, Uint8Array>()

  function secretWith(receiver: Uint8Array): Uint8Array {
    const name = Buffer.from(receiver).toString('base64')
    let secret = secrets.get(name)
    if (secret === undefined) secrets.set(name, (secret = pair.computeSecret(receiver)))
    return secret
  }

  return {
    agree: (receiver, onAgreed) => queueMicrotask(() => onAgreed({ publicKey, secret: secretWith(receiver) })),
    [Symbol.dispose]: () => undefined,
  }
}
