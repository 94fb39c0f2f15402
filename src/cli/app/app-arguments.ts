import type { Limits } from '../../application/application.ts'
import { isAppleId, isBundleId } from '../../application/credential.ts'
import type { Problems } from '../../settings/parse.ts'
import { choice, integer } from '../../settings/setting-type.ts'
import type { SettingType } from '../../settings/setting-type.ts'
import { readWebhookUrl } from '../../webhook/address-guard.ts'
import { EVENT_TYPES } from '../../webhook/event.ts'
import type { EventType } from '../../webhook/event.ts'
import { secretBytes } from '../../webhook/signature.ts'

/** A command on the applications of a data directory. */
export type AppCommand = {
  /** As given; `null`: by the environment, or the default. */ readonly data: string | null
} & (
  | { readonly kind: 'app create'; readonly name: string; readonly json: boolean }
  | { readonly kind: 'app list'; readonly json: boolean }
  // `app` is an id or a name, here and below.
  | { readonly kind: 'app show'; readonly app: string; readonly json: boolean }
  | { readonly kind: 'app rotate-secret'; readonly app: string; readonly json: boolean }
  | { readonly kind: 'app delete'; readonly app: string }
  | { readonly kind: 'app apns'; readonly app: string; readonly credential: ApnsKeyFile | ApnsCertificateFile }
  | { readonly kind: 'app fcm'; readonly app: string; readonly file: string }
  | { readonly kind: 'app simulate'; readonly app: string; readonly simulated: boolean; readonly yes: boolean }
  | { readonly kind: 'app webhook'; readonly app: string; readonly json: boolean; readonly change: WebhookChange }
  | { readonly kind: 'app limits'; readonly app: string; readonly limits: Partial<Limits> }
)

type WebhookChange =
  | { readonly kind: 'show' }
  | { readonly kind: 'remove' }
  /** `null` leaves it as it is, or as it is by default: all events, a new secret. */
  | {
      readonly kind: 'set'
      readonly url: string | null
      readonly events: readonly EventType[] | null
      /** `'new'`: one is made. */
      readonly secret: string | null
    }

type Environment = 'auto' | 'production' | 'sandbox'

interface ApnsKeyFile {
  readonly kind: 'key'
  readonly file: string
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
  readonly environment: Environment
}

interface ApnsCertificateFile {
  readonly kind: 'certificate'
  readonly file: string
  /** `null`: not on the command line; then by BELLHOP_CERTIFICATE_PASSWORD, else none. */
  readonly password: string | null
  /** `null`: the one that the certificate names. */
  readonly topic: string | null
  readonly environment: Environment
}

type Values = ReadonlyMap<string, string>

/** What `kind` says, from flags known to be its own and as many words as it needs. */
export function readAppCommand(kind: string, app: string, values: Values): AppCommand | Problems | null {
  const data = values.get('data') ?? null
  const json = values.has('json')
  switch (kind) {
    case 'app create':
      return { kind, data, name: app, json }
    case 'app list':
      return { kind, data, json }
    case 'app show':
    case 'app rotate-secret':
      return { kind, data, app, json }
    case 'app delete':
      if (values.has('yes')) return { kind, data, app }
      return problems(
        `app delete erases "${app}" with its devices, pushes and credentials for good; add --yes to do so.`,
      )
    case 'app apns': {
      const credential = readApns(values)
      return credential.kind === 'problems' ? credential : { kind, data, app, credential }
    }
    case 'app fcm': {
      const file = values.get('service-account')
      return file === undefined ? problems('app fcm needs --service-account FILE.json.') : { kind, data, app, file }
    }
    case 'app simulate':
      return { kind, data, app, simulated: !values.has('off'), yes: values.has('yes') }
    case 'app webhook': {
      const change = readWebhook(values)
      return change.kind === 'problems' ? change : { kind, data, app, json, change }
    }
    case 'app limits': {
      const limits = readLimits(values)
      return limits.kind === 'problems' ? limits : { kind, data, app, limits: limits.limits }
    }
    default:
      return null
  }
}

const ENVIRONMENT = choice('auto', 'production', 'sandbox')

function readApns(values: Values): ApnsKeyFile | ApnsCertificateFile | Problems {
  const key = values.get('key')
  const certificate = values.get('certificate')
  if (key !== undefined && certificate !== undefined) return problems('--key and --certificate exclude each other.')
  const stated = values.get('environment') ?? 'auto'
  const environment = ENVIRONMENT.read(stated)
  if (environment === undefined) return problems(`--environment: "${stated}" is not ${ENVIRONMENT.expected}`)

  if (key !== undefined) {
    if (values.has('password')) return problems('--password belongs to --certificate: a .p8 file has none.')
    const given = {
      'key-id': values.get('key-id') ?? keyIdIn(key),
      'team-id': values.get('team-id'),
      topic: values.get('topic'),
    }
    const { 'key-id': keyId, 'team-id': teamId, topic } = given
    if (keyId === undefined || teamId === undefined || topic === undefined) {
      const missing = Object.entries(given).filter(([, value]) => value === undefined)
      return problems(`app apns with --key also needs ${missing.map(([name]) => `--${name}`).join(', ')}.`)
    }
    const wrong = [
      ...(isAppleId(keyId) ? [] : [`--key-id: "${keyId}" ${APPLE_ID}`]),
      ...(isAppleId(teamId) ? [] : [`--team-id: "${teamId}" ${APPLE_ID}`]),
      ...wrongTopic(topic),
    ]
    return wrong.length > 0 ? problems(...wrong) : { kind: 'key', file: key, keyId, teamId, topic, environment }
  }
  if (certificate !== undefined) {
    const stray = ['key-id', 'team-id'].find((name) => values.has(name))
    if (stray !== undefined) return problems(`--${stray} belongs to --key: a certificate has none.`)
    const password = values.get('password') ?? null
    const topic = values.get('topic') ?? null
    const wrong = topic === null ? [] : wrongTopic(topic)
    return wrong.length > 0
      ? problems(...wrong)
      : { kind: 'certificate', file: certificate, password, topic, environment }
  }
  return problems('app apns needs --key FILE.p8 or --certificate FILE.')
}

