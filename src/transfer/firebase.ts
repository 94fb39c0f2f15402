import { PLAIN, PLAIN_FACTS } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import { isInstallationId } from '../device/push-token.ts'
import { PLATFORM } from '../platform.ts'
import { isJsonObject } from '../text/json-object.ts'
import { platformOf, refused, statedOf, textOf } from './record.ts'
import type { Entry, FileRecord, Format, Stated } from './record.ts'

/**
 * Firebase exports no tokens or installation IDs. Apps keep them in Firestore or the Realtime Database, each in its own
 * way (firebase.google.com/docs/cloud-messaging/manage-tokens); this reads records with one token or several. An FCM
 * token belongs to platform 1 even on an iPhone, which `fcm_platform` notes.
 */
export const firebase: Format = {
  title: 'FCM tokens from a Firestore or Realtime Database export',
  names: {},

  read(record, key) {
    // {"TOKEN": true}, {"TOKEN": "the user"}, ["TOKEN", …], {"the user": "TOKEN"}
    if (!isJsonObject(record)) {
      const found = [record, key].find(isToken)
      return found === undefined ? [NO_TOKEN] : [deviceOf(found, {}, key === found ? null : key)]
    }
    const single = tokenFieldIn(record)
    if (single !== undefined) return [deviceOf(record[single], record, key)]
    const several = TOKENS_FIELDS.map((field) => record[field]).find((value) => typeof value === 'object')
    const entries = several === undefined ? [] : tokensIn(several, record, key)
    if (entries.length > 0) return entries
    return key !== null && isToken(key) ? [deviceOf(key, record, null)] : [NO_TOKEN]
  },
}

/** Other services' ids may have these names too. */
const FID_FIELDS = ['fid', 'installationId', 'installation_id', 'firebaseInstallationId', 'firebase_installation_id']

/** Order matters: an installation ID beside a token may be there for something else. */
export const TOKEN_FIELDS = [
  'token',
  'fcmToken',
  'fcm_token',
  'registrationToken',
  'registration_token',
  'registrationId',
  'registration_id',
  'deviceToken',
  'device_token',
  'pushToken',
  'push_token',
  'notificationToken',
  'notification_token',
  'messagingToken',
  ...FID_FIELDS,
]

export const TOKENS_FIELDS = [
  'tokens',
  'fcmTokens',
  'fcm_tokens',
  'registrationTokens',
  'registration_tokens',
  'registrationIds',
  'deviceTokens',
  'device_tokens',
  'fids',
  'installationIds',
  'installation_ids',
  'pushTokens',
  'push_tokens',
  'notificationTokens',
  'notification_tokens',
]

const NO_TOKEN = refused('token', `is required: one of ${TOKEN_FIELDS.slice(0, 4).join(', ')} or the like`)

function tokenFieldIn(record: FileRecord): string | undefined {
  return TOKEN_FIELDS.find((field) => {
    const value = statedOf(record[field])
    if (FID_FIELDS.includes(field)) return typeof value === 'string' && isInstallationId(value)
    return value !== undefined
  })
}

/**
 * FCM's tokens have about 150 characters (no promise), Apple's 64; names and ids are shorter. Ids of Firestore, the
 * Realtime Database and Firebase Authentication are also shorter than an installation ID.
 */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && (/^[\w:.%-]{60,}$/.test(value) || isInstallationId(value))
}

/** `["TOKEN", …]`, `{"TOKEN": true}`, `{"phone": "TOKEN"}`, or objects. */
function tokensIn(value: unknown, owner: FileRecord, key: string | null): readonly Entry[] {
  if (Array.isArray(value)) {
    return value.map((item) => (isJsonObject(item) ? inner(item, null, owner, key) : deviceOf(item, owner, key)))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).map(([name, item]) => {
    if (isJsonObject(item)) return inner(item, name, owner, key)
    return deviceOf(isToken(name) || !isToken(item) ? name : item, owner, key)
  })
}

/** Facts about the token win over facts about the user. */
function inner(item: FileRecord, name: string | null, owner: FileRecord, key: string | null): Entry {
  const field = tokenFieldIn(item)
  const token = field === undefined ? name : item[field]
  return token === null ? NO_TOKEN : deviceOf(token, { ...owner, ...item }, key)
}

function deviceOf(token: unknown, record: FileRecord, key: string | null): Entry {
  const word = textOf(first(record, ['platform', 'os', 'deviceType', 'device_type', 'type', 'devicePlatform']))
  if (word !== undefined && /web|browser|chrome/i.test(word)) {
    return refused('platform', `is ${JSON.stringify(word)}: only apps on iOS and Android can be sent to`)
  }
  const isApple = typeof token === 'string' && /^[0-9a-f]{64,200}$/i.test(token)
  const kind = word === undefined ? null : platformOf(word)
  const platform = isApple && kind !== 1 ? 0 : 1
  const stated: Stated = {
    ...ownFacts(record, key),
    token: typeof token === 'string' ? token.trim() : token,
    platform,
    fcm_platform: isIphone(kind) && !isIphone(platform) ? 'ios' : undefined,
  }
  return { kind: 'device', stated }
}

/** Other facts in an app's own table, under the usual names. `key`: the record's. */
export function ownFacts(record: FileRecord, key: string | null): Stated {
  const user = textOf(first(record, ['uid', 'userId', 'user_id', 'userID'])) ?? (isUser(key) ? key : undefined)
  return {
    alias: textOf(record['alias']) ?? user,
    tag: listOf(first(record, ['tags', 'topics'])),
    ...Object.fromEntries(PLAIN.map((name) => [name, textOf(first(record, PLAIN_FACTS[name].firebase ?? []))])),
    user,
    registered_at: first(record, ['createdAt', 'created_at', 'created']),
    seen_at: first(record, ['lastSeen', 'last_seen', 'lastUsed', 'updatedAt', 'updated_at', 'timestamp']),
  }
}

export function isIphone(platform: Platform | null): boolean {
  return platform !== null && PLATFORM[platform].provider === 'apns'
}

function first(record: FileRecord, names: readonly string[]): unknown {
  return names.map((name) => statedOf(record[name])).find((value) => value !== undefined)
}

/** Only Firebase Authentication has such ids; other keys may be anything. */
function isUser(key: string | null): boolean {
  return key !== null && /^[A-Za-z0-9]{28}$/.test(key)
}

/** The Realtime Database has no lists: `{"news": true}`. */
function listOf(value: unknown): unknown {
  return isJsonObject(value) ? Object.keys(value).filter((name) => value[name] !== false) : value
}
