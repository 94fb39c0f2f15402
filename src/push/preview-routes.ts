import { Elysia } from 'elysia'
import type { Application } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Message, Recipient } from '../delivery/delivery.ts'
import type { PreviewedRequest } from '../delivery/preview.ts'
import type { DeviceStore } from '../device/device-store.ts'
import type { Platform } from '../device/device.ts'
import { failure, Refused } from '../failure.ts'
import { endpoint } from '../http/endpoint.ts'
import type { Gate } from '../http/gate.ts'
import type { When } from './life-schema.ts'
import { NO_ID, PREVIEW_EXAMPLE, PreviewPush } from './preview-schema.ts'
import type { PushBody } from './preview-schema.ts'
import type { Sample } from './preview-store.ts'
import { applyBadge, timeToLiveMs } from './push.ts'
import type { Audience, Filter, Notification } from './push.ts'
import type { CheckSize } from './rendered-size.ts'

interface Dependencies {
  readonly gate: Gate
  readonly clock: Clock
  readonly devices: Pick<DeviceStore, 'idOf'>
  readonly checkSize: CheckSize
  /** How many devices a filter selects now. */
  readonly count: (application: number, filter: Filter) => Promise<number>
  /** The first devices of an audience. */
  readonly sample: (application: number, audience: Audience, platform: Platform, limit: number) => Promise<Sample[]>
  readonly render: {
    readonly apns: (application: Application, message: Message, recipient: Recipient) => PreviewedRequest
    /** At `now`, ms since the Unix epoch. */
    readonly fcm: (message: Message, recipient: Recipient, now: number) => string
  }
}

/** Devices shown of each platform. */
const SAMPLES = 5

/** Whom the bodies are for where a platform has nobody. */
const MADE_UP: Readonly<Record<Platform, string>> = { 0: '0'.repeat(64), 1: 'registration-id' }

/** POST /push/preview. */
export function previewRoutes({ gate, clock, devices, checkSize, count, sample, render }: Dependencies) {
  async function preview(application: Application, audience: Audience, notification: Notification, when: When) {
    const platforms = 'filter' in audience ? audience.filter.platforms : [audience.platform]
    checkSize(notification, platforms)
    const counts: Record<Platform, number> = { 0: 0, 1: 0 }
    const samples: Sample[] = []
    for (const platform of platforms) {
      counts[platform] =
        'filter' in audience ? await count(application.number, { ...audience.filter, platforms: [platform] }) : 1
      if (counts[platform] === 0) continue
      samples.push(...(await sample(application.number, audience, platform, Math.min(counts[platform], SAMPLES))))
    }

    const sentAt = momentOf(when, clock.now())
    const message = { push: NO_ID, notification, expiresAt: sentAt + timeToLiveMs(notification) }
    const to = (platform: Platform) =>
      recipientOf(
        samples.find((one) => one.platform === platform),
        platform,
        notification,
      )
    const apns = platforms.includes(0) ? render.apns(application, message, to(0)) : null
    const fcm = platforms.includes(1) ? render.fcm(message, to(1), sentAt) : null
    return {
      t: counts[0] + counts[1],
      platforms: counts,
      sample: samples.map(({ token, platform, alias }) => ({ token, platform: String(platform), alias })),
      apns: apns && { headers: apns.headers, ...measured(apns.body) },
      fcm: fcm && measured(fcm),
    }
  }

  function audienceOf(application: number, body: PushBody): Audience {
    if ('filter' in body) return { filter: { ...body.filter, asOf: clock.now() } }
    const { platform, token } = body
    const device = devices.idOf(application, platform, token)
    if (device === null) throw new Refused(failure('ResourceNotFound', 'No device found'))
    return { device, platform }
  }

  return new Elysia({ name: 'preview-routes' })
    .use(gate.plugin)
    .post(
      '/push/preview',
      ({ body, application }) =>
        preview(application, audienceOf(application.number, body), body.notification, body.when),
      {
        body: PreviewPush,
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Preview a push',
          description:
            'Takes the body of `/push/all`, or with a `token` that of `/push/one`, and is refused like it. Sends nothing and stores nothing. `t` devices would be addressed now; up to 5 of each platform are shown. `apns` and `fcm` are the requests for the first of them, for a made-up token where there is none, and null for a platform that the push does not go to. Zeros stand for the id of the push. Of `bytes` the gateways allow 4096, without the token.',
          secret: true,
          body: PreviewPush,
          example: { platform: ['0', '1'], msg: 'Hello', sound: 'default', badge: '+1', tags: ['beta'] },
          answers: { 200: { description: 'What would be sent, and to whom.', example: PREVIEW_EXAMPLE } },
          failures: { 404: 'ResourceNotFound: no such device is registered.', 409: 'MissingParameter' },
        }),
      },
    )
}

/** When it would go out, ms since the Unix epoch; by local time, as if that was now. */
function momentOf(when: When, now: number): number {
  if (when.kind === 'at') return Math.max(when.at, now)
  return when.kind === 'in' ? now + when.delayMs : now
}

function recipientOf(sample: Sample | undefined, platform: Platform, { badge }: Notification): Recipient {
  return {
    device: sample?.id ?? 0,
    token: sample?.token ?? MADE_UP[platform],
    environment: null,
    badge: badge === null ? null : applyBadge(badge, sample?.badge ?? 0),
  }
}

function measured(body: string): { readonly body: unknown; readonly bytes: number } {
  return { body: JSON.parse(body) as unknown, bytes: Buffer.byteLength(body) }
}
