import { expect } from 'bun:test'
import type { Caller } from './caller.ts'
import { until } from './until.ts'

export type Departure = 'gone' | 'quarantined'

/** iOS tokens that order their end of the built-in APNs (src/gateway/simulator/apns/apns-magic-tokens.ts). */
export const TOKEN_OF: Readonly<Record<Departure, string>> = {
  gone: 'bad41000'.padEnd(64, 'c'),
  quarantined: 'bad40000'.padEnd(64, 'c'),
}

/** What the gateway says of such a token. */
export const REASON_OF: Readonly<Record<Departure, string>> = { gone: 'Unregistered', quarantined: 'BadDeviceToken' }

const NEIGHBOUR = { token: 'ab'.repeat(32), platform: '0' }

/**
 * Brings the device of that token, which must be registered, into that state as it happens in life: by a push, which
 * another device takes, so that nothing speaks against the credential. The other one is unregistered afterwards.
 */
export async function depart(caller: Caller, state: Departure): Promise<void> {
  const token = TOKEN_OF[state]
  await caller.register(NEIGHBOUR)
  const push = { platform: ['0'], msg: 'Hello', sound: '', badge: '' }
  expect(await caller.post('/push/all', push)).toMatchObject({ status: 200 })
  let reason: string | undefined
  await until(async () => {
    const { body } = await caller.get('/feedback')
    reason = body.find((one: { token: string }) => one.token === token)?.reason
    return reason !== undefined
  })
  expect(reason).toBe(REASON_OF[state])
  expect(await caller.put('/deviceToken/del', NEIGHBOUR)).toMatchObject({ status: 200 })
}
