import type { SecureClientSessionOptions } from 'node:http2'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { connectTo } from './http2-client.ts'
import type { Client, NoReply, Reply } from './http2-client.ts'
import { grantForm, providerToken, readAccount } from './signing.ts'

/** Resolves once the next request was decided on, whatever is then done with it. */
export function nextArrival(simulator: Simulator): Promise<void> {
  return new Promise((resolve) => {
    const stop = simulator.onArrival(() => {
      stop()
      resolve()
    })
  })
}

export interface ApnsSender extends AsyncDisposable {
  readonly client: Client
  /** What a sender in order would send; `headers` replace its own, and `undefined` leaves one out. */
  push(token: string, headers?: Readonly<Record<string, string | undefined>>, body?: string): Promise<Reply | NoReply>
}

/** A connection to APNs with an application's own key; `at`: when its provider token was issued. */
export async function apnsSender(
  simulator: Simulator,
  at: number,
  { origin = simulator.apnsUrl, application = 'app', ...tls }: ApnsSenderOptions = {},
): Promise<ApnsSender> {
  const { apnsKey } = simulator.issue(application)
  const client = await connectTo(origin, { ca: simulator.ca, ...tls })
  return {
    client,
    push(token, headers = {}, body = '{"aps":{"alert":"Hi"}}') {
      const all = {
        ':method': 'POST',
        ':path': `/3/device/${token}`,
        authorization: providerTokenOf(apnsKey, at),
        'apns-topic': apnsKey.topic,
        'apns-push-type': 'alert',
        ...headers,
      }
      return client.send(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), body)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

interface ApnsSenderOptions extends SecureClientSessionOptions {
  readonly origin?: string
  readonly application?: string
}

/** Two signatures of the same text differ, and a second token would be one too many. */
const signed = new Map<string, string>()
function providerTokenOf(key: Parameters<typeof providerToken>[0], at: number): string {
  const name = `${key.keyId} ${at} ${key.p8}`
  const token = signed.get(name) ?? providerToken(key, at)
  signed.set(name, token)
  return token
}

export interface FcmSender extends AsyncDisposable {
  readonly client: Client
  readonly projectId: string
  readonly accessToken: string
  /** Sends what is inside `message`. */
  push(message: object, headers?: Readonly<Record<string, string>>): Promise<Reply | NoReply>
}

/** A connection to FCM with an access token just fetched; `at`: the simulator's time. */
export async function fcmSender(simulator: Simulator, at: number, application = 'app'): Promise<FcmSender> {
  const { serviceAccount } = simulator.issue(application)
  const { project_id: projectId } = readAccount(serviceAccount)
  const body = grantForm(serviceAccount, at)
  const response = await fetch(simulator.fcmTokenUrl, { method: 'POST', body, tls: { ca: simulator.ca } })
  const { access_token: accessToken } = (await response.json()) as { readonly access_token: string }
  const client = await connectTo(simulator.fcmUrl, { ca: simulator.ca })
  return {
    client,
    projectId,
    accessToken,
    push(message, headers = {}) {
      const own = {
        ':method': 'POST',
        ':path': `/v1/projects/${projectId}/messages:send`,
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
      }
      return client.send({ ...own, ...headers }, JSON.stringify({ message }))
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