const APPLE_ID = 'is not 10 characters of A-Z and 0-9, as Apple shows it'

function wrongTopic(topic: string): readonly string[] {
  return isBundleId(topic) ? [] : [`--topic: "${topic}" is not a bundle id, such as com.example.app`]
}

/** Apple names the file that it hands out after the key: `AuthKey_ABC123DEFG.p8`. */
function keyIdIn(path: string): string | undefined {
  return /(?:^|[/\\])AuthKey_([A-Z0-9]{10})\.p8$/.exec(path)?.[1]
}

function readWebhook(values: Values): WebhookChange | Problems {
  const [url, list, secret] = ['url', 'events', 'secret'].map((name) => values.get(name) ?? null)
  const asked = [url, list, secret].some((value) => value !== null)
  if (values.has('remove')) {
    return asked ? problems('--remove excludes --url, --events and --secret.') : { kind: 'remove' }
  }
  if (!asked) return { kind: 'show' }
  const wrong: string[] = []
  const read = url === null ? null : readWebhookUrl(url ?? '')
  if (read !== null && 'expected' in read) wrong.push(`--url: "${url}" is not ${read.expected}`)
  const names = (list ?? '').split(',').map((name) => name.trim())
  const events = EVENT_TYPES.filter((type) => names.includes(type))
  const unknown = names.find((name) => !EVENT_TYPES.some((type) => type === name))
  if (list !== null && unknown !== undefined) {
    wrong.push(`--events: "${unknown}" is not one of ${EVENT_TYPES.join(', ')}`)
  }
  if (secret !== null && secret !== 'new' && secretBytes(secret ?? '') === null) {
    wrong.push('--secret: the value is not new, or whsec_ and the base64 of 24 to 64 bytes')
  }
  if (wrong.length > 0) return problems(...wrong)
  return {
    kind: 'set',
    url: read instanceof URL ? read.href : null,
    events: list === null ? null : events,
    secret: secret ?? null,
  }
}

/** Largest rate, burst. Far beyond what one server answers, and exact in thousandths. */
const MAX_CALLS = 1_000_000
const MAX_QUOTA = 1_000_000_000_000
const MAX_DEVICES = 1_000_000_000
/** A day: longer is what send_at is for. */
const MAX_HOLD_SECONDS = 86_400

const calls = integer(0, MAX_CALLS)

const rate: SettingType<number> = {
  expected: `a number from 0 to ${MAX_CALLS}, with at most 3 decimals`,
  placeholder: 'N',
  read(text) {
    const value = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
    return value <= MAX_CALLS ? value : undefined
  },
}

type LimitWithValue = Exclude<keyof Limits, 'pushId'>

const LIMITS: {
  readonly [Name in LimitWithValue]: { readonly flag: string; readonly type: SettingType<Limits[Name]> }
} = {
  rate: { flag: 'rate', type: rate },
  burst: { flag: 'burst', type: calls },
  backendRate: { flag: 'backend-rate', type: rate },
  backendBurst: { flag: 'backend-burst', type: calls },
  quota: { flag: 'quota', type: integer(0, MAX_QUOTA) },
  quotaPeriod: { flag: 'quota-period', type: choice('day', 'month') },
  confirmAbove: { flag: 'confirm-above', type: integer(0, MAX_DEVICES) },
  holdSeconds: { flag: 'hold-seconds', type: integer(0, MAX_HOLD_SECONDS) },
  maxLabels: { flag: 'labels', type: integer(0, MAX_DEVICES) },
  maxDevices: { flag: 'devices', type: integer(0, MAX_DEVICES) },
}

/** What `app limits` sets in the order of the help, each with its flag. */
export const LIMIT_FLAGS: readonly { readonly name: keyof Limits; readonly flag: string }[] = [
  ...Object.entries(LIMITS).map(([name, { flag }]) => ({ name: name as LimitWithValue, flag })),
  { name: 'pushId', flag: 'push-id' },
]

function readLimits(values: Values): { readonly kind: 'limits'; readonly limits: Partial<Limits> } | Problems {
  const limits: Record<string, number | string | boolean> = {}
  const wrong: string[] = []
  const [on, off] = ['push-id', 'no-push-id'].map((flag) => values.has(flag))
  if (on && off) wrong.push('--push-id and --no-push-id exclude each other.')
  else if (on || off) limits['pushId'] = on === true
  for (const [name, { flag, type }] of Object.entries(LIMITS)) {
    const text = values.get(flag)
    if (text === undefined) continue
    const value = type.read(text)
    if (value === undefined) wrong.push(`--${flag}: "${text}" is not ${type.expected}`)
    else limits[name] = value
  }
  return wrong.length > 0 ? problems(...wrong) : { kind: 'limits', limits }
}

function problems(...sentences: readonly string[]): Problems {
  return { kind: 'problems', problems: sentences }
}
