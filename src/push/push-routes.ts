import { Elysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { DeviceStore } from '../device/device-store.ts'
import type { Platform } from '../device/device.ts'
import { failure, Refused } from '../failure.ts'
import { EXAMPLE_TOKEN } from '../http/common-fields.ts'
import { endpoint } from '../http/endpoint.ts'
import type { Gate } from '../http/gate.ts'
import { PushToAll, PushToOne } from './push-schema.ts'
import type { PushStore } from './push-store.ts'
import type { Audience, Notification } from './push.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly clock: Clock
  readonly pushes: PushStore
  readonly devices: Pick<DeviceStore, 'idOf'>
  /** Bytes of the notification as the gateway of each platform would get it. */
  readonly sizeOf: Readonly<Record<Platform, (notification: Notification) => number>>
  /** Tells the delivery that there is something to send. */
  readonly wake: (application: number) => void
}

/** Apple: "Generating a remote notification"; Google: FCM messages. Both 4096 bytes. */
const MAX_RENDERED_BYTES = 4096

/** How long a push that could not be delivered is tried, and kept by the gateway for a phone that is off. */
const TIME_TO_LIVE_MS = 24 * 60 * 60 * 1000

const GATEWAY: Readonly<Record<Platform, string>> = { 0: 'APNs', 1: 'FCM' }

const QUEUED = {
  200: {
    description: 'Stored durably, and about to be sent.',
    example: { message: 'Queued', id: '019a9f7e-3c1b-7000-8000-000000000000' },
  },
}

/** Endpoints 11 and 12. */
export function pushRoutes({ gate, commit, clock, pushes, devices, sizeOf, wake }: Dependencies) {
  /** Runs in the commit: `address` may look at the registry, and throw `Refused`. */
  async function queue(application: number, notification: Notification, address: () => Audience) {
    const id = Bun.randomUUIDv7()
    const createdAt = clock.now()
    await commit(() => {
      const audience = address()
      pushes.accept(application, { id, notification, audience, createdAt, expiresAt: createdAt + TIME_TO_LIVE_MS })
    })
    wake(application)
    return { message: 'Queued', id }
  }

  function checkSize(notification: Notification, platforms: readonly Platform[]): void {
    const sizes = platforms.map((platform) => ({ platform, bytes: sizeOf[platform](notification) }))
    if (sizes.every(({ bytes }) => bytes <= MAX_RENDERED_BYTES)) return
    const given = sizes.map(({ platform, bytes }) => `${bytes} bytes for ${GATEWAY[platform]}`).join(', ')
    throw new Refused(
      failure(
        'InvalidArgument',
        `msg, sound and payload are too large: ${given}; at most ${MAX_RENDERED_BYTES} are allowed.`,
      ),
    )
  }

  return new Elysia({ name: 'push-routes' })
    .use(gate.plugin)
    .post(
      '/push/all',
      ({ body: { filter, notification }, application }) => {
        checkSize(notification, filter.platforms)
        return queue(application.number, notification, () => ({ filter }))
      },
      {
        body: PushToAll,
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Push to all devices, or to those that match',
          description:
            'Without a filter field (tags … except_alias) a broadcast: `platform`, `msg`, `sound` and `badge` are required. With one, only something to send is. Filters narrow together; an empty audience is 200.',
          secret: true,
          body: PushToAll,
          example: {
            platform: ['0', '1'],
            msg: 'Hello',
            sound: 'default',
            badge: '+1',
            tags: ['beta'],
            payload: { article: 17 },
          },
          answers: QUEUED,
          failures: { 409: 'MissingParameter' },
        }),
      },
    )
    .post(
      '/push/one',
      ({ body: { platform, token, notification }, application }) => {
        checkSize(notification, [platform])
        return queue(application.number, notification, () => {
          const device = devices.idOf(application.number, platform, token)
          if (device === null) throw new Refused(failure('ResourceNotFound', 'No device found'))
          return { device, platform }
        })
      },
      {
        body: PushToOne,
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Push to one device',
          secret: true,
          body: PushToOne,
          example: { platform: '0', token: EXAMPLE_TOKEN, msg: 'Hello', sound: 'default', badge: '1' },
          answers: QUEUED,
          failures: { 404: 'ResourceNotFound: no such device is registered.', 409: 'MissingParameter' },
        }),
      },
    )
}
