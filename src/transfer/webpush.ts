import { isJsonObject, parseJsonObject } from '../text/json-object.ts'
import { firebase, ownFacts } from './firebase.ts'
import { keysOf, textOf } from './record.ts'
import type { Entry, FileRecord, Format } from './record.ts'

/**
 * Subscriptions that sites keep for the `web-push` libraries: `PushSubscription.toJSON()` (w3c.github.io/push-api,
 * PushSubscriptionJSON), alone or in a record with the user. A record without one may have a phone's token.
 */
export const webpush: Format = {
  title: 'browser subscriptions of a web push library',
  names: { token: 'endpoint' },

  read(record, key) {
    const found = isJsonObject(record) ? subscriptionsIn(record) : []
    return found.length === 0 ? firebase.read(record, key) : found.map((one) => deviceOf(one, record as FileRecord))
  },
}

/** Expo calls it `data`. */
export const SUBSCRIPTION_FIELDS: readonly string[] = [
  'subscription',
  'pushSubscription',
  'push_subscription',
  'subscription_info',
  'subscriptionInfo',
  'webpush',
  'data',
]

function subscriptionsIn(record: FileRecord): readonly FileRecord[] {
  if (typeof record['endpoint'] === 'string') return [record]
  const members = [...SUBSCRIPTION_FIELDS, 'subscriptions'].flatMap((name) => [record[name]].flat())
  // An SQL column may hold it as text.
  const objects = members.map((one) => (typeof one === 'string' ? parseJsonObject(one) : one))
  return objects.filter((one) => isJsonObject(one)).filter((one) => typeof one['endpoint'] === 'string')
}

function deviceOf(subscription: FileRecord, record: FileRecord): Entry {
  const keys = isJsonObject(subscription['keys']) ? subscription['keys'] : subscription
  return {
    kind: 'device',
    stated: {
      ...ownFacts(record, null),
      token: textOf(subscription['endpoint']),
      platform: 2,
      keys: keysOf(keys['p256dh'], keys['auth']),
    },
  }
}
