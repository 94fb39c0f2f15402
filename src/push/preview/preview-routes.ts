import { Elysia } from 'elysia'
import type { Application } from '../../application/application.ts'
import type { Audience } from '../../audience/filter.ts'
import { audienceOfOne, narrowed, NO_DEVICE } from '../../audience/named-devices.ts'
import type { Clock } from '../../clock.ts'
import type { DeviceStore } from '../../device/device-store.ts'
import { Refused } from '../../failure.ts'
import { described } from '../../http/endpoint.ts'
import type { Gate } from '../../http/gate.ts'
import type { Counting } from '../counting.ts'
import { pushBodies } from '../push-schema.ts'
import type { Pushing } from '../pushing.ts'
import { PREVIEW, previewBody } from './preview-schema.ts'
import type { PushBody } from './preview-schema.ts'

interface Dependencies {
  readonly gate: Gate
  readonly clock: Pick<Clock, 'now'>
  readonly counting: Counting
  readonly devices: Pick<DeviceStore, 'idsOf'>
  readonly pushing: Pick<Pushing, 'preview' | 'reach'>
  readonly compat?: boolean
}

export function previewRoutes({ gate, clock, counting, devices, pushing, compat = false }: Dependencies) {
  const previewed = previewBody(pushBodies({ compat }))

  function audienceOf(application: Application, body: PushBody): Audience {
    if (!('filter' in body)) {
      const one = audienceOfOne(devices, application.number, body)
      if (one === null) throw new Refused(NO_DEVICE)
      return one
    }
    return {
      filter: {
        ...narrowed(devices, application.number, pushing.reach(application, body.filter), body.tokens),
        asOf: clock.now(),
      },
    }
  }

  return new Elysia({ name: 'preview-routes' }).use(gate.plugin).post(
    '/push/preview',
    ({ body, application, request }) => {
      const audience = audienceOf(application, body)
      return counting(application.number, request.signal, (signal) =>
        pushing.preview(application, audience, body.notification, body.when, signal),
      )
    },
    described({
      tag: 'Pushes',
      summary: 'Preview a push',
      description:
        'Takes the body of `/push/all`, or with a `token` that of `/push/one`, and is refused like it. Sends and stores nothing. `t` devices would be addressed now; up to 5 of each platform are shown. `apns` and `fcm` are the requests for the first of them, for a made-up token where there is none, and null for a platform that the push does not go to; `webpush` is there where it goes to browsers. Zeros stand for the id of the push. Of `bytes` the gateways allow 4096, without the token. Two at a time for an application, eight more wait; one that takes longer than 60 seconds is 429 too.',
      secret: true,
      body: previewed,
      example: { platform: ['0', '1'], msg: 'Hello', sound: 'default', badge: '+1', tags: ['beta'] },
      answers: {
        200: { description: 'What would be sent, and to whom.', schema: PREVIEW },
      },
      failures: { 404: 'ResourceNotFound: no such device is registered.', 409: 'MissingParameter' },
    }),
  )
}
