import type { Application } from '../../application/application.ts'
import type { createAudienceCount, createLocaleCount } from '../../audience/audience-count.ts'
import type { Audience } from '../../audience/filter.ts'
import type { Clock } from '../../clock.ts'
import { applyBadge } from '../../device/badge.ts'
import { platformOnWire } from '../../device/device-record.ts'
import type { Platform } from '../../device/device.ts'
import type { Recipient } from '../../gateway/gateway.ts'
import { previewApns, previewFcm, previewWebPush } from '../../gateway/preview.ts'
import type { ApnsIdentity } from '../../gateway/preview.ts'
import { messageBytes } from '../../gateway/webpush/encryption.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { inLanguage, languageChoice, languagesOf } from '../../notification/languages.ts'
import { NO_ID, timeToLiveMs } from '../../notification/notification.ts'
import type { Message, Notification } from '../../notification/notification.ts'
import type { ScheduleStore } from '../schedule/schedule-store.ts'
import { momentsOf } from '../schedule/timing-schema.ts'
import type { When } from '../schedule/timing-schema.ts'
import type { PREVIEW } from './preview-schema.ts'
import type { createSampler, SampleDevice } from './preview-store.ts'
import { PLATFORM, platformOfProvider, PLATFORMS } from '../../platform.ts'
import type { ProviderName } from '../../platform.ts'

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly count: ReturnType<typeof createAudienceCount>
  readonly countLocales: ReturnType<typeof createLocaleCount>
  readonly sample: ReturnType<typeof createSampler>
  readonly passedZones: ScheduleStore['passedZones']
  readonly prepared: (application: Application, wanted: Notification, platforms: readonly Platform[]) => Notification
  readonly apnsIdentity: (application: Application) => ApnsIdentity | null
}

export type Preview = AnswerOf<typeof PREVIEW>

const SAMPLES = 5

/** Throws `Refused` for a push that is too large, and the reason of `signal` once that aborts. */
export function createPreview(deps: Dependencies) {
  const { clock, count, countLocales, sample, prepared, apnsIdentity } = deps
  return async function preview(
    application: Application,
    audience: Audience,
    wanted: Notification,
    when: When,
    signal?: AbortSignal,
  ): Promise<Preview> {
    const platforms = 'filter' in audience ? audience.filter.platforms : [audience.platform]
    const notification = prepared(application, wanted, platforms)
    const now = clock.now()
    const holdMs = 'filter' in audience ? application.limits.holdSeconds * 1000 : 0
    const [moment = now] = momentsOf(when, now, holdMs)
    // By local time as if that was now.
    const sentAt = when.kind === 'local' ? now : moment
    const counts: Partial<Record<Platform, number>> = {}
    for (const platform of PLATFORMS) if (!PLATFORM[platform].isOptional) counts[platform] = 0
    const samples: SampleDevice[] = []
    for (const platform of platforms) {
      const found =
        'filter' in audience
          ? await count(application.number, { ...audience.filter, platforms: [platform] }, signal)
          : 1
      // Clients may not know optional platforms: they are named only if they have devices.
      if (!PLATFORM[platform].isOptional || found > 0) counts[platform] = found
      if (found > 0)
        samples.push(...(await sample(application.number, audience, platform, Math.min(found, SAMPLES), signal)))
    }

    const passed = when.kind === 'local' ? deps.passedZones(application.number, when.wall, now) : []
    const choose = languageChoice(notification)
    const firstOf = (platform: Platform) => samples.find((one) => one.platform === platform)
    const languageOf = (of: ProviderName) => choose?.(firstOf(platformOfProvider(of))?.locale ?? null) ?? null
    const messageIn = (language: string | null): Message => ({
      push: NO_ID,
      notification: inLanguage(notification, language),
      expiresAt: sentAt + timeToLiveMs(notification),
    })
    const isTo = (of: ProviderName) => platforms.includes(platformOfProvider(of))
    const to = (of: ProviderName) => recipientOf(firstOf(platformOfProvider(of)), platformOfProvider(of), notification)
    const apnsIn = (language: string | null) =>
      isTo('apns') ? previewApns(messageIn(language), to('apns'), apnsIdentity(application)) : null
    const fcmIn = (language: string | null) => (isTo('fcm') ? previewFcm(messageIn(language), to('fcm'), sentAt) : null)
    const webPushIn = (language: string | null) =>
      isTo('webpush') ? previewWebPush(messageIn(language), to('webpush'), sentAt) : null
    const apns = apnsIn(languageOf('apns'))
    const fcm = fcmIn(languageOf('fcm'))
    const webPush = webPushIn(languageOf('webpush'))
    const byLanguage =
      choose === null
        ? null
        : 'filter' in audience
          ? await countLocales(application.number, audience.filter, choose, signal)
          : new Map([[choose(samples[0]?.locale ?? null), 1]])
    return {
      t: Object.values(counts).reduce((sum, one) => sum + one, 0),
      platforms: counts,
      ...(passed.length > 0 && { passed }),
      sample: samples.map(({ token, platform, alias }) => ({ token, platform: platformOnWire(platform), alias })),
      apns: apns && { headers: apns.headers, ...measured(apns.body) },
      fcm: fcm === null ? null : measured(fcm),
      ...(webPush !== null && { webpush: { headers: webPush.headers, ...encrypted(webPush.body) } }),
      ...(byLanguage !== null && {
        languages: languagesOf(notification).map((language) => {
          const [onApns, onFcm, onWeb] = [apnsIn(language), fcmIn(language), webPushIn(language)]
          return {
            language,
            t: byLanguage.get(language) ?? 0,
            apns: onApns && measured(onApns.body),
            fcm: onFcm === null ? null : measured(onFcm),
            webpush: onWeb === null ? undefined : encrypted(onWeb.body),
          }
        }),
      }),
    }
  }
}

function recipientOf(sample: SampleDevice | undefined, platform: Platform, { badge }: Notification): Recipient {
  return {
    device: sample?.id ?? 0,
    token: sample?.token ?? PLATFORM[platform].madeUpToken,
    environment: null,
    badge: badge === null ? null : applyBadge(badge, sample?.badge ?? 0),
    fcmPlatform: sample?.fcmPlatform ?? null,
  }
}

/** The body before encryption, with its size after it. */
function encrypted(text: string): { readonly body: object; readonly bytes: number } {
  const { body, bytes } = measured(text)
  return { body, bytes: messageBytes(bytes) }
}

function measured(body: string): { readonly body: object; readonly bytes: number } {
  return { body: JSON.parse(body) as object, bytes: Buffer.byteLength(body) }
}
