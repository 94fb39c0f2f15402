import { systemClock } from '../../../src/clock.ts'
import { createFcmProvider } from '../../../src/gateway/fcm/client.ts'
import type { Recipient } from '../../../src/gateway/gateway.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import type { Notification } from '../../../src/notification/notification.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { GatewayHandler, GatewayReply } from '../../support/gateway.ts'
import { MESSAGE, outcomeOf } from '../outcome.ts'
import { ACCOUNT } from './account.ts'

export const TAKEN: GatewayReply = { status: 200, body: '{"name":"projects/example-project/messages/0:1"}' }

const FCM_V1 = 'type.googleapis.com/google.firebase.fcm.v1.'
export const fcmError = (errorCode: string) => ({ '@type': `${FCM_V1}FcmError`, errorCode })
export const apnsError = (statusCode: number, reason: string) => ({
  '@type': `${FCM_V1}ApnsError`,
  statusCode,
  reason,
})

export function refusal(status: number, name: string, message: string, ...details: object[]): GatewayReply {
  const error = { code: status, message, status: name, ...(details.length > 0 && { details }) }
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: `${JSON.stringify({ error }, null, 2)}\n`,
  }
}

/** A provider with its clock and its two gateways: FCM, and Google's token endpoint. */
export async function startFirebase(handler: GatewayHandler, said: Partial<Notification> = {}) {
  const clock = createFakeClock()
  const fcm = await startGateway(handler)
  let granted = 0
  const google = await startGateway(() => {
    return { status: 200, body: `{"access_token":"token-${++granted}","expires_in":3599}` }
  })
  const iphones: [number, string][] = []
  const indexed: (boolean | undefined)[] = []
  const provider = createFcmProvider({
    credential: ACCOUNT,
    origin: fcm.origin,
    tokenUrl: `${google.origin}/token`,
    ca: fcm.ca,
    openTransport: (origin, options) => {
      indexed.push(options.indexesAuthorization)
      return h2Transport(systemClock, null)(origin, options)
    },
    clock,
    onIphone: (device, token) => iphones.push([device, token]),
  })
  const message = {
    ...MESSAGE,
    notification: { ...MESSAGE.notification, ...said },
    expiresAt: clock.now() + 3_600_000,
  }
  const phone: Recipient = { device: 42, token: 'dGVzdA:APA91b', environment: null, badge: null }
  return {
    clock,
    fcm,
    google,
    iphones,
    indexed,
    send: (recipient: Partial<Recipient> = {}, mayGo = () => true) =>
      outcomeOf(provider, message, { ...phone, ...recipient }, mayGo),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await Promise.all([fcm[Symbol.asyncDispose](), google[Symbol.asyncDispose]()])
    },
  }
}
