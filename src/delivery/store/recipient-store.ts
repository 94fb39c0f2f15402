import { audiencePages } from '../../audience/audience.ts'
import type { AudienceRow } from '../../audience/audience.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, device as deviceTable } from '../../database/schema.ts'
import { fcmPlatformOf, storedEnvironment } from '../../device/device-row.ts'
import { unpackToken } from '../../device/device.ts'
import type { Platform } from '../../device/device.ts'
import { createDeviceKeys } from '../../device/webpush/device-key-store.ts'
import { languageChoice } from '../../notification/languages.ts'
import type { ChooseLanguage } from '../../notification/languages.ts'
import type { Notification } from '../../notification/notification.ts'
import type { PlatformTable } from '../../platform.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import type { OpenDelivery, PageRow, RecipientPage } from './open-delivery.ts'

type DeviceRow = Pick<StoredRow<typeof deviceTable>, 'token' | 'environment' | 'badge'> & {
  /** Not read for a notification in one language. */
  readonly locale?: string | null
  readonly fcm_platform?: 0 | 1 | null
}

type FoundRow = DeviceRow & Pick<StoredRow<typeof deviceTable>, 'platform'>

export function createRecipientStore({ database, platforms }: { database: Database; platforms: PlatformTable }) {
  const device = database.statement<FoundRow, [number]>(
    'SELECT platform, token, environment, badge, locale, fcm_platform FROM device WHERE id = ? AND state = 0',
  )
  const keysOf = createDeviceKeys((sql) => database.statement(sql))
  const badges = database.statement<{ id: number; badge: number }, [ids: string]>(
    'SELECT id, badge FROM device WHERE id IN (SELECT value FROM json_each(?))',
  )
  const tokenOf = database.statement<Pick<DeviceRow, 'token'>, [device: number]>(
    'SELECT token FROM device WHERE id = ?',
  )

  /** Pages and counts do bounded work and return how far they came: only to `after` while users are looked up. */
  function recipients(delivery: OpenDelivery) {
    const { audience, ceiling, application, platform, notification } = delivery
    if ('device' in audience) return single(audience.device)
    const choose = languageChoice(notification)
    const pages = audiencePages(database, audience, application, platform, { withLocale: choose !== null })
    const rowOf = (row: AudienceRow) => recipientOf(platform, row.id, row, notification, choose)
    return {
      page(after: number, upTo: number, limit: number): RecipientPage {
        const { rows, last } = pages.page(after, upTo, limit)
        return { recipients: rows.map(rowOf), last }
      },
      early: (after: number, upTo: number, limit: number) => pages.early(after, upTo, limit).map(rowOf),
      count: (after: number, candidates: number) => pages.count(after, ceiling, candidates),
    }

    function single(id: number) {
      const page = (after: number, upTo: number): RecipientPage => {
        const found = id > after && id <= upTo ? recipient(id, notification) : null
        return { recipients: found === null ? [] : [found], last: upTo }
      }
      const count = (after: number) => ({ count: page(after, id).recipients.length, last: ceiling })
      return { page, count, early: () => [] }
    }
  }

  function recipient(id: number, notification: Notification): PageRow | null {
    const row = device.get(id)
    return row && recipientOf(row.platform, id, row, notification, languageChoice(notification))
  }

  function recipientOf(
    platform: Platform,
    device: number,
    { token, environment, badge, locale, fcm_platform: fcmPlatform }: DeviceRow,
    notification: Notification,
    choose: ChooseLanguage | null,
  ): PageRow {
    const row: PageRow = {
      device,
      token: unpackToken(token),
      environment: storedEnvironment(environment),
      badge: notification.badge === null ? null : badge,
      fcmPlatform: fcmPlatformOf(fcmPlatform ?? null),
      language: choose === null ? null : (choose(locale ?? null) ?? OWN_TEXT),
    }
    return platforms[platform].hasKeys ? { ...row, keys: keysOf(device) } : row
  }

  return {
    recipients,
    recipient,

    /** The stored badge; 0 if the device is not registered any more. */
    badgeOf: (id: number): number => device.get(id)?.badge ?? 0,

    badgesOf: (ids: readonly number[]): { id: number; badge: number }[] => badges.all(JSON.stringify(ids)),

    hasMoved: (id: number, token: string): boolean => {
      const row = tokenOf.get(id)
      return row !== null && unpackToken(row.token) !== token
    },
  }
}
