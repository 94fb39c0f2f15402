import { expect } from 'bun:test'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { arrivalsAt, withoutPushId } from './arrivals.ts'
import { newCaller } from './caller.ts'
import type { Answer, Service } from './service.ts'

export type Device = Readonly<Record<'platform' | 'token', string>>

/** The two endpoints that push. */
export const PUSH_PATHS = ['/push/one', '/push/all'] as const

export type PushPath = (typeof PUSH_PATHS)[number]

/** An application with a device of its own for each push, by whose token the arrival is known. */
export function newPushTarget(service: Service) {
  const caller = newCaller(service)
  let devices = 0

  /** Addresses that device alone, whichever the endpoint. */
  function push(path: PushPath, { platform, token }: Device, content: object): Promise<Answer> {
    const address = path === '/push/one' ? { platform, token } : { platform, tags: token }
    return caller.post(path, { ...address, ...content })
  }

  return {
    caller,
    push,

    async newDevice(platform: string, badge = 0): Promise<Device> {
      const number = ++devices
      const device = { platform, token: platform === '0' ? number.toString(16).padStart(64, '0') : `phone:${number}` }
      await caller.register({ ...device, tag: device.token })
      expect(await caller.put('/badge', { ...device, setbadgecount: badge })).toMatchObject({ status: 200 })
      return device
    },

    /**
     * Pushes to a device, for the first time, and waits for what arrives; the gateway must have taken it, with the id
     * of the push, which is then left out of the body.
     */
    async arrivalAt(path: PushPath, device: Device, content: object): Promise<ReceivedPush> {
      const accepted = await push(path, device, content)
      expect(accepted).toMatchObject({ status: 200 })
      const [arrival] = await arrivalsAt(await service.server.simulator(), 1, ({ token }) => token === device.token)
      if (arrival === undefined) throw new Error('nothing arrived')
      expect(arrival).toMatchObject({ status: 200, reason: null })
      return { ...arrival, body: withoutPushId(arrival.body, accepted.body.id) }
    },
  }
}
